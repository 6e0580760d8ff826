/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * closed-dirs.h - where a path leads through directories of ours that are
 * closed to us. Their owner can open them again, so what a link in there leads
 * to has to be known.
 */

#ifndef OMEGA_POLICY_CLOSED_DIRS_H
#define OMEGA_POLICY_CLOSED_DIRS_H

#include <limits.h>

/* The name of what is at the end of path, into found[PATH_MAX]. 0 or -errno. */
int omega_closed_dirs_find(const char *path, char *found);

#endif
