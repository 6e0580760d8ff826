/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * links.h - is a file with several names also known below a directory?
 */

#ifndef OMEGA_PATH_LINKS_H
#define OMEGA_PATH_LINKS_H

#include "path/kernel.h"

/* How much may be looked at before the answer is "cannot tell". */
#define OMEGA_LINKS_MAX_ENTRIES 65536u
#define OMEGA_LINKS_MAX_DEPTH 16u

/*
 * Look for the file below the directory tree. 1: found. 0: not there.
 * Negative errno: cannot tell; -E2BIG when *budget entries did not suffice.
 * *budget is lowered by what was looked at, so that several trees share it.
 */
int omega_links_find(
    const char *tree, const struct omega_object *file, unsigned *budget);

#endif
