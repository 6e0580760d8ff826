/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/* mock-read.c - holds reading only. */

#include "mock.h"

const struct mock_behaviour mock_behaviour = {
    .held = MOCK_READS,
    .phase = OMEGA_SANDBOX_PHASE_RESTRICT,
};

const struct omega_sandbox_plugin omega_sandbox_plugin = {
    MOCK_HEAD,
    .name = "mock-read",
    .description = "mock: holds reading",
    MOCK_FUNCTIONS,
};
