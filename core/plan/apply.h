/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * apply.h - having one backend carry out its share of a plan.
 */

#ifndef OMEGA_PLAN_APPLY_H
#define OMEGA_PLAN_APPLY_H

#include "plan/plan.h"
#include "run/launch.h"

/*
 * Let the backend at this place of the stack build its part of the launch, and
 * see that it confirms all that it promised. *is_stale: the world changed
 * between planning and doing.
 */
int omega_apply_backend(const struct omega_plan *plan, size_t backend,
    struct omega_launch *launch, bool *is_stale,
    struct omega_sandbox_error *error);

#endif
