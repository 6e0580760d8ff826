/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * policy.c - see policy.h.
 */

#include "config.h"

#include "policy/policy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/list.h"
#include "conf/named.h"

/* One more, empty; NULL when out of memory. */
static struct omega_layer *
grow(struct omega_sandbox_policy *policy)
{
	struct omega_layer *layers = omega_list_grow(
	    policy->layers, policy->layer_count, sizeof(*layers));

	if (layers == NULL)
		return NULL;
	policy->layers = layers;
	return &layers[policy->layer_count++];
}

int
omega_policy_add_layer(struct omega_sandbox_policy *policy,
    enum omega_scan_type type, const char *name,
    struct omega_sandbox_error *error)
{
	struct omega_layer *layer = grow(policy);

	return layer == NULL ? omega_error_memory(error)
			     : omega_named_rules(policy->sandbox->conf, type,
				   name, layer, error);
}

void
omega_policy_drop_backends(struct omega_sandbox_policy *policy)
{
	while (policy->backend_count > 0)
		free(policy->backends[--policy->backend_count]);
}

void
omega_policy_free(struct omega_sandbox_policy *policy)
{
	while (policy->layer_count > 0)
		omega_layer_clear(&policy->layers[--policy->layer_count]);
	free(policy->layers);
	omega_list_clear(&policy->files);
	omega_layer_clear(&policy->own);
	free(policy->work_dir);
	free(policy->data_dir);
	free(policy->name);
	omega_policy_drop_backends(policy);
	omega_sandbox_unref(policy->sandbox);
	free(policy);
}

static int
copy_text(char **to, const char *from)
{
	*to = from == NULL ? NULL : strdup(from);
	return *to == NULL && from != NULL ? -ENOMEM : 0;
}

static int
copy_layers(
    struct omega_sandbox_policy *to, const struct omega_sandbox_policy *from)
{
	int ret = omega_layer_copy(&to->own, &from->own);
	size_t i;

	for (i = 0; ret == 0 && i < from->layer_count; i++) {
		struct omega_layer *layer = grow(to);

		ret = layer == NULL ? -ENOMEM
				    : omega_layer_copy(layer, &from->layers[i]);
	}
	return ret;
}

struct omega_sandbox_policy *
omega_policy_copy(const struct omega_sandbox_policy *policy)
{
	struct omega_sandbox_policy *copy = calloc(1, sizeof(*copy));
	size_t i;
	int ret;

	if (copy == NULL)
		return NULL;
	atomic_init(&copy->refs, 1);
	copy->sandbox = omega_sandbox_ref(policy->sandbox);
	copy->is_admin_named = policy->is_admin_named;
	copy->is_noop_allowed = policy->is_noop_allowed;
	copy->is_data_dropped = policy->is_data_dropped;
	copy->is_work_dropped = policy->is_work_dropped;
	copy->witness = policy->witness;
	copy->floor_count = policy->floor_count;
	ret = copy_text(&copy->name, policy->name);
	if (ret == 0)
		ret = copy_text(&copy->data_dir, policy->data_dir);
	if (ret == 0)
		ret = copy_text(&copy->work_dir, policy->work_dir);
	if (ret == 0)
		ret = copy_layers(copy, policy);
	for (i = 0; ret == 0 && i < policy->files.count; i++)
		ret = omega_list_add(
		    &copy->files, policy->files.items[i].text, NULL, 0);
	for (i = 0; ret == 0 && i < policy->backend_count; i++) {
		ret = copy_text(&copy->backends[i], policy->backends[i]);
		copy->backend_count += ret == 0;
	}
	if (ret < 0) {
		omega_policy_free(copy);
		return NULL;
	}
	return copy;
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

bool
omega_policy_has_user_namespaces(const struct omega_sandbox_policy *policy)
{
	struct omega_option_value none = {.number = 0};

	return merge(policy, OMEGA_OPTION_USER_NAMESPACES, none) != 0;
}

uint64_t
omega_policy_limit(
    const struct omega_sandbox_policy *policy, enum omega_option_id id)
{
	return merge(policy, id, policy->sandbox->conf->top.values[id]);
}
