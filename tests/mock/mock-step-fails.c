/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/* mock-step-fails.c - its step fails in the child. */

#include "mock.h"

#include <errno.h>

const struct mock_behaviour mock_behaviour = {
    .held = MOCK_READS | MOCK_WRITES,
    .has_hardening = true,
    .step_error = EXDEV,
    .phase = OMEGA_SANDBOX_PHASE_RESTRICT,
};

const struct omega_sandbox_plugin omega_sandbox_plugin = {
    MOCK_HEAD,
    .name = "mock-step-fails",
    .description = "mock: step fails",
    MOCK_FUNCTIONS,
};
