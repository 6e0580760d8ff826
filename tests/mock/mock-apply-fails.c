/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/* mock-apply-fails.c - apply gives up half way. */

#include "mock.h"

#include <errno.h>

const struct mock_behaviour mock_behaviour = {
    .held = MOCK_READS | MOCK_WRITES,
    .has_hardening = true,
    .apply_error = ENOSPC,
    .phase = OMEGA_SANDBOX_PHASE_RESTRICT,
};

const struct omega_sandbox_plugin omega_sandbox_plugin = {
    MOCK_HEAD,
    .name = "mock-apply-fails",
    .description = "mock: apply fails",
    MOCK_FUNCTIONS,
};
