/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * refusal.h - why a program could not be executed, when it was the policy.
 */

#ifndef OMEGA_PLAN_REFUSAL_H
#define OMEGA_PLAN_REFUSAL_H

#include <omega/sandbox.h>

/*
 * The program, which is there outside, was not executed inside; code and error
 * say how that looked. If the policy keeps it, or an interpreter it needs,
 * from being run: say which rule of which file. Returns the code to go on
 * with.
 */
int omega_refusal_tell(struct omega_sandbox_policy *policy, const char *program,
    int code, struct omega_sandbox_error *error);

#endif
