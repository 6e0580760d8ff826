/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * report.h - a plan as people and programs read it. The one form in which
 * anything in the product claims that something is protected.
 */

#ifndef OMEGA_PLAN_REPORT_H
#define OMEGA_PLAN_REPORT_H

#include "plan/plan.h"

/* A report of its own texts, one reference. NULL when out of memory. */
struct omega_sandbox_report *omega_report_new(const struct omega_plan *plan);

/* The bits of the atom behind a line, see enum omega_sandbox_atom_access. */
uint32_t omega_report_access(
    const struct omega_sandbox_report *report, size_t index);

#endif
