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
#include <string.h>
#include <unistd.h>

#include "places.h"

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
is_near(const char *pid, const char *name, char path[PATH_MAX])
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
	       S_ISSOCK(st.st_mode);
}

int
relative_find(unsigned long inode, const char *name, char path[PATH_MAX])
{
	int answer = RELATIVE_FOREIGN;
	struct dirent *entry;
	char socket[64];
	DIR *stream;

	snprintf(socket, sizeof(socket), "socket:[%lu]", inode);
	stream = opendir("/proc");
	if (stream == NULL)
		return -errno;
	while (answer != RELATIVE_FOUND && (entry = readdir(stream)) != NULL) {
		if (entry->d_name[0] < '1' || entry->d_name[0] > '9' ||
		    !has_open(entry->d_name, socket))
			continue;
		answer = is_near(entry->d_name, name, path) ? RELATIVE_FOUND
							    : RELATIVE_LOST;
	}
	closedir(stream);
	return answer;
}
