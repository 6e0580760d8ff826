/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/* mock-hardening.c - holds the hardening kinds only; can stand beside a prefix.
 */

#include "mock.h"

const struct mock_behaviour mock_behaviour = {
    .has_hardening = true,
    .phase = OMEGA_SANDBOX_PHASE_CAPABILITIES,
};

const struct omega_sandbox_plugin omega_sandbox_plugin = {
    MOCK_HEAD,
    .name = "mock-hardening",
    .description = "mock: holds hardening",
    MOCK_FUNCTIONS,
};
