/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * links.c - the search for a hard link, by identity and in bounds.
 */

#include "config.h"

#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "path/aliases.h"

/* A directory being searched. */
struct search {
	const struct omega_object *file;
	unsigned *budget;
	bool skips_closed;
	int dir;
	unsigned depth; /* how much deeper it may go */
};

static int search_directory(struct search *search, int dir, const char *name);

/*
 * Who can neither open nor search a directory cannot have linked what is in it,
 * and no more can commands, which have the same rights. His own he may have
 * closed afterwards.
 */
static bool
is_skipped(const struct search *search, const struct stat *st)
{
	return search->skips_closed && st->st_uid != geteuid() &&
	       st->st_uid != getuid();
}

static int
search_entry(void *arg, const char *name)
{
	struct search *search = arg;
	struct search below = *search;
	struct omega_object object;
	struct stat st;
	int ret;

	if (*search->budget == 0)
		return -E2BIG;
	(*search->budget)--;
	ret = omega_kernel_stat(search->dir, name, &object);
	if (ret == -ENOENT)
		return 0; /* gone meanwhile */
	if (ret == -EACCES && fstat(search->dir, &st) == 0 &&
	    is_skipped(search, &st))
		return 0;
	if (ret < 0)
		return ret;
	if (omega_object_is_same(&object, search->file))
		return 1;
	if (!S_ISDIR(object.mode))
		return 0;
	if (below.depth-- == 0)
		return -E2BIG;
	return search_directory(&below, search->dir, name);
}

static int
search_directory(struct search *search, int dir, const char *name)
{
	struct stat st;
	int ret;

	search->dir =
	    openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (search->dir < 0 && errno == EACCES)
		return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
			       is_skipped(search, &st) &&
			       faccessat(dir, name, X_OK, AT_EACCESS) != 0
			   ? 0
			   : -EACCES;
	if (search->dir < 0)
		return errno == ENOENT ? 0 : -errno;
	ret = omega_kernel_each_name(search->dir, search_entry, search);
	close(search->dir);
	return ret;
}

int
omega_links_find(const char *tree, const struct omega_object *file,
    bool skips_closed, unsigned *budget)
{
	struct search search = {.file = file,
	    .budget = budget,
	    .skips_closed = skips_closed,
	    .depth = OMEGA_LINKS_MAX_DEPTH};

	return search_directory(&search, AT_FDCWD, tree);
}
