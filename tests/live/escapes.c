/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * escapes.c - see escapes.h.
 */

#include "escapes.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

char *
escapes_in(const char *dir, const char *rest)
{
	return text("%s/%s", dir, rest);
}

int
escapes_result(long ret)
{
	return ret < 0 ? (errno == 0 ? EIO : errno) : 0;
}

int
escapes_reached(long ret, int expected)
{
	return ret < 0 && errno == expected ? 0 : escapes_result(ret);
}

pid_t
escapes_pid(const char *arg)
{
	return (pid_t)strtol(arg, NULL, 10);
}

int
escapes_move_aside(const char *path)
{
	char other[PATH_MAX + 8];

	snprintf(other, sizeof(other), "%s.x", path);
	return rename(path, other) != 0 ? errno
					: escapes_result(rename(other, path));
}

socklen_t
escapes_abstract(const char *name, struct sockaddr_un *address)
{
	memset(address, 0, sizeof(*address));
	address->sun_family = AF_UNIX;
	snprintf(address->sun_path + 1, sizeof(address->sun_path) - 1, "%.*s",
	    (int)sizeof(address->sun_path) - 2, name);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			   strlen(address->sun_path + 1));
}

int
escapes_main(int argc, char **argv)
{
	static const struct attempt *const lists[] = {escapes_data,
	    escapes_files, escapes_closed, escapes_shared, escapes_rings,
	    escapes_absent, escapes_denied, escapes_link, escapes_system,
	    escapes_machine, escapes_outside, escapes_caller, escapes_terminal,
	    escapes_given, escapes_single, escapes_next, NULL};
	const struct attempt *at;
	int i;

	if (argc >= 4 && strcmp(argv[1], "attempt") == 0)
		for (i = 0; lists[i] != NULL; i++)
			for (at = lists[i]; at->name != NULL; at++)
				if (strcmp(at->name, argv[2]) == 0)
					return at->fn(
					    argv[3], argc > 4 ? argv[4] : "");
	return attempts_main(argc, argv);
}
