/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * guard.h - rules that are made once and asked often.
 */

#ifndef OMEGA_PATH_GUARD_H
#define OMEGA_PATH_GUARD_H

#include <stdint.h>

#include "path/rules.h"

struct omega_sandbox_guard {
	struct omega_rules rules;
	size_t capacity;
};

/* Where a failure came from, for the message. */
struct omega_guard_fault {
	const char *path; /* the path that cannot be held */
};

/* See omega_sandbox_guard_new. Negative errno; fault says which path. */
int omega_guard_make(const char *data_dir, const char *config_path,
    struct omega_sandbox_guard **guard, struct omega_guard_fault *fault);

/* See omega_sandbox_guard_block. */
int omega_guard_block(struct omega_sandbox_guard *guard, unsigned access,
    const char *path, const char *origin, uint32_t line);

void omega_guard_free(struct omega_sandbox_guard *guard);

#endif
