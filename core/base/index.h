/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * index.h - where a text is in a list of any length, without looking through
 * it. The texts stay the list's.
 */

#ifndef OMEGA_BASE_INDEX_H
#define OMEGA_BASE_INDEX_H

#include <stddef.h>

struct omega_index_slot {
	const char *text; /* NULL: free */
	size_t at;
};

/* All zero: empty. */
struct omega_index {
	struct omega_index_slot *slots;
	size_t size; /* a power of 2, or 0 */
	size_t count;
};

#define OMEGA_INDEX_NONE ((size_t)-1)

/* The text is the at-th of the list. It must stay as it is. 0 or -ENOMEM. */
int omega_index_add(struct omega_index *index, const char *text, size_t at);

/* Where the text is, once for every time it was added: *turn is 0 for the
 * first and left alone then. OMEGA_INDEX_NONE: nowhere else. */
size_t omega_index_find(
    const struct omega_index *index, const char *text, size_t *turn);

void omega_index_drop(struct omega_index *index);

#endif
