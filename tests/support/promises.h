/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * promises.h - backends that promise and may not keep it, and
 * commands started with them.
 */

#ifndef OMEGA_TEST_PROMISES_H
#define OMEGA_TEST_PROMISES_H

#include "harness.h"

#include <limits.h>

#include <omega/sandbox.h>

#include "load/sandbox.h"

/* A backend that promises these bits of PATH atoms and this other kind, and
 * does nothing for it. */
struct fake {
	uint32_t path;
	uint32_t kind;
	uint32_t flags; /* of the launch */
	bool is_prefix;
};

struct world {
	struct omega_sandbox *sandbox;
	struct omega_sandbox_policy *policy;
	char dir[PATH_MAX];
};

void promises_open(struct world *world, struct fake *fake, const char *lines);

void promises_close(struct world *world);

struct omega_sandbox_command *promises_command(
    struct world *world, struct omega_sandbox_error *error);

/* Did the program run? Forget it then. */
bool promises_has_run(const struct world *world);

/* Start it: the code, and what was said. */
int promises_start(struct world *world, struct omega_sandbox_error *error);

/* With this promised and not held, a start says so, and ends there. */
void promises_expect_hole(
    struct fake fake, const char *path, const char *words, const char *atom);

#endif
