/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * layers.c - see layers.h. The public functions are documented in
 * omega/sandbox.h.
 */

#include "config.h"

#include "policy/layers.h"

#include <sys/stat.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/list.h"
#include "error.h"
#include "path/text.h"
#include "policy/named.h"

static int
add_named(struct omega_sandbox_policy *policy, enum omega_scan_type type,
    const char *name, struct omega_sandbox_error *error)
{
	struct omega_layer *layers;

	layers = omega_list_grow(
	    policy->layers, policy->layer_count, sizeof(*layers));
	if (layers == NULL)
		return omega_error_memory(error);
	policy->layers = layers;
	return omega_named_rules(policy->sandbox->conf, type, name,
	    &layers[policy->layer_count++], error);
}

int
omega_layers_take(
    struct omega_sandbox_policy *policy, struct omega_sandbox_error *error)
{
	const struct omega_conf *conf = policy->sandbox->conf;
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < conf->floors.count; i++)
		ret = add_named(policy, OMEGA_SCAN_POLICY,
		    conf->floors.items[i].text, error);
	if (ret == 0)
		ret = add_named(policy, OMEGA_SCAN_POLICY, policy->name, error);
	return ret;
}

int
omega_layers_copy(
    struct omega_sandbox_policy *to, const struct omega_sandbox_policy *from)
{
	size_t i;
	int ret;

	to->is_data_dropped = from->is_data_dropped;
	to->is_work_dropped = from->is_work_dropped;
	if (from->work_dir != NULL) {
		to->work_dir = strdup(from->work_dir);
		if (to->work_dir == NULL)
			return -ENOMEM;
	}
	ret = omega_layer_copy(&to->own, &from->own);
	for (i = 0; ret == 0 && i < from->layer_count; i++) {
		struct omega_layer *layers = omega_list_grow(
		    to->layers, to->layer_count, sizeof(*layers));

		if (layers == NULL)
			return -ENOMEM;
		to->layers = layers;
		ret = omega_layer_copy(
		    &layers[to->layer_count++], &from->layers[i]);
	}
	return ret;
}

void
omega_layers_drop(struct omega_sandbox_policy *policy)
{
	while (policy->layer_count > 0)
		omega_layer_clear(&policy->layers[--policy->layer_count]);
	free(policy->layers);
	omega_layer_clear(&policy->own);
	free(policy->work_dir);
}

static int
needs_policy(struct omega_sandbox_error *error)
{
	return omega_error_set(error, OMEGA_SANDBOX_E_ARGUMENT, EINVAL,
	    "a policy and a value are needed");
}

int
omega_sandbox_policy_set(struct omega_sandbox_policy *policy, const char *rule,
    const char *const *values, struct omega_sandbox_error *error)
{
	struct omega_rule_setting setting = {
	    .name = rule, .texts = values, .file = "host application"};
	struct omega_layer changed;
	int ret;

	if (policy == NULL || rule == NULL || values == NULL)
		return needs_policy(error);
	while (values[setting.count] != NULL)
		setting.count++;
	setting.is_list = omega_layer_is_list(rule);
	/* A rule that is refused leaves the policy as it was. */
	memset(&changed, 0, sizeof(changed));
	if (omega_layer_copy(&changed, &policy->own) < 0)
		ret = omega_error_memory(error);
	else
		ret = omega_layer_set(&changed, &setting, error);
	if (ret == 0)
		ret = omega_layer_check(&changed, error);
	if (ret == 0) {
		omega_layer_clear(&policy->own);
		policy->own = changed;
		return 0;
	}
	omega_layer_clear(&changed);
	return ret;
}

int
omega_sandbox_policy_set_work_dir(struct omega_sandbox_policy *policy,
    const char *work_dir, struct omega_sandbox_error *error)
{
	struct stat seen;
	char *copy;

	if (policy == NULL || work_dir == NULL)
		return needs_policy(error);
	if (omega_text_check(work_dir) < 0)
		return omega_error_set(error, OMEGA_SANDBOX_E_INVALID_POLICY,
		    EINVAL,
		    "the work directory '%.200s' is not an absolute path",
		    work_dir);
	if (stat(work_dir, &seen) == 0 && !S_ISDIR(seen.st_mode))
		return omega_error_set(error, OMEGA_SANDBOX_E_INVALID_POLICY,
		    ENOTDIR, "the work directory %.200s is not a directory",
		    work_dir);
	copy = strdup(work_dir);
	if (copy == NULL)
		return omega_error_memory(error);
	free(policy->work_dir);
	policy->work_dir = copy;
	return 0;
}

int
omega_sandbox_policy_add_agent(struct omega_sandbox_policy *policy,
    const char *name, struct omega_sandbox_error *error)
{
	if (policy == NULL || name == NULL)
		return needs_policy(error);
	return add_named(policy, OMEGA_SCAN_AGENT, name, error);
}
