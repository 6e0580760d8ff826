/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * verdict.h - may a command start under this plan? Fail-closed lives here.
 */

#ifndef OMEGA_PLAN_VERDICT_H
#define OMEGA_PLAN_VERDICT_H

#include "plan/plan.h"

/*
 * Fill verdict, refusal and is_waived of a plan whose items are assigned:
 *
 *   - a disabled sandbox, or root where root is not allowed: refused;
 *   - a backend that was named and cannot be used: refused;
 *   - a required atom that is not enforced: refused;
 *   - a hardening atom that is not enforced and whose kind is not accepted:
 *     refused;
 *
 * the last three unless fail_closed is off or noop was named: then is_waived
 * is set and a warning is due.
 */
void omega_verdict_give(struct omega_plan *plan);

/* The warning that is due for a waived plan, one line into text. */
void omega_verdict_warning(
    const struct omega_plan *plan, char *text, size_t size);

#endif
