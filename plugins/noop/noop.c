/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * noop.c - enforces nothing, and says so. The backend to copy from, and the
 * one to name when a command must run unprotected on purpose.
 */

#include <omega/sandbox-plugin.h>

#include <string.h>

static int
noop_probe(struct omega_sandbox_probe *probe)
{
	static const char reason[] = "always there; enforces nothing";

	probe->is_usable = 1;
	probe->version[0] = '\0';
	memcpy(probe->reason, reason, sizeof(reason));
	return 0;
}

const struct omega_sandbox_plugin omega_sandbox_plugin = {
    .abi_version = OMEGA_SANDBOX_PLUGIN_ABI,
    .struct_size = sizeof(struct omega_sandbox_plugin),
    .name = "noop",
    .description = "enforces nothing",
    .probe = noop_probe,
};
