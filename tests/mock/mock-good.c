/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/* mock-good.c - holds everything, through a step that does nothing. */

#include "mock.h"

const struct mock_behaviour mock_behaviour = {
    .held = MOCK_READS | MOCK_WRITES,
    .has_hardening = true,
    .phase = OMEGA_SANDBOX_PHASE_RESTRICT,
};

const struct omega_sandbox_plugin omega_sandbox_plugin = {
    MOCK_HEAD,
    .name = "mock-good",
    .description = "mock: holds everything",
    MOCK_FUNCTIONS,
};
