/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * env-rules.h - what a policy says about the environment of commands.
 */

#ifndef OMEGA_POLICY_ENV_RULES_H
#define OMEGA_POLICY_ENV_RULES_H

#include "launch/env.h"
#include "policy/policy.h"

/* What holds for commands under the policy; to be dropped in either case. 0 or
 * -ENOMEM. */
int omega_env_rules_make(
    const struct omega_sandbox_policy *policy, struct omega_env *env);

/*
 * One line about what becomes of the caller's own environment, with names and
 * never with values; NULL and 0 when it passes as it is. To be freed. 0 or
 * -ENOMEM.
 */
int omega_env_rules_describe(const struct omega_env *env, char **line);

struct omega_atoms;

/* A note for each variable that the host asks for and another forbids. 0 or
 * -ENOMEM. */
int omega_env_rules_vain(
    const struct omega_sandbox_policy *policy, struct omega_atoms *atoms);

#endif
