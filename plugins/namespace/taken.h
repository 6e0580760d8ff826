/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * taken.h - what is known of paths, as bits, however many there are. The
 * paths stay their owner's.
 */

#ifndef NAMESPACE_TAKEN_H
#define NAMESPACE_TAKEN_H

#include <stddef.h>
#include <stdint.h>

struct taken_slot {
	const char *path; /* NULL: free */
	uint32_t bits;
};

/* All zero: empty. */
struct taken {
	struct taken_slot *slots;
	size_t size; /* a power of 2, or 0 */
	size_t count;
};

/* Add bits to those of a path, which must stay as it is. 0 or -ENOMEM. */
int taken_add(struct taken *taken, const char *path, uint32_t bits);

/* The bits of the path that the first len bytes are; 0: it is not known. */
uint32_t taken_at(const struct taken *taken, const char *path, size_t len);

/* The length of the directory above the first len bytes; 0 above "/", and where
 * a path that is not absolute has none. */
size_t taken_above(const char *path, size_t len);

void taken_drop(struct taken *taken);

/* Texts one after the other, each with its end; an empty one at the end. */
struct texts {
	char *bytes; /* NULL: none */
	size_t size;
	size_t capacity;
};

/* 0 or -ENOMEM. */
int texts_add(struct texts *texts, const char *text);

#endif
