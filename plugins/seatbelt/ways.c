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

/* These are links into /private. */
static const char *const private_links[] = {"/etc", "/tmp", "/var"};

#define LINK_COUNT (sizeof(private_links) / sizeof(private_links[0]))

int
ways_is_below(const char *path, const char *base)
{
	size_t len = strlen(base);

	if (len == 1)
		return 1;
	return strncmp(path, base, len) == 0 &&
	       (path[len] == '\0' || path[len] == '/');
}

/* The length of the UTF-8 character at s; 0: there is none. */
static size_t
character(const unsigned char *s)
{
	unsigned long code;
	size_t len;
	size_t i;

	if (s[0] < 0x80)
		return 1;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	len = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	code = s[0] & (0x7fu >> len);
	for (i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (s[i] & 0x3fu);
	}
	if ((len == 3 && code < 0x800) || (len == 4 && code < 0x10000) ||
	    (code >= 0xd800 && code < 0xe000) || code > 0x10ffff)
		return 0;
	return len;
}

const char *
ways_refuse_bytes(const char *path)
{
	const unsigned char *s = (const unsigned char *)path;
	size_t len;

	while (*s != '\0') {
		len = character(s);
		if (len == 0)
			return "its name is not UTF-8, and a profile can have "
			       "no other";
		s += len;
	}
	return NULL;
}

const char *
ways_refuse(const char *path)
{
	if (path[0] != '/')
		return "a profile names places by absolute paths only";
	if (path[1] != '\0' && path[strlen(path) - 1] == '/')
		return "a profile takes no path with a slash at its end";
	return ways_refuse_bytes(path);
}

void
ways_add_names(struct texts *texts, const char *path)
{
	static const char private[] = "/private";
	size_t i;

	texts_add_once(texts, "%s", path);
	for (i = 0; i < LINK_COUNT; i++) {
		if (ways_is_below(path, private_links[i]))
			texts_add_once(texts, "%s%s", private, path);
		if (ways_is_below(path, private) &&
		    ways_is_below(path + sizeof(private) - 1, private_links[i]))
			texts_add_once(texts, "%s", path + sizeof(private) - 1);
	}
}

void
ways_add_above(struct texts *texts, const char *path)
{
	const char *slash = path;

	while ((slash = strchr(slash + 1, '/')) != NULL)
		texts_add_once(texts, "%.*s", (int)(slash - path), path);
}

/* ---- Links on the way -----------------------------------------------------
 */

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
