/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * policy.c - what a host application says in a policy. Documentation is in
 * omega/sandbox.h.
 */

#include "config.h"

#include <sys/stat.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "path/text.h"
#include "policy/layers.h"

static int
needs_policy(struct omega_sandbox_error *error)
{
	return omega_error_set(error, OMEGA_SANDBOX_E_ARGUMENT, EINVAL,
	    "a policy and a value are needed");
}

/* A rule that is refused leaves the policy as it was. */
static int
set_rule(struct omega_sandbox_policy *policy,
    const struct omega_setting *setting, struct omega_sandbox_error *error)
{
	struct omega_layer changed;
	int ret;

	memset(&changed, 0, sizeof(changed));
	if (omega_layer_copy(&changed, &policy->own) < 0)
		ret = omega_error_memory(error);
	else
		ret = omega_layer_set(&changed, setting, error);
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
omega_sandbox_policy_set(struct omega_sandbox_policy *policy, const char *rule,
    const char *const *values, struct omega_sandbox_error *error)
{
	struct omega_setting setting = {
	    .name = rule, .file = "host application"};
	struct omega_conf_text *texts;
	enum omega_option_id id;
	size_t i;
	int ret;

	if (policy == NULL || rule == NULL || values == NULL)
		return needs_policy(error);
	while (values[setting.count] != NULL)
		setting.count++;
	texts = calloc(setting.count + 1, sizeof(*texts));
	if (texts == NULL)
		return omega_error_memory(error);
	for (i = 0; i < setting.count; i++)
		texts[i].text = (char *)(uintptr_t)values[i];
	setting.values = texts;
	id = omega_option_find(rule, OMEGA_BY_RULE | OMEGA_BY_HOST);
	setting.is_list = id != OMEGA_OPTION_COUNT && omega_option_is_list(id);
	if (id != OMEGA_OPTION_COUNT &&
	    (omega_option_table[id].by & OMEGA_BY_HOST) != 0)
		ret = omega_layer_set_within(&policy->own, id, &setting,
		    &policy->sandbox->conf->top, error);
	else
		ret = set_rule(policy, &setting, error);
	free(texts);
	return ret;
}

static int
set_one(struct omega_sandbox_policy *policy, const char *option,
    const char *value, struct omega_sandbox_error *error)
{
	const char *const values[] = {value, NULL};

	return value == NULL
		   ? needs_policy(error)
		   : omega_sandbox_policy_set(policy, option, values, error);
}

int
omega_sandbox_policy_block(struct omega_sandbox_policy *policy,
    const char *path, struct omega_sandbox_error *error)
{
	return set_one(policy, "blocked_paths", path, error);
}

int
omega_sandbox_policy_set_data_dir_mode(struct omega_sandbox_policy *policy,
    const char *mode, struct omega_sandbox_error *error)
{
	return set_one(policy, "data_dir_mode", mode, error);
}

int
omega_sandbox_policy_set_hide_sockets(struct omega_sandbox_policy *policy,
    const char *which, struct omega_sandbox_error *error)
{
	return set_one(policy, "hide_sockets", which, error);
}

int
omega_sandbox_policy_allow_socket(struct omega_sandbox_policy *policy,
    const char *path, struct omega_sandbox_error *error)
{
	return set_one(policy, "allow_sockets", path, error);
}

int
omega_sandbox_policy_allow_device(struct omega_sandbox_policy *policy,
    const char *path, struct omega_sandbox_error *error)
{
	return set_one(policy, "allow_devices", path, error);
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
	return omega_layers_add(policy, OMEGA_SCAN_AGENT, name, error);
}
