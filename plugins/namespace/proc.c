/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * proc.c - see proc.h.
 */

#include "proc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

char *
proc_read(const char *path)
{
	size_t capacity = 16384;
	size_t used = 0;
	char *text = NULL;
	ssize_t n = 1;
	int error = 0;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	while (n != 0) {
		char *grown = realloc(text, capacity + 1);

		if (grown == NULL) {
			error = ENOMEM;
			break;
		}
		text = grown;
		n = read(fd, text + used, capacity - used);
		if (n < 0 && errno != EINTR) {
			error = errno;
			break;
		}
		if (n > 0)
			used += (size_t)n;
		if (used == capacity)
			capacity *= 2;
	}
	close(fd);
	if (error != 0) {
		free(text);
		errno = error;
		return NULL;
	}
	text[used] = '\0';
	return text;
}

int
proc_shows_samples(void)
{
	char *text = proc_read("/proc/sys/kernel/perf_event_paranoid");
	int is_public;

	if (text == NULL)
		return errno != ENOENT; /* a kernel without */
	is_public = strtol(text, NULL, 10) <= 0;
	free(text);
	return is_public;
}
