/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * pids.h - what a backend has said about pid namespaces, in a launch.
 */

#ifndef OMEGA_RUN_PIDS_H
#define OMEGA_RUN_PIDS_H

#include "run/launch.h"

/* As set_pid_namespace of a plugin's launch. 0 or a negative errno. */
int omega_pids_set(struct omega_launch_pids *pids, const char *backend,
    omega_sandbox_step *outside, omega_sandbox_step *inside, const void *state,
    size_t state_size);

/* When the steps of the launch are in order: those of the first process, and
 * behind them those of the command. 0 or -ENOMEM. */
int omega_pids_finish(
    struct omega_launch_pids *pids, const struct omega_launch *launch);

void omega_pids_drop(struct omega_launch_pids *pids);

#endif
