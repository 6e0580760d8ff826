/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * fold.h - what else a volume may take for a name that is absent: most ignore
 * case, in all of Unicode, and how a character is composed.
 */

#ifndef OMEGA_SEATBELT_FOLD_H
#define OMEGA_SEATBELT_FOLD_H

#include <stddef.h>

/*
 * A regular expression for these names of path, which is UTF-8, and with
 * is_with_below for all below them; the first len bytes are any directories as
 * deep. It is ASCII throughout, and of path it has ASCII alone. To be freed;
 * NULL when out of memory.
 */
char *fold_make(const char *path, size_t len, int is_with_below);

#endif
