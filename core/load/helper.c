/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * helper.c - see helper.h.
 */

#include "config.h"

#include "load/helper.h"

#include <sys/stat.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "error.h"
#include "load/loader.h"
#include "load/trust.h"

const char *const omega_helper_dir = OMEGA_LIBEXECDIR;

int
omega_helper_open(
    const char *dir, const char *name, struct omega_sandbox_error *error)
{
	char path[PATH_MAX];
	struct stat st;
	int fd;

	if (!omega_loader_is_name(name)) {
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
		    "the helper program %s does not exist; is the package "
		    "installed completely?",
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
