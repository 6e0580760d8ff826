/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/* mock-other-major.c - made for another major version. */

#include "mock.h"

const struct mock_behaviour mock_behaviour = {
    .held = MOCK_READS | MOCK_WRITES,
    .has_hardening = true,
    .phase = OMEGA_SANDBOX_PHASE_RESTRICT,
};

const struct omega_sandbox_plugin omega_sandbox_plugin = {
    .abi_version = (OMEGA_SANDBOX_PLUGIN_ABI_MAJOR + 1) << 16,
    .struct_size = sizeof(struct omega_sandbox_plugin),
    .name = "mock-other-major",
    .description = "mock: other major",
    MOCK_FUNCTIONS,
};
