/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * spawn.h - starting a command under a launch, and becoming it.
 */

#ifndef OMEGA_RUN_SPAWN_H
#define OMEGA_RUN_SPAWN_H

#include <sys/types.h>
#include <limits.h>

#include <omega/sandbox.h>

#include "child/clone.h"
#include "launch/command.h"
#include "launch/launch.h"
#include "run/setup.h"

/* A started child: ours to close and to collect. */
struct omega_spawned {
	pid_t pid;
	int pidfd;
	int stdio[3]; /* our ends of pipes, or -1 */
	int group_fd; /* where its control group is, ours to close; or -1 */
	/* The working directory, when it cannot be entered inside and the
	 * program was started in "/"; else "". */
	char left[PATH_MAX];
};

/*
 * Start it. 0, or a code with error filled and nothing started:
 * OMEGA_SANDBOX_E_STEP, _E_NOT_FOUND, _E_NOT_EXECUTABLE, _E_REFUSED,
 * _E_SYSTEM, _E_MEMORY. Any number of threads may use one launch. All signals
 * are unblocked and at their defaults in the program.
 */
int omega_spawn(const struct omega_launch *launch,
    const struct omega_command *command, struct omega_spawned *spawned,
    struct omega_sandbox_error *error);

/*
 * One child of what was set up, and what it had to say. Not yet what the
 * caller sees: a child that was not started is still to be collected. Nothing
 * but system calls, so that a copy of a process with threads may use it.
 */
struct omega_clone omega_spawn_try(
    struct omega_setup *setup, struct omega_inner_fault *said);

/*
 * Become it. Returns only on failure: as above, or OMEGA_SANDBOX_E_STATE with
 * nothing done (threads, pipes). After OMEGA_SANDBOX_E_REFUSED and _E_MEMORY
 * nothing was done either; after the others the process should exit.
 */
int omega_spawn_exec(const struct omega_launch *launch,
    const struct omega_command *command, struct omega_sandbox_error *error);

/*
 * Run the steps in this process, and look the working directory up again.
 * OMEGA_SANDBOX_E_STATE with nothing done: threads, or a prefix. Descriptors
 * and signals stay as they are.
 */
int omega_spawn_confine(
    const struct omega_launch *launch, struct omega_sandbox_error *error);

#endif
