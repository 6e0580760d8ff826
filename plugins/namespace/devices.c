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

static const char *const memory[] = {"mem", "kmem", "port", NULL};

static int
is_one_of(const char *name, const char *const *list)
{
	for (; *list != NULL; list++)
		if (strcmp(*list, name) == 0)
			return 1;
	return 0;
}

/* Has the administrator given it, or something in it? */
static int
is_allowed(const struct setup *setup, const char *path)
{
	const char *const *item = setup->request.allow_devices;

	for (; item != NULL && *item != NULL; item++)
		if (places_is_below(*item, path) ||
		    places_is_below(path, *item))
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
	       (!places_is_absent(errno) && errno != EPERM && errno != EROFS);
}

static int
is_to_be_masked(const struct caller *caller, const char *path, const char *name)
{
	struct stat st;

	if (lstat(path, &st) != 0) /* gone, or let it be found out again */
		return errno != ENOENT;
	if (S_ISLNK(st.st_mode) || S_ISREG(st.st_mode) || S_ISSOCK(st.st_mode))
		return 0;
	if (caller->is_root) {
		if (S_ISDIR(st.st_mode))
			return !is_mounted(path);
		return !is_our_terminal(&st);
	}
	if (!S_ISBLK(st.st_mode) && !is_one_of(name, memory) &&
	    strncmp(name, "sg", 2) != 0 && strncmp(name, "ng", 2) != 0)
		return 0;
	return may_open(path, R_OK) || may_open(path, W_OK);
}

static int
add_in(const struct setup *setup, const char *dir, struct ops *ops)
{
	struct dirent *entry;
	char path[PATH_MAX];
	DIR *stream;
	int ret = 0;

	stream = opendir(dir);
	if (stream == NULL && setup->caller.is_root)
		return errno == ENOENT ? 0 : -errno;
	if (stream == NULL)
		return places_is_absent(errno) ? 0 : -errno;
	while (ret == 0) {
		const char *name;

		errno = 0;
		entry = readdir(stream);
		if (entry == NULL) {
			ret = -errno;
			break;
		}
		name = entry->d_name;
		if (name[0] == '.' || is_one_of(name, harmless) ||
		    places_join(dir, name, path) < 0)
			continue;
		if (!is_allowed(setup, path) &&
		    is_to_be_masked(&setup->caller, path, name))
			ret = ops_add(ops, REQUEST_DENY, path);
	}
	closedir(stream);
	return ret;
}

int
devices_add(const struct setup *setup, struct ops *ops)
{
	int ret;

	ret = add_in(setup, "/dev", ops);
	/* Names there are links to nodes in /dev, or nodes of their own. */
	if (ret == 0 && !setup->caller.is_root)
		ret = add_in(setup, "/dev/mapper", ops);
	return ret;
}
