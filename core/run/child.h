/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * child.h - the public child object: how a started command goes on and ends.
 *
 * Made before the command is started, so that nothing can fail afterwards.
 */

#ifndef OMEGA_RUN_CHILD_H
#define OMEGA_RUN_CHILD_H

#include <omega/sandbox.h>

#include "run/spawn.h"

/* A child object without a child; NULL when out of memory. */
struct omega_sandbox_child *omega_child_new(void);

/* Takes over what spawned holds. Once only. */
void omega_child_adopt(struct omega_sandbox_child *child,
    const struct omega_spawned *spawned, bool is_protected);

/* Have fn called once, when the end is learnt; with NULL when the object is
 * given up before. */
typedef void omega_child_ended(
    void *arg, const struct omega_sandbox_outcome *end);
void omega_child_on_end(
    struct omega_sandbox_child *child, omega_child_ended *fn, void *arg);

/* As the public functions of the same names; collect is a wait of 0 ms.
 * child is not NULL. error and end may be. */
pid_t omega_child_pid(const struct omega_sandbox_child *child);
int omega_child_fd(const struct omega_sandbox_child *child);
int omega_child_take_stdio(struct omega_sandbox_child *child, int which);
int omega_child_wait(struct omega_sandbox_child *child, int timeout_ms,
    struct omega_sandbox_outcome *end, struct omega_sandbox_error *error);
/* After OMEGA_SANDBOX_E_SYSTEM errno says why. */
int omega_child_signal(struct omega_sandbox_child *child, int signal);
/* NULL is fine. */
void omega_child_free(struct omega_sandbox_child *child);

#endif
