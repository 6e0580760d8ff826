/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * commands.c - see commands.h.
 *
 * A program is known by its place: the directory with all links resolved, and
 * the name in it. The file alone would not do. A hard link or a copy of the
 * name elsewhere is another place, and one file can be many programs that go
 * by the name they are called with.
 */

#include "config.h"

#include "run/commands.h"

#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "error.h"
#include "path/trust.h"

static const char *const safe_dirs[] = {"/usr/local/sbin", "/usr/local/bin",
    "/usr/sbin", "/usr/bin", "/sbin", "/bin", NULL};

/* DIR/NAME with DIR resolved. */
static int
place_of(const char *path, char *place)
{
	const char *name = strrchr(path, '/') + 1;
	char dir[PATH_MAX];
	char real[PATH_MAX];
	size_t len = (size_t)(name - path);
	int ret;

	if (len >= sizeof(dir))
		return -ENAMETOOLONG;
	memcpy(dir, path, len);
	dir[len] = '\0';
	if (realpath(dir, real) == NULL)
		return -errno;
	ret = snprintf(
	    place, PATH_MAX, "%s/%s", strcmp(real, "/") == 0 ? "" : real, name);
	return ret < 0 || ret >= PATH_MAX ? -ENAMETOOLONG : 0;
}

/*
 * Is the directory root's alone? One of ours that is not is passed over; one
 * that was configured is an error. 1, 0, or a code.
 */
static int
is_safe(const char *dir, const struct omega_conf_text *configured,
    struct omega_sandbox_error *error)
{
	struct omega_sandbox_error why = OMEGA_SANDBOX_ERROR_INIT;
	bool is_roots = false;
	int fd;

	fd = omega_trust_open(dir, OMEGA_TRUST_DIRECTORY, &is_roots, &why);
	if (fd >= 0)
		close(fd);
	if (fd >= 0 && is_roots)
		return 1;
	if (fd == -ENOENT || configured == NULL)
		return 0;
	omega_error_set(error, OMEGA_SANDBOX_E_TRUST, 0,
	    "%s:%u: safe_path: %s: %s", configured->file, configured->line, dir,
	    fd >= 0 ? "it is not root's alone, so that others could put "
		      "programs there"
		    : why.text);
	omega_error_file(error, configured->file, configured->line);
	return OMEGA_SANDBOX_E_TRUST;
}

/* The place of the first such program in the safe directories. 1 when there
 * is one, 0, or a code. */
static int
find_safe(const struct omega_conf_list *safe_path, const char *name,
    char *place, struct omega_sandbox_error *error)
{
	char path[PATH_MAX];
	struct stat st;
	size_t i;
	int ret;

	for (i = 0;
	     safe_path->count > 0 ? i < safe_path->count : safe_dirs[i] != NULL;
	     i++) {
		const struct omega_conf_text *configured =
		    safe_path->count > 0 ? &safe_path->items[i] : NULL;
		const char *dir =
		    configured != NULL ? configured->text : safe_dirs[i];

		ret = snprintf(path, sizeof(path), "%s/%s", dir, name);
		if (ret < 0 || (size_t)ret >= sizeof(path))
			continue;
		if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) ||
		    faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) != 0)
			continue;
		ret = is_safe(dir, configured, error);
		if (ret < 0)
			return ret;
		if (ret == 1 && place_of(path, place) == 0)
			return 1;
	}
	return 0;
}

/* Does one entry fit the program at place? 1, 0, or a code. */
static int
fits(const struct omega_conf_text *entry,
    const struct omega_conf_list *safe_path, const char *place,
    struct omega_sandbox_error *error)
{
	char other[PATH_MAX];
	int ret;

	if (strchr(entry->text, '/') == NULL) {
		/* Nothing is looked for that cannot fit. */
		if (strcmp(strrchr(place, '/') + 1, entry->text) != 0)
			return 0;
		ret = find_safe(safe_path, entry->text, other, error);
		return ret == 1 ? strcmp(place, other) == 0 : ret;
	}
	if (place_of(entry->text, other) == 0 && strcmp(place, other) == 0)
		return 1;
	return realpath(entry->text, other) != NULL &&
	       strcmp(place, other) == 0;
}

static int
refuse(const struct omega_conf_text *entry, const char *program,
    struct omega_sandbox_error *error)
{
	omega_error_set(error, OMEGA_SANDBOX_E_REFUSED, EACCES,
	    "%.400s is refused: allowed_commands (%.400s:%u) does not have it; "
	    "a bare name there means the program in safe_path, one with a "
	    "slash that file",
	    program, entry->file, entry->line);
	omega_error_file(error, entry->file, entry->line);
	return OMEGA_SANDBOX_E_REFUSED;
}

int
omega_commands_check(const struct omega_conf_list *allowed,
    const struct omega_conf_list *safe_path, const char *program,
    struct omega_sandbox_error *error)
{
	char place[PATH_MAX];
	size_t i = 0;
	int ret;

	if (allowed->count == 0)
		return 0;
	ret = place_of(program, place);
	if (ret < 0)
		return omega_error_set(error, OMEGA_SANDBOX_E_REFUSED, -ret,
		    "%.400s is refused: where it is cannot be found out: %s",
		    program, strerror(-ret));
	/* The entries of one file stand together. */
	while (i < allowed->count) {
		const struct omega_conf_text *first = &allowed->items[i];
		bool is_fitting = false;

		for (; i < allowed->count &&
		       strcmp(allowed->items[i].file, first->file) == 0;
		     i++) {
			if (is_fitting)
				continue;
			ret = fits(&allowed->items[i], safe_path, place, error);
			if (ret < 0)
				return ret;
			is_fitting = ret == 1;
		}
		if (!is_fitting)
			return refuse(first, program, error);
	}
	return 0;
}
