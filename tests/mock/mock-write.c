/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/* mock-write.c - holds writing only. */

#include "mock.h"

const struct mock_behaviour mock_behaviour = {
    .held = MOCK_WRITES,
    .phase = OMEGA_SANDBOX_PHASE_RESTRICT,
};

const struct omega_sandbox_plugin omega_sandbox_plugin = {
    MOCK_HEAD,
    .name = "mock-write",
    .description = "mock: holds writing",
    MOCK_FUNCTIONS,
};
