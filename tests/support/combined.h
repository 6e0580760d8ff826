/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * combined.h - a policy of a text of sections, and what its layers come to, in
 * a scratch directory with the work directory job.
 */

#ifndef OMEGA_TEST_COMBINED_H
#define OMEGA_TEST_COMBINED_H

#include <stdbool.h>

#include <omega/sandbox.h>

#include "policy/combine.h"

struct combined_world {
	char dir[512];
	struct omega_sandbox *sandbox;
	struct omega_sandbox_policy *policy;
	struct omega_combined combined;
	struct omega_sandbox_error error;
};

/* A sandbox configured by this text, in which %D is the scratch directory. */
int combined_open(struct combined_world *world, const char *conf);

/* The policy of that name; to be combined. */
int combined_policy(struct combined_world *world, const char *name);

void combined_finish(struct combined_world *world);

/* The policy "p" of this text, combined. */
void combined_make(struct combined_world *world, const char *conf);

/* Is name, below the scratch directory, one of them? */
bool combined_has(const struct combined_world *world,
    const struct omega_combined_places *places, const char *name);

void combined_close(struct combined_world *world);

#endif
