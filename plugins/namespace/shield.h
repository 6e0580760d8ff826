/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * shield.h - a read-only directory in front of the data directory.
 */

#ifndef NAMESPACE_SHIELD_H
#define NAMESPACE_SHIELD_H

#include "mounts.h"

/* Put a shield before the directory dir is open on. 0 or -errno. */
int shield_make(struct mounts *mounts, int dir, const char *path);

/*
 * Show an entry of dir, with all below it, in the directory front is open on,
 * as name; if it is there. With keeps_nodes modes and owners of what is not
 * mounted by itself are kept. 0 or -errno.
 */
int shield_show(struct mounts *mounts, int dir, const char *entry, int front,
    const char *name, int keeps_nodes);

#endif
