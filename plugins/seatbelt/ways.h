/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * ways.h - the names a path has on macOS, the directories and the links on the
 * way to it, and what of it can stand in a profile. A path itself never does:
 * it is the value of a parameter, and the profile has the parameter's name.
 */

#ifndef OMEGA_SEATBELT_WAYS_H
#define OMEGA_SEATBELT_WAYS_H

#include "texts.h"

/* Why the path cannot be said in a profile; NULL: it can. */
const char *ways_refuse(const char *path);

/* The same of a path that somebody wrote, whatever its form. */
const char *ways_refuse_bytes(const char *path);

/* Add the path as it is, and as it is called with or without /private. */
void ways_add_names(struct texts *texts, const char *path);

/* The directories above it but for the root, topmost first. */
void ways_add_above(struct texts *texts, const char *path);

/* Is path at or below base? */
int ways_is_below(const char *path, const char *base);

/*
 * Add the links that are met on the way to path, and on the way to where they
 * lead, each by the name the kernel has for it. 0 or a negative errno.
 */
int ways_add_links(struct texts *links, const char *path);

/* Paths and where they lead now, in one piece of memory. To be freed; NULL when
 * out of memory. */
void *ways_pack(const struct texts *paths, size_t *size);

/* A check: do they still lead there? A profile goes by names, so what is there
 * may change. 0 while all do, 1 when one does not. */
int ways_check(const void *packed);

#endif
