/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * tries.h - what the witness is to try for a plan: a harmless attempt at
 * every access that the plan says is held, and a few that must go on working.
 * How they are made is in run/witness.h.
 */

#ifndef OMEGA_PLAN_TRIES_H
#define OMEGA_PLAN_TRIES_H

#include "plan/plan.h"
#include "run/witness.h"

/*
 * Make them, looking at the host as it is now. *witness is the caller's, for
 * omega_witness_free. 0 or OMEGA_SANDBOX_E_MEMORY.
 */
int omega_tries_make(const struct omega_plan *plan,
    struct omega_witness **witness, struct omega_sandbox_error *error);

#endif
