/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * limits.h - the limits of a policy, held by the core itself: by a control
 * group of the command's own where one can be had, else by resource limits,
 * which the child sets as the last thing before exec.
 */

#ifndef OMEGA_RUN_LIMITS_H
#define OMEGA_RUN_LIMITS_H

#include "policy/atoms.h"
#include "run/launch.h"
#include "run/supervisor.h"

/* Is the limit of this atom held completely? *by is what stands in a report
 * as the backend, *why what is not held, "" if nothing; both are static. */
bool omega_limits_is_held(
    const struct omega_atom *atom, const char **by, const char **why);

struct omega_limits_state {
	size_t count;
	struct {
		int resource;
		uint64_t most;
	} list[OMEGA_ORDERS_LIMITS];
};

/* A child step. */
int omega_limits_step(const void *state);

/* Have the child set the limits among the atoms. 0 or -errno. */
int omega_limits_add(
    struct omega_launch *launch, const struct omega_atoms *atoms);

#endif
