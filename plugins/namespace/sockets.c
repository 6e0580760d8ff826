/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * sockets.c - see sockets.h. Which there are comes with the request: the
 * well-known places, and what the core has found besides.
 */

#include "sockets.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "aliases.h"
#include "hides.h"
#include "table.h"

#define LAUNCHER OMEGA_SANDBOX_SERVICE_LAUNCHER
#define LAUNCHER_DIR OMEGA_SANDBOX_SERVICE_LAUNCHER_DIR
#define LAUNCHER_TREE OMEGA_SANDBOX_SERVICE_LAUNCHER_TREE

/* A directory with more names than this is hidden as a whole: others could
 * fill it without end. */
#define MAX_NAMES 64

/* Is this one of them? A link is not: somebody else may have made it. Nor, in
 * a crowd, is what others have put there. */
static int
is_one_in(const struct hides *hides, int dir, const char *name, int is_crowded)
{
	struct stat st;

	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       (S_ISSOCK(st.st_mode) || S_ISFIFO(st.st_mode)) &&
	       (!is_crowded || st.st_uid == 0 ||
		   st.st_uid == hides->setup->caller.uid);
}

/* Everything in a directory, or with a depth in each of those in it. */
static int
hide_in(struct hides *hides, const char *dir, int depth)
{
	struct dirent *entry;
	char path[PATH_MAX];
	size_t count = 0;
	DIR *stream;
	int ret = 0;
	int fd;

	fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && errno == EACCES)
		return hides_add_behind(hides, dir);
	if (fd < 0)
		return places_is_absent(errno) ? 0 : -errno;
	stream = fdopendir(fd);
	if (stream == NULL) {
		close(fd);
		return -ENOMEM;
	}
	while (ret == 0 && (entry = readdir(stream)) != NULL) {
		if (strcmp(entry->d_name, ".") == 0 ||
		    strcmp(entry->d_name, "..") == 0 ||
		    places_join(dir, entry->d_name, path) < 0)
			continue;
		if (++count > MAX_NAMES &&
		    !hides_has_allowed(hides->setup, dir)) {
			ret = hides_add_directory(hides, dir);
			break;
		}
		if (depth > 0)
			ret = hide_in(hides, path, depth - 1);
		else if (is_one_in(hides, fd, entry->d_name, count > MAX_NAMES))
			ret = hides_add(hides, path);
	}
	closedir(stream);
	return ret;
}

/* Has a launcher's socket this name, wherever it is shown? */
static int
is_named_so(const struct setup *setup, const char *path)
{
	const char *name = strrchr(path, '/');
	size_t i;

	for (i = 0; i < setup->request.service_count; i++)
		if (setup->request.services[i]->type == LAUNCHER &&
		    strcmp(strrchr(setup->request.services[i]->path, '/'),
			name) == 0)
			return 1;
	return 0;
}

/*
 * Sockets that are mounted by themselves, as a container gets those of its
 * host: who has bound them may not be seen in here.
 */
static int
hide_mounted(struct hides *hides)
{
	struct table table;
	struct stat st;
	size_t i;
	int ret;

	ret = table_read(&table);
	for (i = 0; ret == 0 && i < table.count; i++) {
		const struct table_mount *mount = &table.list[i];

		if (mount->root[1] == '\0' || mount->point[0] != '/' ||
		    lstat(mount->point, &st) != 0 || !S_ISSOCK(st.st_mode))
			continue;
		if (hides->setup->request.unix_sockets !=
			OMEGA_SANDBOX_UNIX_ALL ||
		    st.st_uid == hides->setup->caller.uid ||
		    is_named_so(hides->setup, mount->root) ||
		    is_named_so(hides->setup, mount->point))
			ret = hides_add(hides, mount->point);
	}
	table_drop(&table);
	return ret;
}

static int
hide_launchers(struct hides *hides)
{
	const struct omega_sandbox_request *request = &hides->setup->request;
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < request->service_count; i++) {
		const char *path = request->services[i]->path;
		uint32_t type = request->services[i]->type;

		/* Those of any user are among the given ones. */
		if (strchr(path, '*') != NULL)
			continue;
		if (type == LAUNCHER)
			ret = hides_add(hides, path);
		else if (type == LAUNCHER_DIR || type == LAUNCHER_TREE)
			ret = hide_in(hides, path, type == LAUNCHER_TREE);
	}
	return ret == 0 ? hide_mounted(hides) : ret;
}

/* What the core has found: held as far as that goes, so nothing ends it. */
static int
hide_given(struct hides *hides)
{
	const char *const *path = hides->setup->request.sockets;
	struct stat st;
	int ret = 0;

	for (; ret != -ENOMEM && path != NULL && *path != NULL; path++)
		ret = stat(*path, &st) == 0 && S_ISDIR(st.st_mode)
			  ? hides_add_directory(hides, *path)
			  : hides_add(hides, *path);
	return ret == -ENOMEM ? ret : 0;
}

static int
has_kind(const struct setup *setup, uint32_t kind)
{
	size_t i;

	for (i = 0; i < setup->count; i++)
		if (setup->atoms[i]->kind == kind)
			return 1;
	return 0;
}

int
sockets_add(const struct setup *setup, struct ops *ops)
{
	struct hides hides = {setup, ops};
	size_t first = ops->count;
	int ret = 0;

	if (has_kind(setup, OMEGA_SANDBOX_ATOM_LAUNCHER_SOCKETS))
		ret = hide_launchers(&hides);
	if (ret == 0 && has_kind(setup, OMEGA_SANDBOX_ATOM_OUTSIDE_SOCKETS))
		ret = hide_given(&hides);
	return ret == 0 ? aliases_add_sockets(ops, first) : ret;
}
