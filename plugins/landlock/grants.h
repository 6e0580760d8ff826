/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * grants.h - a deny told as grants.
 *
 * Landlock can only allow. So "not below these places" becomes: allow every
 * entry of every directory above them that is not on the way to one.
 */

#ifndef OMEGA_LANDLOCK_GRANTS_H
#define OMEGA_LANDLOCK_GRANTS_H

#include <stddef.h>
#include <stdint.h>

/* Called for each place to be allowed; 0 or a negative errno. */
typedef int grants_allow(void *arg, int fd, int is_directory);

/* Called for each directory whose entries were enumerated. */
typedef int grants_enumerated(void *arg, const char *dir);

/*
 * Allow what is at and below root but the denied places; all are canonical
 * paths. Symbolic links are passed over: what they lead to is met under its
 * own name. Where nothing below root is denied, root itself is allowed and
 * nothing is enumerated.
 */
int grants_all_but(const char *root, const char *const *denied, size_t count,
    grants_allow *allow, grants_enumerated *enumerated, void *arg);

/* Is path at base or below it? Both are canonical. */
int grants_is_below(const char *path, const char *base);

/* Is every directory above path one where nobody creates things? Then the
 * price of enumerating it (nothing new can be made there) is none. */
int grants_is_free(const char *path);

#endif
