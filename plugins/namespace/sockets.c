/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * sockets.c - see plan.h. Which there are comes with the request: the
 * well-known places, and what the core has found besides.
 */

#include "plan.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LAUNCHER OMEGA_SANDBOX_SERVICE_LAUNCHER
#define LAUNCHER_DIR OMEGA_SANDBOX_SERVICE_LAUNCHER_DIR
#define LAUNCHER_TREE OMEGA_SANDBOX_SERVICE_LAUNCHER_TREE

/* A directory with more names than this is hidden as a whole: others could
 * fill it without end. */
#define MAX_NAMES 64

struct hides {
	const struct setup *setup;
	struct ops *ops;
	struct ways ways;
};

/* Is it one that stays, by this name or by another one it has? */
static int
is_allowed(const struct setup *setup, const char *path, const struct stat *st)
{
	const char *const *item = setup->request.allow_sockets;
	struct stat allowed;

	for (; item != NULL && *item != NULL; item++)
		if (strcmp(*item, path) == 0 ||
		    (stat(*item, &allowed) == 0 &&
			allowed.st_dev == st->st_dev &&
			allowed.st_ino == st->st_ino))
			return 1;
	return 0;
}

/* Is something that stays in this directory? */
static int
has_allowed(const struct setup *setup, const char *dir)
{
	const char *const *item = setup->request.allow_sockets;
	char real[PATH_MAX];

	for (; item != NULL && *item != NULL; item++)
		if (places_is_below(*item, dir) ||
		    (realpath(*item, real) != NULL &&
			places_is_below(real, dir)))
			return 1;
	return 0;
}

/* Does the error say that nothing, or nothing within reach, is there now? */
static int
is_gone(int error)
{
	return places_is_missing(error) || error == EACCES ||
	       error == ENAMETOOLONG || error == EPERM || error == ENOTCONN ||
	       error == ESTALE;
}

static int
add(struct hides *hides, uint32_t type, const char *path)
{
	int ret = ops_add(hides->ops, type, path);

	return is_gone(-ret) ? 0 : ret;
}

/* Whoever turned a link would let the next search end elsewhere. */
static int
pin_link(void *arg, const char *link)
{
	struct hides *hides = arg;
	int ret;

	ret = plan_pin_way(hides->setup, hides->ops, link);
	return is_gone(-ret) ? 0 : ret;
}

/*
 * A directory that cannot be entered, or listed, on the way to this name. If
 * it is the caller's own, a command could open it again: nobody is shown what
 * is in there.
 */
static int
hide_behind(struct hides *hides, const char *path)
{
	const char *closed = hides->ways.end;
	struct stat st;
	int ret;

	ret = ways_follow(&hides->ways, path, pin_link, hides);
	if (ret < 0 && !is_gone(-ret))
		return ret;
	if (!hides->ways.is_closed) /* it can be entered, but not listed */
		closed = path;
	if (lstat(closed, &st) != 0 || !S_ISDIR(st.st_mode) ||
	    st.st_uid != hides->setup->caller.uid || closed[1] == '\0')
		return 0;
	return add(hides, REQUEST_DENY, closed);
}

/*
 * Has whoever bound it ended? Then a command may have the name for a server of
 * its own. Servers of streams do not notice the question, which is answered
 * with EPROTOTYPE.
 */
static int
is_dead(const char *path)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int is_refused;
	int fd;

	if (strlen(path) >= sizeof(to.sun_path))
		return 0;
	strcpy(to.sun_path, path);
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return 0;
	is_refused = connect(fd, (struct sockaddr *)&to, sizeof(to)) != 0 &&
		     errno == ECONNREFUSED;
	close(fd);
	return is_refused;
}

/* Hide the socket or pipe that is found by this name. */
static int
hide(struct hides *hides, const char *path)
{
	char real[PATH_MAX];
	struct stat st;
	int ret;

	/* Most are not there, which one look tells. */
	if (stat(path, &st) != 0 || realpath(path, real) == NULL ||
	    lstat(real, &st) != 0) {
		if (errno == EACCES) /* or could it be seen after all? */
			return stat(path, &st) == 0 ? -ESTALE
						    : hide_behind(hides, path);
		return is_gone(errno) ? 0 : -errno;
	}
	if ((!S_ISSOCK(st.st_mode) && !S_ISFIFO(st.st_mode)) ||
	    is_allowed(hides->setup, path, &st) ||
	    (S_ISSOCK(st.st_mode) && is_dead(real)))
		return 0;
	ret = add(hides, REQUEST_HIDE, real);
	return ret == 0 ? ways_follow(&hides->ways, path, pin_link, hides)
			: ret;
}

static int
hide_directory(struct hides *hides, const char *dir)
{
	char real[PATH_MAX];

	if (realpath(dir, real) == NULL)
		return is_gone(errno) ? 0 : -errno;
	if (real[1] == '\0' || has_allowed(hides->setup, real))
		return 0;
	return add(hides, REQUEST_DENY, real);
}

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
		return hide_behind(hides, dir);
	if (fd < 0)
		return is_gone(errno) ? 0 : -errno;
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
		if (++count > MAX_NAMES && !has_allowed(hides->setup, dir)) {
			ret = hide_directory(hides, dir);
			break;
		}
		if (depth > 0)
			ret = hide_in(hides, path, depth - 1);
		else if (is_one_in(hides, fd, entry->d_name, count > MAX_NAMES))
			ret = hide(hides, path);
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
	const struct table *table = &hides->setup->table;
	const struct table_mount *mount = table->list;
	struct stat st;
	int ret = hides->setup->table_error;

	for (; ret == 0 && mount < table->list + table->count; mount++) {
		if (mount->root[1] == '\0' || mount->point[0] != '/' ||
		    lstat(mount->point, &st) != 0 || !S_ISSOCK(st.st_mode))
			continue;
		if (hides->setup->request.unix_sockets !=
			OMEGA_SANDBOX_UNIX_ALL ||
		    st.st_uid == hides->setup->caller.uid ||
		    is_named_so(hides->setup, mount->root) ||
		    is_named_so(hides->setup, mount->point))
			ret = hide(hides, mount->point);
	}
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
			ret = hide(hides, path);
		else if (type == LAUNCHER_DIR || type == LAUNCHER_TREE)
			ret = hide_in(hides, path, type == LAUNCHER_TREE);
	}
	return ret == 0 ? hide_mounted(hides) : ret;
}

static int
hide_one(struct hides *hides, const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode)
		   ? hide_directory(hides, path)
		   : hide(hides, path);
}

/* What the core has found: held as far as that goes, so nothing ends it. An
 * error that stays keeps the command away as well. */
static int
hide_given(struct hides *hides)
{
	const char *const *path = hides->setup->request.sockets;
	int ret = 0;

	for (; ret != -ENOMEM && path != NULL && *path != NULL; path++) {
		ret = hide_one(hides, *path);
		if (ret != 0 && ret != -ENOMEM)
			ret = hide_one(hides, *path);
	}
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
	struct hides hides = {.setup = setup, .ops = ops};
	size_t first = ops->count;
	int ret = 0;

	if (has_kind(setup, OMEGA_SANDBOX_ATOM_LAUNCHER_SOCKETS))
		ret = hide_launchers(&hides);
	if (ret == 0 && has_kind(setup, OMEGA_SANDBOX_ATOM_OUTSIDE_SOCKETS))
		ret = hide_given(&hides);
	return ret == 0 ? aliases_add_sockets(setup, ops, first) : ret;
}
