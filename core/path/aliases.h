/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * aliases.h - the other names a place has: by mounts, by hard links, and by
 * spellings that only its volume equates.
 */

#ifndef OMEGA_PATH_ALIASES_H
#define OMEGA_PATH_ALIASES_H

#include "path/place.h"
#include "path/rules.h"

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

/* How much may be looked at before the answer is "cannot tell". */
#define OMEGA_LINKS_MAX_ENTRIES 65536u
#define OMEGA_LINKS_MAX_DEPTH 16u

/*
 * Look for a file with several names below the directory tree. 1: found. 0:
 * not there. Negative errno: cannot tell; -E2BIG when *budget entries did not
 * suffice. *budget is lowered by what was looked at, so that several trees
 * share it. skips_closed: directories of others that the caller cannot get into
 * are left out; else nobody can tell what is in them.
 */
int omega_links_find(const char *tree, const struct omega_object *file,
    bool skips_closed, unsigned *budget);

/*
 * Is the place at or below a rule by identity, whatever its spelling: other
 * case, short names, composed and decomposed letters? 1: *found is set. 0: no.
 * Negative errno: cannot tell. With only_odd, just the rules whose own text
 * is odd are asked: the caller knows that the place is not.
 */
int omega_folds_find(const struct omega_rules *rules, unsigned access,
    const struct omega_place *place, bool only_odd,
    const struct omega_rule **found);

#endif
