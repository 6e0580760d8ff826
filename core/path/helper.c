/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * helper.c - see helper.h.
 */

#include "config.h"

#include "path/helper.h"

#include <sys/stat.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/rights.h"
#include "path/trust.h"

const char *const omega_helper_dir = OMEGA_LIBEXECDIR;

bool
omega_helper_is_name(const char *name)
{
	size_t len;

	if (name == NULL)
		return false;
	len = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-");
	return len > 0 && len <= OMEGA_HELPER_NAME_MAX && name[len] == '\0';
}

int
omega_helper_open(
    const char *dir, const char *name, struct omega_sandbox_error *error)
{
	char path[PATH_MAX];
	struct stat st;
	int fd;

	if (!omega_helper_is_name(name)) {
		omega_error_set(error, OMEGA_SANDBOX_E_PLUGIN, EINVAL,
		    "'%.64s' is not the name of a helper program",
		    name == NULL ? "" : name);
		return -EINVAL;
	}
	if ((size_t)snprintf(path, sizeof(path), "%s/%s", dir, name) >=
	    sizeof(path)) {
		omega_error_set(error, OMEGA_SANDBOX_E_SYSTEM, ENAMETOOLONG,
		    "the way to the helper program '%s' is too long", name);
		return -ENAMETOOLONG;
	}
	fd = omega_trust_open(path, OMEGA_TRUST_FILE, NULL, error);
	if (fd == -ENOENT)
		omega_error_set(error, OMEGA_SANDBOX_E_PLUGIN, ENOENT,
		    "the helper program %s does not exist: the package is not "
		    "installed completely, or was replaced since this program "
		    "was started, which has to be started again",
		    path);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) != 0 || (st.st_mode & 0111) == 0) {
		close(fd);
		omega_error_set(error, OMEGA_SANDBOX_E_PLUGIN, EACCES,
		    "the helper program %s is not executable", path);
		return -EACCES;
	}
	return fd;
}

/* Can it be believed that no command could change what was opened as fd? */
static bool
is_kept(int fd, bool is_roots)
{
	return fd >= 0 && is_roots && !omega_rights_override();
}

/* The files that are changeable in their own right, or all. */
static int
each_file(const char *dir, DIR *stream, bool is_all,
    int (*take)(void *arg, const char *path), void *arg)
{
	struct omega_sandbox_error ignored = OMEGA_SANDBOX_ERROR_INIT;
	char path[PATH_MAX];
	struct dirent *entry;
	int ret = 0;

	while (ret == 0 && (entry = readdir(stream)) != NULL) {
		bool is_roots = true;
		int fd = -1;

		if (!omega_helper_is_name(entry->d_name))
			continue; /* nothing that could be asked for */
		if ((size_t)snprintf(path, sizeof(path), "%s/%s", dir,
			entry->d_name) >= sizeof(path))
			continue; /* nobody opens it */
		if (!is_all)
			fd = omega_trust_open_in(dirfd(stream), path,
			    OMEGA_TRUST_FILE, &is_roots, &ignored);
		if (!is_kept(fd, is_roots))
			ret = take(arg, path);
		if (fd >= 0)
			close(fd);
	}
	return ret;
}

int
omega_helper_each_changeable(
    const char *dir, int (*take)(void *arg, const char *path), void *arg)
{
	struct omega_sandbox_error ignored = OMEGA_SANDBOX_ERROR_INIT;
	bool is_roots = false;
	bool is_all;
	DIR *stream;
	int ret = 0;
	int fd;

	fd = omega_trust_open(dir, OMEGA_TRUST_DIRECTORY, &is_roots, &ignored);
	if (fd == -ENOENT)
		return 0;
	is_all = !is_kept(fd, is_roots);
	if (is_all)
		ret = take(arg, dir);
	stream = fd >= 0 ? fdopendir(fd) : opendir(dir);
	if (stream == NULL && fd >= 0)
		close(fd);
	if (stream == NULL)
		return ret;
	if (ret == 0)
		ret = each_file(dir, stream, is_all, take, arg);
	closedir(stream);
	return ret;
}
