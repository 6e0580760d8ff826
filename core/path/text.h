/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * text.h - paths as text: cleaning, taking apart, comparing.
 *
 * Pure functions; nothing here asks the system anything.
 */

#ifndef OMEGA_PATH_TEXT_H
#define OMEGA_PATH_TEXT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* The last component of the first end bytes of a path. */
struct omega_text_leaf {
	size_t start; /* where its name begins */
	size_t end; /* one past its name; trailing slashes are behind it */
	size_t parent; /* the path before it, trailing slashes left out */
};

/*
 * 0 if the path can be judged at all: absolute, shorter than PATH_MAX, no
 * component longer than NAME_MAX. Otherwise -EINVAL or -ENAMETOOLONG.
 */
int omega_text_check(const char *path);

/*
 * Remove empty components and ".", and let ".." take its predecessor with it,
 * by text alone. out has PATH_MAX bytes; the path has passed the check.
 * Returns the length written: at least 1, without trailing slash but for "/".
 */
size_t omega_text_clean(const char *path, char *out);

/*
 * Find the last component of the first end bytes. false when there is none
 * (only slashes).
 */
bool omega_text_last(
    const char *path, size_t end, struct omega_text_leaf *leaf);

/* Is the component of len bytes "." or ".."? */
bool omega_text_is_dot(const char *name, size_t len);
bool omega_text_is_dotdot(const char *name, size_t len);

/* Is path at or below base, by components? Both are clean. */
bool omega_text_is_below(
    const char *path, size_t len, const char *base, size_t base_len);

/* The same, with ASCII letters of either case taken as equal. */
bool omega_text_is_below_folded(
    const char *path, size_t len, const char *base, size_t base_len);

/*
 * Could a volume take one of the names for something else than it says? True
 * for bytes outside ASCII (their case folds in ways that are not ours to
 * know), for "~" (short aliases), ":" (streams) and a trailing dot or blank.
 */
bool omega_text_is_odd(const char *path);

/*
 * Write a and b into out (PATH_MAX bytes) with one slash between them. Empty
 * parts are left out. Returns the length, or -ENAMETOOLONG.
 */
long omega_text_join(
    char *out, const char *a, size_t a_len, const char *b, size_t b_len);

#endif
