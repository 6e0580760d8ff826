/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * mounts.h - the other names a place has because it is mounted elsewhere too.
 */

#ifndef OMEGA_PATH_MOUNTS_H
#define OMEGA_PATH_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>

#include "path/place.h"

/*
 * Called with one name of the place; true ends the search. NULL stands for a
 * name it may have: by the spelling of the mount table it does not, but that
 * need not be the only spelling.
 */
typedef bool omega_mounts_visit(void *arg, const char *name, size_t len);

/*
 * Visit every name the place has in this mount namespace. Returns 1 when a
 * visit ended it, 0 when all were visited, a negative errno when the mount
 * table could not tell.
 */
int omega_mounts_each_name(
    const struct omega_place *place, omega_mounts_visit *visit, void *arg);

/*
 * Does a mount below the place show another part of the place's own volume?
 * That part then has a name below the place, though it lies on the same mount
 * as the place itself. 1, 0, or a negative errno: the table could not tell.
 */
int omega_mounts_shows_own_below(const struct omega_place *place);

#endif
