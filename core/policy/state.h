/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * state.h - the directories in which a program keeps its state.
 */

#ifndef OMEGA_POLICY_STATE_H
#define OMEGA_POLICY_STATE_H

#include "policy/policy.h"

/* Make those that the policy tells and that are not there, and say so. */
void omega_state_make(const struct omega_sandbox_policy *policy);

#endif
