/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * child.h - the public child object: how a started command goes on and ends.
 */

#ifndef OMEGA_RUN_CHILD_H
#define OMEGA_RUN_CHILD_H

#include <omega/sandbox.h>

#include "run/spawn.h"

/* Takes over what spawned holds. NULL when out of memory: still yours. */
struct omega_sandbox_child *omega_child_new(
    const struct omega_spawned *spawned, bool is_protected);

pid_t omega_child_pid(const struct omega_sandbox_child *child);
int omega_child_fd(const struct omega_sandbox_child *child);
int omega_child_stdio(const struct omega_sandbox_child *child, int which);
int omega_child_take_stdio(struct omega_sandbox_child *child, int which);
int omega_child_wait(struct omega_sandbox_child *child, int timeout_ms,
    struct omega_sandbox_exit *end, struct omega_sandbox_error *error);
int omega_child_signal(struct omega_sandbox_child *child, int signal);
void omega_child_free(struct omega_sandbox_child *child);

#endif
