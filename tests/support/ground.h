/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * ground.h - a tree, a policy about it, and the same question put to the
 * planner and to the path checks. Everything reports by return value: it runs
 * in children, where cmocka's assertions cannot be used.
 */

#ifndef OMEGA_TEST_GROUND_H
#define OMEGA_TEST_GROUND_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include <omega/sandbox.h>

#include "meaning.h"
#include "policy/atoms.h"

#define GROUND_MAX_PATHS 40

struct ground {
	char base[PATH_MAX];
	char tree[PATH_MAX];
	struct omega_sandbox *sandbox;
	struct omega_sandbox_policy *policy;
	struct omega_sandbox_guard *guard;
	struct omega_atoms atoms;
	/* Of a random tree: whom to ask about. */
	uint64_t random;
	char *paths[GROUND_MAX_PATHS];
	size_t path_count;
};

/* The tree of table/agreement.h, at base/t. */
bool ground_make(struct ground *ground, const char *base);

/*
 * A random tree at base/t, and the text of a random policy "p" about it with
 * %T in it. The same seed gives the same.
 */
bool ground_grow(struct ground *ground, const char *base, uint64_t seed,
    char *conf, size_t size);

/* Take away the tree. */
void ground_clear(struct ground *ground);

/*
 * Open the policy "p" of the text, with a rule of the host unless it is NULL,
 * and have it taken apart and made a guard of. What goes wrong is said.
 */
bool ground_open(struct ground *ground, const char *conf, const char *rule,
    const char *value);
void ground_close(struct ground *ground);

/* text with the tree for %T, of PATH_MAX bytes. */
void ground_fill(const struct ground *ground, const char *text, char *path);

/* OMEGA_SANDBOX_READ and so on for r, w and x. */
unsigned ground_access(char letter);

/* What the planner's atoms mean. false: where path leads cannot be decided. */
bool ground_means(const struct ground *ground, unsigned access,
    const char *path, enum meaning *meaning);

/* Do the path checks allow it? */
bool ground_allows(const struct ground *ground, unsigned access,
    const char *path, struct omega_sandbox_verdict *verdict);

#endif
