/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * interp.c - see ruleset.h. Only programs of this machine's own kind are
 * looked into.
 */

#include "ruleset.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAX_HEADERS 64
#define MAX_TRIES 250 /* five seconds */

static int
find_in(int fd, char path[PATH_MAX])
{
	ElfW(Phdr) headers[MAX_HEADERS];
	ElfW(Ehdr) head;
	ssize_t size;
	size_t i;

	if (pread(fd, &head, sizeof(head), 0) != (ssize_t)sizeof(head) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
	    head.e_phentsize != sizeof(headers[0]) ||
	    head.e_phnum > MAX_HEADERS)
		return 0;
	size = (ssize_t)(head.e_phnum * sizeof(headers[0]));
	if (pread(fd, headers, (size_t)size, (off_t)head.e_phoff) != size)
		return 0;
	for (i = 0; i < head.e_phnum; i++) {
		size_t len = (size_t)headers[i].p_filesz;

		if (headers[i].p_type != PT_INTERP)
			continue;
		return len > 1 && len <= PATH_MAX &&
		       pread(fd, path, len, (off_t)headers[i].p_offset) ==
			   (ssize_t)len &&
		       path[len - 1] == '\0' && path[0] == '/';
	}
	return 0;
}

int
interp_find(const char *file, char path[PATH_MAX])
{
	const struct timespec moment = {.tv_nsec = 20000000};
	int tries = 0;
	int found;
	int fd;

	while ((fd = open(file, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)) <
	       0) {
		if (errno != EWOULDBLOCK)
			return 0;
		/* Another program's lease on it; it is asked to let go. */
		if (tries++ == MAX_TRIES)
			return -EWOULDBLOCK;
		nanosleep(&moment, NULL);
	}
	found = find_in(fd, path);
	close(fd);
	return found;
}
