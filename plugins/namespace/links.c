/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * links.c - see links.h.
 *
 * The other names of a file cannot be found from it, and what a symbolic link
 * in a hidden directory leads to has a name of its own. Neither is closed, so
 * both are told.
 */

#include "links.h"

#include <sys/stat.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MAX_LOOKED_AT 20000
#define MAX_DEPTH 32

struct look {
	const struct setup *setup;
	const char *place;
	int is_denied; /* it cannot be read either */
	size_t left; /* how much more is looked at */
	char *found;
	size_t size;
};

/* Is what is at path protected as the place is? */
static int
is_protected(const struct look *look, const char *path)
{
	return places_is_below(path, look->place) ||
	       setup_is_below(look->setup, path,
		   look->is_denied ? SETUP_DENIED : SETUP_KEPT);
}

/*
 * Where a link in the directory dir leads, into target[PATH_MAX]. What cannot
 * be reached is told as it is written; "" when that is in dir, or nothing.
 */
static void
follow(int dir, const char *name, char *target)
{
	char proc[40];
	ssize_t len;
	int fd;

	fd = openat(dir, name, O_PATH | O_CLOEXEC);
	if (fd >= 0) {
		snprintf(proc, sizeof(proc), "/proc/self/fd/%d", fd);
		len = readlink(proc, target, PATH_MAX - 1);
		close(fd);
		if (len > 0) {
			target[len] = '\0';
			return;
		}
	}
	len = readlinkat(dir, name, target, PATH_MAX - 1);
	target[len > 0 ? len : 0] = '\0';
	if (target[0] != '/' && strstr(target, "..") == NULL)
		target[0] = '\0';
}

static int
look_at(struct look *look, int dir, const char *name, const struct stat *st)
{
	char target[PATH_MAX];

	if (S_ISLNK(st->st_mode)) {
		follow(dir, name, target);
		if (target[0] == '\0' || is_protected(look, target))
			return 0;
		snprintf(look->found, look->size,
		    "%.60s in it leads to %.100s, which is not protected", name,
		    target);
		return 1;
	}
	if (st->st_nlink < 2)
		return 0;
	snprintf(look->found, look->size,
	    "%.60s has %lu names, and hard links cannot be found", name,
	    (unsigned long)st->st_nlink);
	return 1;
}

/* Look through a directory; fd is closed. */
static int
look_below(struct look *look, int fd, unsigned depth)
{
	struct dirent *entry;
	struct stat st;
	DIR *stream;
	int ret = 0;

	stream = fdopendir(fd);
	if (stream == NULL) {
		close(fd);
		return -errno;
	}
	while (ret == 0) {
		const char *name;

		errno = 0;
		entry = readdir(stream);
		if (entry == NULL) {
			ret = -errno;
			break;
		}
		name = entry->d_name;
		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
			continue;
		if (look->left == 0 || depth == MAX_DEPTH) {
			ret = -E2BIG;
			break;
		}
		look->left--;
		if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
			if (errno != ENOENT)
				ret = -errno;
			continue;
		}
		if (S_ISDIR(st.st_mode)) {
			int sub = openat(fd, name,
			    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

			ret =
			    sub < 0 ? -errno : look_below(look, sub, depth + 1);
		} else {
			ret = look_at(look, fd, name, &st);
		}
	}
	closedir(stream);
	return ret;
}

int
links_look(
    const struct setup *setup, const char *path, char *found, size_t size)
{
	struct look look = {.setup = setup,
	    .place = path,
	    .left = MAX_LOOKED_AT,
	    .found = found,
	    .size = size};
	struct stat st;
	size_t i;
	int fd;

	if (lstat(path, &st) != 0)
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISDIR(st.st_mode))
		return look_at(&look, AT_FDCWD, "it", &st);
	for (i = 0; i < setup->count; i++)
		look.is_denied |= setup_is_denied(setup->atoms[i]) &&
				  strcmp(setup->atoms[i]->path, path) == 0;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : look_below(&look, fd, 0);
}
