/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * git-denies.h - the git metadata of a work directory among what is denied.
 */

#ifndef OMEGA_POLICY_GIT_DENIES_H
#define OMEGA_POLICY_GIT_DENIES_H

#include "policy/combine.h"

/* Deny this access: to all of it, or to what git obeys. 0, or
 * OMEGA_SANDBOX_E_INVALID_POLICY or _E_MEMORY. */
int omega_git_denies_add(const struct omega_sandbox_policy *policy,
    uint32_t access, bool is_whole, struct omega_combined *combined,
    struct omega_sandbox_error *error);

/*
 * Make what is denied so and absent, empty, with the directories it is in, so
 * that git goes on as before and no command can: it stays. No link is followed
 * on the way. What cannot be made is told as absent.
 */
void omega_git_denies_make(const struct omega_combined *combined);

#endif
