/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/* mock-prefix.c - holds everything by starting the command through env(1). */

#include "mock.h"

const struct mock_behaviour mock_behaviour = {
    .held = MOCK_READS | MOCK_WRITES,
    .has_hardening = true,
    .is_prefix = true,
};

const struct omega_sandbox_plugin omega_sandbox_plugin = {
    MOCK_HEAD,
    .flags = OMEGA_SANDBOX_PLUGIN_PREFIX,
    .name = "mock-prefix",
    .description = "mock: prefix",
    MOCK_FUNCTIONS,
};
