/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * self.h - what a backend that starts commands through a program of its own
 * does instead when there is no command: it confines the calling process.
 */

#ifndef OMEGA_RUN_SELF_H
#define OMEGA_RUN_SELF_H

#include <stddef.h>

#include <omega/sandbox-plugin.h>
#include <omega/sandbox.h>

struct omega_self {
	omega_sandbox_step *step; /* NULL: nobody does */
	void *state;
};

/* Keep a copy of state. 0, -EINVAL, -EEXIST when there is one, -ENOMEM. */
int omega_self_set(struct omega_self *self, omega_sandbox_step *step,
    const void *state, size_t state_size);

/* Do it. 0 or OMEGA_SANDBOX_E_STEP. */
int omega_self_run(const struct omega_self *self, const char *backend,
    struct omega_sandbox_error *error);

void omega_self_drop(struct omega_self *self);

#endif
