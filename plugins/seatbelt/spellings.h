/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * spellings.h - the names a path has on macOS, the directories above it, and
 * what of it can stand in a profile. A path itself never does: it is the
 * value of a parameter, and the profile has the parameter's name.
 */

#ifndef OMEGA_SEATBELT_SPELLINGS_H
#define OMEGA_SEATBELT_SPELLINGS_H

#include <stddef.h>

#include "texts.h"

/* Why the path cannot be said in a profile; NULL: it can. */
const char *spellings_refuse(const char *path);

/* The same of a path that somebody wrote, whatever its form. */
const char *spellings_refuse_bytes(const char *path);

/* Add the path as it is, and as it is called with or without /private. */
void spellings_add(struct texts *texts, const char *path);

/* The directories above it but for the root, topmost first. */
void spellings_add_ways(struct texts *texts, const char *path);

/* Is path at or below base? */
int spellings_is_below(const char *path, const char *base);

#endif
