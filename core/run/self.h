/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * self.h - what a backend that starts commands through a program of its own
 * does instead when the calling process itself is to be confined: to go on as
 * it is, or to become the command.
 */

#ifndef OMEGA_RUN_SELF_H
#define OMEGA_RUN_SELF_H

#include <stddef.h>

#include <omega/sandbox-plugin.h>

struct omega_self {
	omega_sandbox_step *step; /* NULL: nobody does */
	void *state;
};

/* Keep a copy of state. 0, -EINVAL, -EEXIST when there is one, -ENOMEM. */
int omega_self_set(struct omega_self *self, omega_sandbox_step *step,
    const void *state, size_t state_size);

void omega_self_drop(struct omega_self *self);

#endif
