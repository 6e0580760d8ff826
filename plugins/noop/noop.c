/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * noop.c - enforces nothing, and says so. The backend to copy from, and the
 * one to name when a command must run unprotected on purpose.
 */

#include <omega/sandbox-plugin.h>

#include <errno.h>
#include <string.h>

static int
noop_probe(
    const struct omega_sandbox_host *host, struct omega_sandbox_probe *probe)
{
	static const char reason[] = "always there";

	(void)host;
	probe->is_usable = 1;
	memcpy(probe->reason, reason, sizeof(reason));
	return 0;
}

/* The core has zeroed the states: nothing is held. */
static int
noop_describe(const struct omega_sandbox_host *host,
    const struct omega_sandbox_request *request,
    const struct omega_sandbox_atom *const *atoms, size_t count,
    struct omega_sandbox_state *const *states)
{
	static const char why[] = "noop enforces nothing";
	size_t i;

	(void)host;
	(void)request;
	(void)atoms;
	for (i = 0; i < count; i++)
		memcpy(states[i]->why, why, sizeof(why));
	return 0;
}

static int
noop_apply(const struct omega_sandbox_host *host,
    const struct omega_sandbox_request *request,
    const struct omega_sandbox_atom *const *atoms, size_t count,
    struct omega_sandbox_launch *launch)
{
	(void)host;
	(void)request;
	(void)atoms;
	(void)launch;
	return count == 0 ? 0 : -EINVAL; /* it promised nothing */
}

const struct omega_sandbox_plugin omega_sandbox_plugin = {
    .abi_version = OMEGA_SANDBOX_PLUGIN_ABI,
    .struct_size = sizeof(struct omega_sandbox_plugin),
    .name = "noop",
    .description = "enforces nothing",
    .probe = noop_probe,
    .describe = noop_describe,
    .apply = noop_apply,
};
