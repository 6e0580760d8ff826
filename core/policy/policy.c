/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * policy.c - making and changing a policy. The functions are public; their
 * documentation is in omega/sandbox.h.
 */

#include "config.h"

#include "policy/policy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "path/text.h"
#include "policy/layers.h"
#include "plan/stack.h"

static void
drop_backends(struct omega_sandbox_policy *policy)
{
	while (policy->backend_count > 0)
		free(policy->backends[--policy->backend_count]);
}

/* What the administrator has configured. */
static int
take_configuration(struct omega_sandbox_policy *policy)
{
	const struct omega_conf *conf = policy->sandbox->conf;
	const char *data_dir = omega_sandbox_object_data_dir(policy->sandbox);

	if (data_dir != NULL) {
		policy->data_dir = strdup(data_dir);
		if (policy->data_dir == NULL)
			return -ENOMEM;
	}
	if (!omega_conf_is(conf, OMEGA_OPTION_WITNESS))
		policy->witness = OMEGA_POLICY_WITNESS_OFF;
	else
		policy->witness = conf->top.values[OMEGA_OPTION_WITNESS].is_set
				      ? OMEGA_POLICY_WITNESS_ON
				      : OMEGA_POLICY_WITNESS_DEFAULT;
	return omega_layer_take(&policy->own, &conf->top);
}

/* The stack as the configuration names it. */
static int
take_backends(
    struct omega_sandbox_policy *policy, struct omega_sandbox_error *error)
{
	const struct omega_conf_list *list =
	    omega_conf_items(policy->sandbox->conf, OMEGA_OPTION_BACKEND);
	const char *words[OMEGA_SANDBOX_MAX_BACKENDS];
	size_t i;
	int ret;

	if (list->count > OMEGA_SANDBOX_MAX_BACKENDS)
		return omega_error_conf(error, list->items[0].file,
		    list->items[0].line, "more than %d backends",
		    OMEGA_SANDBOX_MAX_BACKENDS);
	for (i = 0; i < list->count; i++)
		words[i] = list->items[i].text;
	ret = omega_stack_expand(words, list->count, policy->backends,
	    &policy->backend_count, error);
	if (ret < 0)
		return ret;
	policy->is_admin_named = policy->backend_count > 0;
	policy->is_noop_allowed =
	    omega_stack_has(policy->backends, policy->backend_count, "noop");
	return 0;
}

int
omega_sandbox_policy_new(struct omega_sandbox *sandbox, const char *name,
    struct omega_sandbox_policy **policy, struct omega_sandbox_error *error)
{
	struct omega_sandbox_policy *made = NULL;
	int ret;

	if (sandbox == NULL || policy == NULL)
		return omega_error_set(error, OMEGA_SANDBOX_E_ARGUMENT, EINVAL,
		    "a sandbox and a place for the policy are needed");
	*policy = NULL;
	if (name == NULL || name[0] == '\0')
		name = "default";
	made = calloc(1, sizeof(*made));
	if (made == NULL)
		return omega_error_memory(error);
	atomic_init(&made->refs, 1);
	made->sandbox = omega_sandbox_ref(sandbox);
	made->name = strdup(name);
	ret = made->name == NULL ? -ENOMEM : take_configuration(made);
	if (ret < 0)
		ret = omega_error_memory(error);
	else
		ret = take_backends(made, error);
	if (ret == 0)
		ret = omega_layers_take(made, error);
	if (ret < 0) {
		omega_sandbox_policy_unref(made);
		return ret;
	}
	*policy = made;
	return 0;
}

struct omega_sandbox_policy *
omega_sandbox_policy_ref(struct omega_sandbox_policy *policy)
{
	if (policy != NULL)
		atomic_fetch_add(&policy->refs, 1);
	return policy;
}

void
omega_sandbox_policy_unref(struct omega_sandbox_policy *policy)
{
	if (policy == NULL || atomic_fetch_sub(&policy->refs, 1) != 1)
		return;
	free(policy->data_dir);
	free(policy->name);
	omega_layers_drop(policy);
	drop_backends(policy);
	omega_sandbox_unref(policy->sandbox);
	free(policy);
}

struct omega_sandbox_policy *
omega_policy_copy(const struct omega_sandbox_policy *policy)
{
	struct omega_sandbox_policy *copy = calloc(1, sizeof(*copy));
	size_t i;
	int ret = 0;

	if (copy == NULL)
		return NULL;
	atomic_init(&copy->refs, 1);
	copy->sandbox = omega_sandbox_ref(policy->sandbox);
	copy->is_admin_named = policy->is_admin_named;
	copy->is_noop_allowed = policy->is_noop_allowed;
	copy->witness = policy->witness;
	copy->name = strdup(policy->name);
	if (copy->name == NULL)
		ret = -ENOMEM;
	if (policy->data_dir != NULL) {
		copy->data_dir = strdup(policy->data_dir);
		if (copy->data_dir == NULL)
			ret = -ENOMEM;
	}
	if (ret == 0)
		ret = omega_layers_copy(copy, policy);
	for (i = 0; ret == 0 && i < policy->backend_count; i++) {
		copy->backends[i] = strdup(policy->backends[i]);
		if (copy->backends[i] == NULL)
			ret = -ENOMEM;
		else
			copy->backend_count++;
	}
	if (ret < 0) {
		omega_sandbox_policy_unref(copy);
		return NULL;
	}
	return copy;
}

