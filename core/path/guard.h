/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * guard.h - rules that are made once and asked often, and the lists of places a
 * policy leaves open: a path that is on none of them is blocked, whatever the
 * other rules say.
 */

#ifndef OMEGA_PATH_GUARD_H
#define OMEGA_PATH_GUARD_H

#include <stdint.h>

#include "path/rules.h"

#define OMEGA_LISTS_COUNT 3

/* One list. Its places are canonical; what is at or below one is open. */
struct omega_list {
	bool is_limited; /* else everything is open */
	struct omega_rule rule; /* to be named when a path is not on it */
	struct omega_rule *places;
	size_t count;
};

/* Reading, writing, running. */
struct omega_lists {
	struct omega_list list[OMEGA_LISTS_COUNT];
};

/*
 * Let nothing be open for this access (one bit) but the places added later.
 * shown and origin are copied. 0 or -ENOMEM.
 */
int omega_lists_limit(struct omega_lists *lists, unsigned access,
    const char *shown, const char *origin, uint32_t line);

/* Open a canonical place for an access that is limited. 0 or -ENOMEM. */
int omega_lists_open(
    struct omega_lists *lists, unsigned access, const char *text);

/* The rule of a list that lacks the canonical path, for any of the accesses;
 * NULL: all have it. */
const struct omega_rule *omega_lists_find(const struct omega_lists *lists,
    unsigned access, const char *path, size_t len);

void omega_lists_free(struct omega_lists *lists);

struct omega_sandbox_guard {
	struct omega_rules rules;
	size_t capacity;
	struct omega_lists *lists; /* what rules.lists points to */
};

/* Where a failure came from, for the message. */
struct omega_guard_fault {
	const char *path; /* the path that cannot be held */
};

/* See omega_sandbox_guard_new. Negative errno; fault says which path. */
int omega_guard_make(const char *data_dir, const char *config_path,
    struct omega_sandbox_guard **guard, struct omega_guard_fault *fault);

/* A guard of the system directories alone, to be added to. 0 or -errno. */
int omega_guard_make_system(struct omega_sandbox_guard **guard);

/* To be called when every rule was added: what is asked next is faster. */
void omega_guard_settle(struct omega_sandbox_guard *guard);

/* The lists of a guard, made when there are none. NULL: out of memory. */
struct omega_lists *omega_guard_lists(struct omega_sandbox_guard *guard);

/* See omega_sandbox_guard_block. */
int omega_guard_block(struct omega_sandbox_guard *guard, unsigned access,
    const char *path, const char *origin, uint32_t line);

/* The same by its name alone, wherever that leads; what is no path is left
 * out. 0 or -ENOMEM. */
int omega_guard_block_name(struct omega_sandbox_guard *guard, unsigned access,
    const char *path, const char *origin, uint32_t line);

void omega_guard_free(struct omega_sandbox_guard *guard);

#endif
