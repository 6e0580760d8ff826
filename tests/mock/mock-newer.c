/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/* mock-newer.c - made for a newer minor version: longer, with a new flag. */

#include "mock.h"

const struct mock_behaviour mock_behaviour = {
    .held = MOCK_READS | MOCK_WRITES,
    .has_hardening = true,
    .phase = OMEGA_SANDBOX_PHASE_RESTRICT,
};

static int
later(void)
{
	return 0;
}

/* Another type than the header's, under the same name in the file. */
#define TEXT_OF(x) #x
#define IN_FILE(prefix) TEXT_OF(prefix) "omega_sandbox_plugin"

struct newer {
	struct omega_sandbox_plugin plugin;
	int (*later)(void);
	uint64_t more[8];
};

extern const struct newer newer __asm__(IN_FILE(__USER_LABEL_PREFIX__));

__attribute__((visibility("default"))) const struct newer newer = {
    .plugin =
	{
	    .abi_version = OMEGA_SANDBOX_PLUGIN_ABI + 7,
	    .struct_size = sizeof(struct newer),
	    .flags = UINT64_C(1) << 40,
	    .name = "mock-newer",
	    .description = "mock: newer minor",
	    MOCK_FUNCTIONS,
	},
    .later = later,
};
