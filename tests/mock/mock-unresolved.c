/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/* mock-unresolved.c - needs a function that nobody has. */

#include "mock.h"

const struct mock_behaviour mock_behaviour = {.has_hardening = true};

int mock_nobody_has_this(void);

static int
unresolved_probe(
    const struct omega_sandbox_host *host, struct omega_sandbox_probe *probe)
{
	(void)host;
	(void)probe;
	return mock_nobody_has_this();
}

const struct omega_sandbox_plugin omega_sandbox_plugin = {
    MOCK_HEAD,
    .name = "mock-unresolved",
    .description = "mock: unresolved",
    .probe = unresolved_probe,
    .describe = mock_describe,
    .apply = mock_apply,
};
