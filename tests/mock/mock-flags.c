/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/* mock-flags.c - has a flag its own version does not define. */

#include "mock.h"

const struct mock_behaviour mock_behaviour = {
    .held = MOCK_READS | MOCK_WRITES,
    .has_hardening = true,
    .phase = OMEGA_SANDBOX_PHASE_RESTRICT,
};

const struct omega_sandbox_plugin omega_sandbox_plugin = {
    MOCK_HEAD,
    .flags = UINT64_C(1) << 40,
    .name = "mock-flags",
    .description = "mock: flags",
    MOCK_FUNCTIONS,
};
