/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * guard.h - rules that are made once and asked often.
 */

#ifndef OMEGA_PATH_GUARD_H
#define OMEGA_PATH_GUARD_H

#include <stdint.h>

#include "path/lists.h"
#include "path/rules.h"

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
