/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * keeper.h - which guarantee of a report keeps commands from a path.
 */

#ifndef OMEGA_PLAN_KEEPER_H
#define OMEGA_PLAN_KEEPER_H

#include "path/judge.h"

/*
 * The guarantee behind a finding that blocks the access to a place, the best
 * held of those there are. place is canonical, "" if unknown. false: none.
 */
bool omega_keeper_find(const struct omega_sandbox_report *report,
    const struct omega_finding *finding, unsigned access, const char *place,
    struct omega_sandbox_guarantee *guarantee);

#endif
