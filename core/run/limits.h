/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * limits.h - the limits of a policy, held by the core itself: resource limits
 * that the child sets as the last thing before exec.
 */

#ifndef OMEGA_RUN_LIMITS_H
#define OMEGA_RUN_LIMITS_H

#include "policy/atoms.h"
#include "run/launch.h"

/* What stands in a report as the backend. */
#define OMEGA_LIMITS_BACKEND "core"

/* Is the limit of this atom held completely? *why is static, "" if so. */
bool omega_limits_is_held(const struct omega_atom *atom, const char **why);

/* Have the child set the limits among the atoms. 0 or -errno. */
int omega_limits_add(
    struct omega_launch *launch, const struct omega_atoms *atoms);

#endif
