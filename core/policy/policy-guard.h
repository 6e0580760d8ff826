/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * policy-guard.h - a policy as a guard: what commands are kept from, asked
 * about by path in the host itself.
 */

#ifndef OMEGA_POLICY_POLICY_GUARD_H
#define OMEGA_POLICY_POLICY_GUARD_H

#include "path/guard.h"
#include "policy/policy.h"

/* See omega_sandbox_guard_new_for_policy. The error is filled. */
int omega_policy_guard_make(struct omega_sandbox_policy *policy,
    struct omega_sandbox_guard **guard, struct omega_sandbox_error *error);

#endif
