/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * lists.h - a policy that says what may be changed, and nothing else: the
 * whole tree is read-only, and each grant is mounted onto itself writable.
 * Lists of what may be read or run are not a matter of mounts.
 */

#ifndef NAMESPACE_LISTS_H
#define NAMESPACE_LISTS_H

#include "ops.h"
#include "setup.h"

/* What a grant lets be done to it. */
#define LISTS_CHANGES                                           \
	(OMEGA_SANDBOX_ATOM_WRITE | OMEGA_SANDBOX_ATOM_CREATE | \
	    OMEGA_SANDBOX_ATOM_REMOVE | OMEGA_SANDBOX_ATOM_RENAME)

/* Is there such a list? Not if it grants everything. A setup keeps it. */
int lists_limit(const struct setup *setup);

/* Can path, as far as a list goes, be changed or made? */
int lists_allow(const struct setup *setup, const char *path);

/* Is this a grant that lets something be changed? */
int lists_is_open(const struct omega_sandbox_grant *grant);

/* Add the grants. 0 or -errno; -ESTALE when one is another than it was. */
int lists_add(const struct setup *setup, struct ops *ops);

#endif
