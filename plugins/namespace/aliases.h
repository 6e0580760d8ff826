/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * aliases.h - other names of a place: other mounts that show it or a part of
 * it, and hard links.
 */

#ifndef NAMESPACE_ALIASES_H
#define NAMESPACE_ALIASES_H

#include "ops.h"

/*
 * For every operation that hides something or makes it read-only, add the
 * same for the other places it is mounted at. 0 or -errno.
 */
int aliases_add(struct ops *ops);

/* The same for sockets: all that was added from the first-th on. */
int aliases_add_sockets(struct ops *ops, size_t first);

/*
 * Look for hard links. 1: what is at path, or a file below it, has more names
 * than one, and found[size] says so; 0: none; -errno: could not be seen.
 */
int aliases_hard_links(const char *path, char *found, size_t size);

#endif
