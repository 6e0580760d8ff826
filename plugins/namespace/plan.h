/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * plan.h - from atoms to mount operations.
 */

#ifndef NAMESPACE_PLAN_H
#define NAMESPACE_PLAN_H

#include "ops.h"
#include "setup.h"

/*
 * What must be mounted for the atoms to hold, in order. 0 or -errno; -ESTALE
 * when a place is no longer what the core has seen there.
 */
int plan_make(const struct setup *setup, struct ops *ops);

#endif
