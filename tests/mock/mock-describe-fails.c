/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/* mock-describe-fails.c - cannot say what it holds. */

#include "mock.h"

#include <errno.h>

const struct mock_behaviour mock_behaviour = {
    .held = MOCK_READS | MOCK_WRITES,
    .has_hardening = true,
    .describe_error = EIO,
    .phase = OMEGA_SANDBOX_PHASE_RESTRICT,
};

const struct omega_sandbox_plugin omega_sandbox_plugin = {
    MOCK_HEAD,
    .name = "mock-describe-fails",
    .description = "mock: describe fails",
    MOCK_FUNCTIONS,
};
