/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * relative.c - see relative.h.
 */

#include "relative.h"

#include <sys/stat.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "places.h"
#include "proc.h"
#include "request.h"

/* Has the process this socket open? 0 also when it cannot be looked at. */
static int
has_open(const char *pid, const char *socket)
{
	struct dirent *entry;
	char path[PATH_MAX];
	char target[64];
	DIR *stream;
	int found = 0;

	snprintf(path, sizeof(path), "/proc/%s/fd", pid);
	stream = opendir(path);
	if (stream == NULL)
		return 0;
	while (!found && (entry = readdir(stream)) != NULL) {
		ssize_t len = readlinkat(
		    dirfd(stream), entry->d_name, target, sizeof(target) - 1);

		if (len < 0)
			continue;
		target[len] = '\0';
		found = strcmp(target, socket) == 0;
	}
	closedir(stream);
	return found;
}

/* The socket in the working directory of the process. */
static int
is_near(const char *pid, const char *name, const struct diag_socket *known,
    char path[PATH_MAX])
{
	char link[PATH_MAX];
	char dir[PATH_MAX];
	struct stat st;
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/%s/cwd", pid);
	len = readlink(link, dir, sizeof(dir) - 1);
	if (len <= 0 || dir[0] != '/')
		return 0;
	dir[len] = '\0';
	return places_join(dir, name, path) == 0 && lstat(path, &st) == 0 &&
	       S_ISSOCK(st.st_mode) &&
	       (known == NULL || known->inode == 0 ||
		   diag_is_bound_to(known, path, &st));
}

/* Is the process in a sandbox? It shows our masks, which nobody in there can
 * take away. */
static int
is_inside(const char *pid)
{
	char path[PATH_MAX];
	char *mounts;
	int found;

	snprintf(path, sizeof(path), "/proc/%s/mountinfo", pid);
	mounts = proc_read(path);
	if (mounts == NULL)
		return 0;
	found = strstr(mounts, " - tmpfs " REQUEST_SOURCE " ") != NULL;
	free(mounts);
	return found;
}

int
relative_find(unsigned long number, const char *name,
    const struct diag_socket *known, char path[PATH_MAX])
{
	int answer = RELATIVE_FOREIGN;
	struct dirent *entry;
	char socket[64];
	DIR *stream;

	snprintf(socket, sizeof(socket), "socket:[%lu]", number);
	stream = opendir("/proc");
	if (stream == NULL)
		return -errno;
	while (answer != RELATIVE_FOUND && (entry = readdir(stream)) != NULL) {
		if (entry->d_name[0] < '1' || entry->d_name[0] > '9' ||
		    !has_open(entry->d_name, socket))
			continue;
		if (is_near(entry->d_name, name, known, path))
			answer = RELATIVE_FOUND;
		else if (answer != RELATIVE_LOST)
			answer = is_inside(entry->d_name) ? RELATIVE_INSIDE
							  : RELATIVE_LOST;
	}
	closedir(stream);
	return answer;
}
