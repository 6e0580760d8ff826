/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * devices.c - see devices.h.
 *
 * /dev stays the host's own: a terminal keeps its name, and the kernel finds
 * "pts" beside "ptmx" only there. So devices are taken away one by one.
 */

#include "devices.h"

#include <sys/stat.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "request.h"

#define MOUNT_ROOT 0x2000u /* STATX_ATTR_MOUNT_ROOT */

static const char *const harmless[] = {"null", "zero", "full", "random",
    "urandom", "tty", "ptmx", "pts", "shm", "mqueue", "hugepages", NULL};

#define MAX_DEPTH 8

static int
is_one_of(const char *name, const char *const *list)
{
	for (; *list != NULL; list++)
		if (strcmp(*list, name) == 0)
			return 1;
	return 0;
}

/* Has the administrator given it? */
static int
is_given(const struct setup *setup, const char *path)
{
	const char *const *item = setup->request.allow_devices;

	for (; item != NULL && *item != NULL; item++)
		if (places_is_below(path, *item))
			return 1;
	return 0;
}

/* Or something in it? */
static int
holds_given(const struct setup *setup, const char *path)
{
	const char *const *item = setup->request.allow_devices;

	for (; item != NULL && *item != NULL; item++)
		if (places_is_below(*item, path))
			return 1;
	return 0;
}

/* Is it the terminal we are talking through? */
static int
is_our_terminal(const struct stat *st)
{
	struct stat own;
	int fd;

	for (fd = 0; S_ISCHR(st->st_mode) && fd < 3; fd++)
		if (fstat(fd, &own) == 0 && S_ISCHR(own.st_mode) &&
		    own.st_rdev == st->st_rdev)
			return 1;
	return 0;
}

static int
is_mounted(const char *path)
{
	struct statx at;

	return statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT,
		   STATX_TYPE, &at) == 0 &&
	       (at.stx_attributes & MOUNT_ROOT) != 0;
}

/* Unless it is certain that the caller may not. */
static int
may_open(const char *path, int mode)
{
	return faccessat(AT_FDCWD, path, mode, AT_EACCESS) == 0 ||
	       (!places_is_missing(errno) && errno != EACCES &&
		   errno != EPERM && errno != EROFS);
}

/* Does a command that opens this node find more than it should? */
static int
is_to_be_masked(const struct caller *caller, const char *path)
{
	struct stat st;

	if (lstat(path, &st) != 0) /* gone, or let it be found out again */
		return errno != ENOENT;
	if (S_ISLNK(st.st_mode) || S_ISREG(st.st_mode) || S_ISSOCK(st.st_mode))
		return 0;
	if (is_our_terminal(&st))
		return 0;
	/* Who owns it may give itself any mode. */
	return caller->is_root || st.st_uid == caller->uid ||
	       may_open(path, R_OK) || may_open(path, W_OK);
}

static int
is_directory(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int add_in(const struct setup *setup, const char *dir, int is_foreign,
    unsigned depth, struct ops *ops);

/*
 * What is in a directory comes and goes, so all of it is masked at once. Not
 * where something in it is given, nor where something is mounted: there, and
 * below, it is nodes that count.
 */
static int
add_directory(const struct setup *setup, const char *path, int is_foreign,
    unsigned depth, struct ops *ops)
{
	if (!is_foreign && is_mounted(path))
		is_foreign = 1;
	if ((!is_foreign && !holds_given(setup, path)) || depth == MAX_DEPTH)
		return ops_add(ops, REQUEST_DENY, path);
	return add_in(setup, path, is_foreign, depth + 1, ops);
}

static int
add_in(const struct setup *setup, const char *dir, int is_foreign,
    unsigned depth, struct ops *ops)
{
	struct dirent *entry;
	char path[PATH_MAX];
	DIR *stream;
	int ret = 0;

	stream = opendir(dir);
	/* What cannot be listed can be entered, or opened by its owner. */
	if (stream == NULL && errno == EACCES && depth > 0)
		return ops_add(ops, REQUEST_DENY, dir);
	if (stream == NULL)
		return places_is_missing(errno) ? 0 : -errno;
	while (ret == 0) {
		const char *name;

		errno = 0;
		entry = readdir(stream);
		if (entry == NULL) {
			ret = -errno;
			break;
		}
		name = entry->d_name;
		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
		    (depth == 0 && is_one_of(name, harmless)))
			continue;
		ret = places_join(dir, name, path);
		if (ret < 0 || is_given(setup, path))
			continue;
		if (is_directory(path))
			ret =
			    add_directory(setup, path, is_foreign, depth, ops);
		else if (is_to_be_masked(&setup->caller, path))
			ret = ops_add(ops, REQUEST_DENY, path);
	}
	closedir(stream);
	return ret;
}

int
devices_add(const struct setup *setup, struct ops *ops)
{
	return add_in(setup, "/dev", 0, 0, ops);
}
