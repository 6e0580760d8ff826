/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * grants.c - see ruleset.h.
 */

#include "ruleset.h"

#include <sys/stat.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum relation {
	APART,
	IS_DENIED, /* at or below a denied place */
	IS_ABOVE, /* on the way to one */
};

int
grants_is_below(const char *path, const char *base)
{
	size_t len = strlen(base);

	if (len == 1)
		return 1;
	return strncmp(path, base, len) == 0 &&
	       (path[len] == '\0' || path[len] == '/');
}

static enum relation
relation_of(const char *path, const char *const *denied, size_t count)
{
	enum relation relation = APART;
	size_t i;

	for (i = 0; i < count; i++) {
		if (grants_is_below(path, denied[i]))
			return IS_DENIED;
		if (grants_is_below(denied[i], path))
			relation = IS_ABOVE;
	}
	return relation;
}

struct walk {
	const char *const *denied;
	size_t count;
	grants_allow *allow;
	grants_enumerated *enumerated;
	void *arg;
};

static int walk_directory(
    const struct walk *walk, int above, const char *name, const char *dir);

static int
walk_entry(
    const struct walk *walk, int dirfd, const char *dir, const char *name)
{
	enum relation relation;
	char path[PATH_MAX];
	struct stat st;
	int fd;
	int ret;

	if (snprintf(path, sizeof(path), "%s/%s", dir[1] == '\0' ? "" : dir,
		name) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	relation = relation_of(path, walk->denied, walk->count);
	if (relation == IS_DENIED)
		return 0;
	if (relation == IS_ABOVE)
		return walk_directory(walk, dirfd, name, path);
	fd = openat(dirfd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT || errno == EACCES ? 0 : -errno;
	if (fstat(fd, &st) != 0)
		ret = -errno;
	else
		ret = S_ISLNK(st.st_mode) ? 0 : walk->allow(walk->arg, fd);
	close(fd);
	return ret;
}

/* The entries of name in above, which is called dir. */
static int
walk_directory(
    const struct walk *walk, int above, const char *name, const char *dir)
{
	struct dirent *entry;
	DIR *stream;
	int fd;
	int ret;

	ret = walk->enumerated(walk->arg, dir);
	if (ret < 0)
		return ret;
	fd = openat(
	    above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	stream = fdopendir(fd);
	if (stream == NULL) {
		ret = -errno;
		close(fd);
		return ret;
	}
	while (ret == 0 && (errno = 0, entry = readdir(stream)) != NULL)
		if (strcmp(entry->d_name, ".") != 0 &&
		    strcmp(entry->d_name, "..") != 0)
			ret =
			    walk_entry(walk, dirfd(stream), dir, entry->d_name);
	if (ret == 0 && entry == NULL && errno != 0)
		ret = -errno;
	closedir(stream);
	return ret;
}

int
grants_all_but(int fd, const char *root, const char *const *denied,
    size_t count, grants_allow *allow, grants_enumerated *enumerated, void *arg)
{
	struct walk walk = {denied, count, allow, enumerated, arg};

	switch (relation_of(root, denied, count)) {
	case IS_DENIED:
		return 0;
	case IS_ABOVE:
		return walk_directory(&walk, fd, ".", root);
	default:
		return allow(arg, fd);
	}
}

int
grants_is_free(const char *path)
{
	const char *rest = path + 1;

	if (strncmp(rest, "usr/", 4) == 0)
		rest += 4;
	return strchr(rest, '/') == NULL;
}