int
omega_sandbox_policy_set_data_dir(struct omega_sandbox_policy *policy,
    const char *data_dir, struct omega_sandbox_error *error)
{
	char *copy;

	if (policy == NULL)
		return omega_error_set(error, OMEGA_SANDBOX_E_ARGUMENT, EINVAL,
		    "a policy is needed");
	if (omega_text_check(data_dir) < 0)
		return omega_error_set(error, OMEGA_SANDBOX_E_INVALID_POLICY,
		    EINVAL, "data_dir '%.200s' is not an absolute path",
		    data_dir == NULL ? "" : data_dir);
	copy = strdup(data_dir);
	if (copy == NULL)
		return omega_error_memory(error);
	free(policy->data_dir);
	policy->data_dir = copy;
	policy->is_data_dropped = false;
	return 0;
}

int
omega_sandbox_policy_set_witness(struct omega_sandbox_policy *policy,
    bool is_on, struct omega_sandbox_error *error)
{
	const struct omega_conf *conf;

	if (policy == NULL)
		return omega_error_set(error, OMEGA_SANDBOX_E_ARGUMENT, EINVAL,
		    "a policy is needed");
	conf = policy->sandbox->conf;
	if (is_on)
		policy->witness = OMEGA_POLICY_WITNESS_ON;
	/* An administrator's wish to see stands. */
	else if (!omega_conf_is(conf, OMEGA_OPTION_WITNESS) ||
		 conf->top.values[OMEGA_OPTION_WITNESS].file == NULL)
		policy->witness = OMEGA_POLICY_WITNESS_OFF;
	return 0;
}

/* Load every backend named, so that a wrong name is told at once. */
static int
load_all(struct omega_sandbox *sandbox, char *const *names, size_t count,
    struct omega_sandbox_error *error)
{
	struct omega_backend *backend;
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < count; i++)
		ret = omega_sandbox_object_backend(
		    sandbox, names[i], &backend, error);
	return ret;
}

int
omega_sandbox_policy_set_backend(struct omega_sandbox_policy *policy,
    const char *list, struct omega_sandbox_error *error)
{
	char *names[OMEGA_SANDBOX_MAX_BACKENDS];
	size_t count = 0;
	int ret;

	if (policy == NULL || list == NULL)
		return omega_error_set(error, OMEGA_SANDBOX_E_ARGUMENT, EINVAL,
		    "a policy and a list of backends are needed");
	ret = omega_stack_parse(list, names, &count, error);
	if (ret < 0)
		return ret;
	ret = load_all(policy->sandbox, names, count, error);
	if (ret < 0) {
		while (count > 0)
			free(names[--count]);
		return ret;
	}
	drop_backends(policy);
	memcpy(policy->backends, names, count * sizeof(names[0]));
	policy->backend_count = count;
	/* Only where the administrator left the choice open does naming noop
	 * here waive anything. */
	policy->is_noop_allowed =
	    !policy->is_admin_named && omega_stack_has(names, count, "noop");
	return 0;
}

/* What the layers come to in an option that is a number; initial when none of
 * them sets it. */
static uint64_t
merge(const struct omega_sandbox_policy *policy, enum omega_option_id id,
    struct omega_option_value found)
{
	size_t i;

	for (i = 0; i < policy->layer_count; i++)
		omega_layer_narrow(id, &found, &policy->layers[i].values[id]);
	omega_layer_narrow(id, &found, &policy->own.values[id]);
	return found.number;
}

enum omega_sandbox_session
omega_policy_session(const struct omega_sandbox_policy *policy)
{
	struct omega_option_value none = {.number = OMEGA_SANDBOX_SESSION_NEW};

	return (enum omega_sandbox_session)merge(
	    policy, OMEGA_OPTION_SESSION, none);
}

enum omega_sandbox_session
omega_sandbox_policy_get_session(const struct omega_sandbox_policy *policy)
{
	return policy == NULL ? OMEGA_SANDBOX_SESSION_NEW
			      : omega_policy_session(policy);
}

uint64_t
omega_policy_limit(
    const struct omega_sandbox_policy *policy, enum omega_option_id id)
{
	return merge(policy, id, policy->sandbox->conf->top.values[id]);
}
