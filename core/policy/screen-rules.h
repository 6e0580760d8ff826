/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * screen-rules.h - what a policy has a start look at: see launch/screen.h.
 */

#ifndef OMEGA_POLICY_SCREEN_RULES_H
#define OMEGA_POLICY_SCREEN_RULES_H

#include "launch/screen.h"
#include "policy/policy.h"

/* Make it; the caller's on success. 0, or OMEGA_SANDBOX_E_INVALID_POLICY (a
 * path cannot be resolved), _E_SYSTEM, _E_MEMORY. */
int omega_screen_rules_make(const struct omega_sandbox_policy *policy,
    struct omega_screen **screen, struct omega_sandbox_error *error);

#endif
