/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * line.h - lines from a descriptor, none of them longer than is bearable.
 */

#ifndef OMEGA_RPC_LINE_H
#define OMEGA_RPC_LINE_H

#include <stdbool.h>
#include <stddef.h>

#define LINE_MAX_BYTES (8u << 20)

struct line {
	int fd;
	bool (*wait)(void *arg, int fd); /* until it can be read; NULL: just
					    read. False: give up */
	void *arg;
	char *bytes; /* what was read and not given out */
	size_t start;
	size_t end;
	size_t size;
	bool is_over; /* the end was read */
	char head[256]; /* of one that was too long */
};

/*
 * The next line, without its newline, which the last one need not have; valid
 * until the next call. 1: there it is. 0: the end. -E2BIG: one that was too
 * long has been passed over, and *text is how it begins. -EPIPE: wait gave up.
 * -errno.
 */
int line_next(struct line *line, const char **text, size_t *len);

#endif
