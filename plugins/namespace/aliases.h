/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * aliases.h - other names of a place: other mounts that show it or a part of
 * it. Links are in links.h.
 */

#ifndef NAMESPACE_ALIASES_H
#define NAMESPACE_ALIASES_H

#include "ops.h"
#include "table.h"

/* Room for a gap that is told. */
#define ALIASES_GAP 240

/*
 * For every operation that hides something or makes it read-only, add the
 * same for the other places that show it: other mounts, overlays and their
 * layers. 0 or -errno.
 */
int aliases_add(struct ops *ops);

/*
 * Look what that leaves open. 1: something, and gap[size] says what; 0:
 * nothing; -errno: could not be seen.
 */
int aliases_look(
    const struct table *table, const char *path, char *gap, size_t size);

/* The same for sockets: all that was added from the first-th on. */
int aliases_add_sockets(struct ops *ops, size_t first);

#endif
