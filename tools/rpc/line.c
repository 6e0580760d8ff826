/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * line.c - see line.h.
 */

#include "config.h"

#include "rpc/line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Read more behind what is there. 0, or -errno; the end sets is_over. */
static int
fill(struct line *line)
{
	ssize_t n;

	if (line->start > 0) {
		memmove(line->bytes, line->bytes + line->start,
		    line->end - line->start);
		line->end -= line->start;
		line->start = 0;
	}
	if (line->end == line->size) {
		size_t size = line->size == 0 ? 65536 : line->size * 2;
		char *bytes = realloc(line->bytes, size);

		if (bytes == NULL)
			return -ENOMEM;
		line->bytes = bytes;
		line->size = size;
	}
	do
		n = read(
		    line->fd, line->bytes + line->end, line->size - line->end);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	line->end += (size_t)n;
	line->is_over = n == 0;
	return 0;
}

int
line_next(struct line *line, const char **text, size_t *len)
{
	bool is_long = false;
	size_t looked = 0;
	int ret;

	for (;;) {
		char *from = line->bytes + line->start;
		size_t there = line->end - line->start;
		char *newline = there == looked ? NULL
						: memchr(from + looked, '\n',
						      there - looked);

		if (newline != NULL) {
			*text = from;
			*len = (size_t)(newline - from);
			line->start += *len + 1;
			return is_long || *len > LINE_MAX_BYTES ? -E2BIG : 1;
		}
		if (line->is_over) {
			*len = there;
			return 0;
		}
		looked = there;
		if (there > LINE_MAX_BYTES) {
			is_long = true;
			line->start = line->end;
			looked = 0;
		}
		ret = fill(line);
		if (ret < 0)
			return ret;
	}
}
