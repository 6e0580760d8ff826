/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/* mock-partial.c - holds reading, and writing in part. */

#include "mock.h"

const struct mock_behaviour mock_behaviour = {
    .held = MOCK_READS,
    .partial = MOCK_WRITES,
    .has_hardening = true,
    .phase = OMEGA_SANDBOX_PHASE_RESTRICT,
};

const struct omega_sandbox_plugin omega_sandbox_plugin = {
    MOCK_HEAD,
    .name = "mock-partial",
    .description = "mock: holds writing in part",
    MOCK_FUNCTIONS,
};
