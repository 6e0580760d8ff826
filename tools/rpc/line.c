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
	if (line->wait != NULL && !line->wait(line->arg, line->fd))
		return -EPIPE;
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

/* What is there up to its end, and drop bytes more. */
static int
give(struct line *line, size_t len, size_t drop, bool is_long,
    const char **text, size_t *given)
{
	*text = line->bytes + line->start;
	*given = len;
	line->start += len + drop;
	if (!is_long && len <= LINE_MAX_BYTES)
		return 1;
	if (!is_long)
		memcpy(line->head, *text, sizeof(line->head));
	*text = line->head;
	*given = sizeof(line->head);
	return -E2BIG;
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

		if (newline != NULL)
			return give(line, (size_t)(newline - from), 1, is_long,
			    text, len);
		if (line->is_over && there == 0 && !is_long)
			return 0;
		if (line->is_over)
			return give(line, there, 0, is_long, text, len);
		looked = there;
		if (there > LINE_MAX_BYTES) {
			if (!is_long)
				memcpy(line->head, from, sizeof(line->head));
			is_long = true;
			line->start = line->end;
			looked = 0;
		}
		ret = fill(line);
		if (ret < 0)
			return ret;
	}
}
