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

#endif
