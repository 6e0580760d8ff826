/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * limits.h - the limits of a policy, held by the core itself: by a control
 * group of the command's own where one can be had, else by resource limits,
 * which the child sets as the last thing before exec.
 */

#ifndef OMEGA_LAUNCH_LIMITS_H
#define OMEGA_LAUNCH_LIMITS_H

#include "launch/launch.h"

/* As many go into the orders of a supervisor. */
#define OMEGA_LIMITS_MAX 5

enum omega_limit {
	OMEGA_LIMIT_MEMORY,
	OMEGA_LIMIT_OPEN_FILES,
	OMEGA_LIMIT_PROCESSES,
	OMEGA_LIMIT_CPU_SECONDS,
	OMEGA_LIMIT_FILE_SIZE,
	OMEGA_LIMIT_COUNT
};

struct omega_limits {
	bool is_set[OMEGA_LIMIT_COUNT];
	uint64_t most[OMEGA_LIMIT_COUNT];
};

/* Would this one be held completely? *by is what stands in a report as the
 * backend, *why what is not held, "" if nothing; both are static. */
bool omega_limits_is_held(
    enum omega_limit limit, const char **by, const char **why);

struct omega_limits_state {
	size_t count;
	struct {
		int resource;
		uint64_t most;
	} list[OMEGA_LIMITS_MAX];
};

/* A child step. */
int omega_limits_step(const void *state);

/* Have the child set those that are set. 0 or -errno. */
int omega_limits_add(
    struct omega_launch *launch, const struct omega_limits *limits);

#endif
