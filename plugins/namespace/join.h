/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * join.h - what the child does to enter the namespaces, and what the parent
 * looks at before every start.
 */

#ifndef NAMESPACE_JOIN_H
#define NAMESPACE_JOIN_H

#include "build.h"
#include "setup.h"

/*
 * Have what is protected looked at before every start. To be called before
 * anything is built, so that nothing changes unseen. 0 or -errno.
 */
int join_watch(const struct setup *setup, struct omega_sandbox_launch *launch);

/* Have the child enter what was built. 0 or -errno. */
int join_add(const struct setup *setup, const struct build *build,
    struct omega_sandbox_launch *launch);

/* Have every child look last thing whether what must not be seen is still
 * covered by the operations. 0 or -errno. */
int join_witness(const struct setup *setup, const struct ops *ops,
    struct omega_sandbox_launch *launch);

#endif
