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
	char *bytes; /* what was read and not given out */
	size_t start;
	size_t end;
	size_t size;
	bool is_over; /* the end was read */
};

/*
 * The next line, without its newline, valid until the next call. 1: there it
 * is. 0: the end; what stood behind the last newline is lost, and *len says
 * how much that was. -E2BIG: one that was too long has been passed over.
 * -errno.
 */
int line_next(struct line *line, const char **text, size_t *len);

#endif
