/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * args.h - a list of words as bwrap reads it from a descriptor: each ends with
 * a zero byte. Also used for other lists of texts.
 */

#ifndef BWRAP_ARGS_H
#define BWRAP_ARGS_H

#include <stddef.h>

struct args {
	char *bytes;
	size_t size; /* in use */
	size_t room;
	size_t count; /* words */
	int error; /* -ENOMEM, and nothing is added any more; or 0 */
};

/* Add words, the last of which is followed by NULL. */
void args_add(struct args *args, ...) __attribute__((sentinel));

/* Add bytes, with no zero behind them. */
void args_bytes(struct args *args, const void *bytes, size_t size);

void args_drop(struct args *args);

#endif
