/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * escapes-closed.c - a directory that one command closes, so that the search
 * for other names of the data ends there, and the next one opens again; and
 * names that are too long to be told. dir is the directory, arg is what
 * follows.
 */

#include "escapes.h"

#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TRICK(close_it)
{
	return escapes_result(chmod(dir, (mode_t)strtoul(arg, NULL, 8)));
}

/* Go there name by name, and open each on the way again. */
static int
go_to(const char *path, char *last)
{
	const char *at = path;
	size_t len;
	int error;

	if (chdir("/") != 0)
		return errno;
	for (;; at += len) {
		at += strspn(at, "/");
		len = strcspn(at, "/");
		if (len > NAME_MAX)
			return ENAMETOOLONG;
		memcpy(last, at, len);
		last[len] = '\0';
		if (at[len] == '\0')
			return 0;
		if (chdir(last) == 0)
			continue;
		error = errno;
		if (chmod(last, 0755) != 0 || chdir(last) != 0)
			return error;
	}
}

static int
go_in(const char *dir, const char *arg, char *last)
{
	char *path = escapes_in(dir, arg);

	chmod(dir, 0755);
	return go_to(path, last);
}

TRICK(read_in)
{
	char last[NAME_MAX + 1];
	int ret = go_in(dir, arg, last);

	return ret != 0 ? ret : attempts_read_secret(last);
}

TRICK(change_in)
{
	char last[NAME_MAX + 1];
	int ret = go_in(dir, arg, last);
	int fd;

	if (ret != 0)
		return ret;
	fd = open(last, O_WRONLY | O_APPEND);
	return fd < 0 ? errno : escapes_result(close(fd));
}

const struct attempt escapes_closed[] = {
    {"closed: close", BOTH, close_it},
    {"closed: read", BOTH, read_in},
    {"closed: change", BOTH, change_in},
    {NULL, ATTEMPTS_USE, 0, NULL},
};
