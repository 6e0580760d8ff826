/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * presets.c - the shipped policies by function, and the tiers of trust. The
 * functions are public; their documentation is in omega/sandbox.h.
 */

#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "error.h"
#include "policy/named.h"
#include "policy/policy.h"

static int
make(struct omega_sandbox *sandbox, const char *name, const char *work_dir,
    const char *data_root, struct omega_sandbox_policy **policy,
    struct omega_sandbox_error *error)
{
	int ret;

	ret = omega_sandbox_policy_new(sandbox, name, policy, error);
	if (ret < 0)
		return ret;
	if (work_dir == NULL || work_dir[0] == '\0')
		(*policy)->is_work_dropped = true;
	else
		ret =
		    omega_sandbox_policy_set_work_dir(*policy, work_dir, error);
	if (ret == 0 && data_root != NULL && data_root[0] == '\0')
		(*policy)->is_data_dropped = true;
	else if (ret == 0 && data_root != NULL)
		ret = omega_sandbox_policy_set_data_dir(
		    *policy, data_root, error);
	if (ret < 0) {
		omega_sandbox_policy_unref(*policy);
		*policy = NULL;
	}
	return ret;
}

int
omega_sandbox_policy_new_tool(struct omega_sandbox *sandbox,
    const char *work_dir, const char *data_root,
    struct omega_sandbox_policy **policy, struct omega_sandbox_error *error)
{
	return make(sandbox, "tool", work_dir, data_root, policy, error);
}

int
omega_sandbox_policy_new_mcp(struct omega_sandbox *sandbox,
    const char *work_dir, const char *data_root,
    struct omega_sandbox_policy **policy, struct omega_sandbox_error *error)
{
	return make(sandbox, "mcp", work_dir, data_root, policy, error);
}

int
omega_sandbox_policy_new_strict(struct omega_sandbox *sandbox,
    const char *work_dir, const char *data_root,
    struct omega_sandbox_policy **policy, struct omega_sandbox_error *error)
{
	return make(sandbox, "strict", work_dir, data_root, policy, error);
}

int
omega_sandbox_get_tier(const struct omega_sandbox *sandbox, const char *name,
    struct omega_sandbox_tier *tier, struct omega_sandbox_error *error)
{
	struct omega_sandbox_tier full = OMEGA_SANDBOX_TIER_INIT;
	struct omega_named_tier found;
	uint32_t size;
	int ret;

	if (sandbox == NULL || name == NULL || tier == NULL ||
	    tier->size < sizeof(tier->size))
		return omega_error_set(error, OMEGA_SANDBOX_E_ARGUMENT, EINVAL,
		    "a sandbox, a name and a place for the answer are needed");
	ret = omega_named_tier(sandbox->conf, name, &found, error);
	if (ret < 0)
		return ret;
	full.is_sandboxed = found.is_sandboxed;
	full.policy = found.policy != NULL ? found.policy : "default";
	full.file = found.section->file;
	full.line = found.section->line;
	size = tier->size < sizeof(full) ? tier->size : (uint32_t)sizeof(full);
	full.size = tier->size;
	memcpy(tier, &full, size);
	return 0;
}
