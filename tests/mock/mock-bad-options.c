/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/* mock-bad-options.c - its table of options has one name twice. */

#include "mock.h"

const struct mock_behaviour mock_behaviour = {.has_hardening = true};

static const struct omega_sandbox_option twice = {
    .size = sizeof(struct omega_sandbox_option),
    .type = OMEGA_SANDBOX_OPTION_BOOL,
    .name = "twice",
    .help = "Yes or no.",
};

static const struct omega_sandbox_option *const options[] = {
    &twice,
    &twice,
    NULL,
};

const struct omega_sandbox_plugin omega_sandbox_plugin = {
    MOCK_HEAD,
    .name = "mock-bad-options",
    .description = "mock: bad options",
    .options = options,
    MOCK_FUNCTIONS,
};
