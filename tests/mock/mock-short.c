/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/* mock-short.c - its object ends before the first version did. */

#include "mock.h"

const struct mock_behaviour mock_behaviour = {
    .held = MOCK_READS | MOCK_WRITES,
    .has_hardening = true,
    .phase = OMEGA_SANDBOX_PHASE_RESTRICT,
};

const struct omega_sandbox_plugin omega_sandbox_plugin = {
    .abi_version = OMEGA_SANDBOX_PLUGIN_ABI,
    .struct_size = offsetof(struct omega_sandbox_plugin, describe),
    .name = "mock-short",
    .description = "mock: short",
    MOCK_FUNCTIONS,
};
