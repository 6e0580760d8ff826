/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * ways.c - see ways.h.
 */

#include "ways.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_DEPTH 32 /* as macOS */

static int follow(struct texts *links, const char *path, unsigned depth);

/* What the link at dir/name leads to. */
static int
follow_target(
    struct texts *links, const char *dir, const char *target, unsigned depth)
{
	char *path = NULL;
	int ret;

	if (target[0] == '/')
		return follow(links, target, depth + 1);
	if (asprintf(&path, "%s/%s", dir, target) < 0)
		return -ENOMEM;
	ret = follow(links, path, depth + 1);
	free(path);
	return ret;
}

/* Is there a link at the end of way? */
static int
look(struct texts *links, const char *way, unsigned depth)
{
	char target[PATH_MAX];
	ssize_t len = readlink(way, target, sizeof(target) - 1);
	const char *name = strrchr(way, '/') + 1;
	char *parent;
	char *dir;
	int ret = 0;

	if (len < 0)
		return 0; /* none, or the rest is not there */
	target[len] = '\0';
	parent = strndup(way, (size_t)(name - way));
	dir = parent == NULL ? NULL : realpath(parent, NULL);
	free(parent);
	if (dir == NULL)
		return -errno;
	texts_add(links, "%s/%s", strcmp(dir, "/") == 0 ? "" : dir, name);
	ret = links->error;
	if (ret == 0)
		ret = follow_target(links, dir, target, depth);
	free(dir);
	return ret;
}

/* Every beginning of the path that ends with a name. */
static int
follow(struct texts *links, const char *path, unsigned depth)
{
	char *way = strdup(path);
	size_t i;
	int ret = depth > MAX_DEPTH ? -ELOOP : 0;

	if (way == NULL)
		return -ENOMEM;
	for (i = 1; ret == 0 && path[i - 1] != '\0'; i++)
		if ((path[i] == '/' || path[i] == '\0') && path[i - 1] != '/') {
			way[i] = '\0';
			ret = look(links, way, depth);
			way[i] = path[i];
		}
	free(way);
	return ret;
}

int
ways_add_links(struct texts *links, const char *path)
{
	return follow(links, path, 0);
}

/* What is absent leads to "-", which is no absolute path. */
#define NOWHERE "-"

void *
ways_pack(const struct texts *paths, size_t *size)
{
	struct texts pairs = {.list = NULL};
	size_t i;

	for (i = 0; i < paths->count; i++) {
		char *real = realpath(paths->list[i], NULL);

		texts_add(&pairs, "%s", paths->list[i]);
		texts_add(&pairs, "%s", real == NULL ? NOWHERE : real);
		free(real);
	}
	return texts_pack(&pairs, size);
}

int
ways_check(const void *packed)
{
	const char *path = packed;
	int is_changed = 0;

	while (!is_changed && *path != '\0') {
		const char *target = path + strlen(path) + 1;
		char *real = realpath(path, NULL);

		is_changed = strcmp(real == NULL ? NOWHERE : real, target) != 0;
		free(real);
		path = target + strlen(target) + 1;
	}
	return is_changed;
}
