/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * layers.h - which layers a policy is made of.
 */

#ifndef OMEGA_POLICY_LAYERS_H
#define OMEGA_POLICY_LAYERS_H

#include "policy/policy.h"

/*
 * Give a new policy the floors of the configuration and the rules of its own
 * name. Returns 0, or OMEGA_SANDBOX_E_INVALID_POLICY, _E_CONFIG, _E_MEMORY.
 */
int omega_layers_take(
    struct omega_sandbox_policy *policy, struct omega_sandbox_error *error);

/* One more: the section of this type and name. Returns as above. */
int omega_layers_add(struct omega_sandbox_policy *policy,
    enum omega_scan_type type, const char *name,
    struct omega_sandbox_error *error);

/* 0 or -ENOMEM; to has none before. */
int omega_layers_copy(
    struct omega_sandbox_policy *to, const struct omega_sandbox_policy *from);

void omega_layers_drop(struct omega_sandbox_policy *policy);

#endif
