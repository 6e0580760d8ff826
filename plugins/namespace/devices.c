/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * devices.c - see devices.h.
 *
 * Commands have a /dev of their own. So a device that is not known, or comes
 * later, is not there. Only entries are taken over, each with all below it.
 */

#include "devices.h"

#include <sys/stat.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "request.h"

static const char *const harmless[] = {"/dev/null", "/dev/zero", "/dev/full",
    "/dev/random", "/dev/urandom", "/dev/tty", "/dev/shm",
    "/dev/mqueue", "/dev/hugepages", NULL};

static int
show(const struct setup *setup, struct ops *ops, const char *path)
{
	if (!places_is_below(path, REQUEST_DEV) ||
	    strcmp(path, REQUEST_PTS) == 0 || strcmp(path, "/dev/ptmx") == 0 ||
	    setup_is_below(setup, path, SETUP_DENIED))
		return 0;
	return ops_add(ops, REQUEST_SHOW, path);
}

static int
show_list(
    const struct setup *setup, struct ops *ops, const char *const *paths)
{
	int ret = 0;

	for (; ret == 0 && paths != NULL && *paths != NULL; paths++)
		ret = show(setup, ops, *paths);
	return ret;
}

/* The terminal we are talking through. */
static int
show_terminals(const struct setup *setup, struct ops *ops)
{
	char path[PATH_MAX];
	char name[40];
	struct stat own;
	struct stat st;
	ssize_t len;
	int ret = 0;
	int fd;

	for (fd = 0; ret == 0 && fd < 3; fd++) {
		snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
		if (!isatty(fd) || fstat(fd, &own) != 0 ||
		    (len = readlink(name, path, sizeof(path) - 1)) < 0)
			continue;
		path[len] = '\0';
		if (lstat(path, &st) == 0 && st.st_dev == own.st_dev &&
		    st.st_ino == own.st_ino)
			ret = show(setup, ops, path);
	}
	return ret;
}

/* What is no device: links, and what others have put there. */
static int
is_other(const char *path, unsigned char type)
{
	struct stat st;

	if (type == DT_UNKNOWN)
		return lstat(path, &st) == 0 &&
		       (S_ISLNK(st.st_mode) || S_ISREG(st.st_mode) ||
			   S_ISSOCK(st.st_mode));
	return type == DT_LNK || type == DT_REG || type == DT_SOCK;
}

static int
show_others(const struct setup *setup, struct ops *ops)
{
	struct dirent *entry;
	char path[PATH_MAX];
	DIR *stream;
	int ret = 0;

	stream = opendir(REQUEST_DEV);
	if (stream == NULL)
		return errno == EACCES || errno == ENOENT ? 0 : -errno;
	while (ret == 0 && (entry = readdir(stream)) != NULL)
		if (places_join(REQUEST_DEV, entry->d_name, path) == 0 &&
		    is_other(path, entry->d_type))
			ret = show(setup, ops, path);
	closedir(stream);
	return ret;
}

/* Are all devices given? */
static int
are_all_given(const struct setup *setup)
{
	const char *const *item = setup->request.allow_devices;

	for (; item != NULL && *item != NULL; item++)
		if (places_is_below(REQUEST_DEV, *item))
			return 1;
	return 0;
}

int
devices_add_front(const struct setup *setup, struct ops *ops)
{
	if (are_all_given(setup))
		return ops_add(ops, REQUEST_READ_ONLY_TOP, REQUEST_DEV);
	if (ops_has(ops, REQUEST_DEVICES, REQUEST_DEV))
		return 0;
	return ops_add(ops, REQUEST_DEVICES, REQUEST_DEV);
}

int
devices_add_shown(const struct setup *setup, struct ops *ops)
{
	int ret;

	if (are_all_given(setup))
		return 0;
	ret = show_list(setup, ops, harmless);
	if (ret == 0)
		ret = show_list(setup, ops, setup->request.allow_devices);
	if (ret == 0)
		ret = show_terminals(setup, ops);
	return ret == 0 ? show_others(setup, ops) : ret;
}
