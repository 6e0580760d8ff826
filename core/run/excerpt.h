/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * excerpt.h - what is kept of a stream that may be longer than we want to hold:
 * its beginning and its end.
 *
 * One buffer, never larger than the bound. Its first half is filled once, the
 * second one over and over.
 */

#ifndef OMEGA_RUN_EXCERPT_H
#define OMEGA_RUN_EXCERPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct omega_excerpt {
	uint8_t *bytes; /* after omega_excerpt_finish: len of them and a 0 */
	size_t len;
	size_t size; /* of the buffer, without the 0 */
	size_t most; /* the bound, at least 1 */
	uint64_t seen;
	bool is_truncated; /* after omega_excerpt_finish */
};

/* Nothing is allocated yet. */
void omega_excerpt_init(struct omega_excerpt *kept, size_t most);

/* 0 or -ENOMEM; then it is as before. */
int omega_excerpt_add(
    struct omega_excerpt *kept, const uint8_t *bytes, size_t len);

/*
 * Put it in order, once, within this bound if it is the smaller one; 0 keeps
 * nothing. What was cut is cut between UTF-8 characters, and a line between
 * the halves says how many bytes are left out; a bound that is too small for
 * such a line goes without. 0 or -ENOMEM.
 */
int omega_excerpt_finish(struct omega_excerpt *kept, size_t most);

void omega_excerpt_drop(struct omega_excerpt *kept);

#endif
