/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * ruleset.h - from assigned atoms to one ruleset and one child step.
 */

#ifndef OMEGA_LANDLOCK_RULESET_H
#define OMEGA_LANDLOCK_RULESET_H

#include <omega/sandbox-plugin.h>

/*
 * Make the ruleset that holds these atoms on a kernel of this ABI, and add
 * the step that takes it on. 0 or a negative errno.
 */
int ruleset_build(int abi, int is_complement,
    const struct omega_sandbox_request *request,
    const struct omega_sandbox_atom *const *atoms, size_t count,
    struct omega_sandbox_launch *launch);

#endif
