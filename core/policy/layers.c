/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * layers.c - see layers.h.
 */

#include "config.h"

#include "policy/layers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "error.h"
#include "policy/named.h"

int
omega_layers_add(struct omega_sandbox_policy *policy, enum omega_scan_type type,
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

	for (i = 0;
	     ret == 0 && i < omega_conf_items(conf, OMEGA_OPTION_FLOOR)->count;
	     i++)
		ret = omega_layers_add(policy, OMEGA_SCAN_POLICY,
		    omega_conf_items(conf, OMEGA_OPTION_FLOOR)->items[i].text,
		    error);
	if (ret == 0)
		ret = omega_layers_add(
		    policy, OMEGA_SCAN_POLICY, policy->name, error);
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
