/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * ways.c - see setup.h.
 */

#include "setup.h"

#include <sys/stat.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MAX_LINKS 40

/*
 * Put what a link says in the place of the link, which is at offset at. 0, or
 * -errno when it leads nowhere or cannot be followed.
 */
static int
turn_off(char *way, size_t *at, const char *link, const char *rest)
{
	char target[PATH_MAX];
	char turned[PATH_MAX];
	ssize_t len;
	int size;

	len = readlink(link, target, sizeof(target) - 1);
	if (len <= 0)
		return len < 0 && errno != EINVAL ? -errno : -ENOENT;
	target[len] = '\0';
	if (target[0] == '/')
		*at = 0;
	size = snprintf(
	    turned, sizeof(turned), "%.*s/%s%s", (int)*at, way, target, rest);
	if (size >= (int)sizeof(turned))
		return -ENAMETOOLONG;
	memcpy(way, turned, (size_t)size + 1);
	return 0;
}

/* Drop ".", ".." and empty names at offset at; 1 when one was dropped. */
static int
tidy(char *way, size_t *at)
{
	char *name = way + *at + 1;
	size_t len = strcspn(name, "/");
	size_t from = *at;

	if (len == 0 || (len == 1 && name[0] == '.')) {
		/* nothing before it goes */
	} else if (len == 2 && name[0] == '.' && name[1] == '.') {
		while (from > 0 && way[--from] != '/')
			continue;
	} else {
		return 0;
	}
	memmove(way + from, name + len, strlen(name + len) + 1);
	*at = from;
	return 1;
}

/* The way goes on from path, but not for us. 0 or -errno. */
static int
end_at(struct ways *ways, const char *path, int error)
{
	ways->is_closed = error == EACCES || error == ENAMETOOLONG;
	if (error == EACCES)
		places_parent(path, ways->end);
	else
		strcpy(ways->end, path);
	return ways->is_closed || places_is_missing(error) ? 0 : -error;
}

int
ways_follow(struct ways *ways, const char *spelled, ways_link *fn, void *arg)
{
	char way[PATH_MAX];
	char link[PATH_MAX];
	struct stat st;
	int links = 0;
	size_t at = 0;
	int ret;

	ways->end[0] = '\0';
	ways->is_closed = 0;
	if (spelled[0] != '/')
		return 0;
	if (snprintf(way, sizeof(way), "%s", spelled) >= (int)sizeof(way))
		return -ENAMETOOLONG;
	if (places_is_below(way, ways->known))
		at = strlen(ways->known);
	while (way[at] == '/') {
		size_t end;

		if (tidy(way, &at))
			continue;
		end = at + 1 + strcspn(way + at + 1, "/");
		snprintf(link, sizeof(link), "%.*s", (int)end, way);
		if (lstat(link, &st) != 0)
			return end_at(ways, link, errno);
		if (!S_ISLNK(st.st_mode)) {
			at = end;
			if (way[at] == '/')
				strcpy(ways->known, link);
			continue;
		}
		ret = fn(arg, link);
		if (ret != 0)
			return ret;
		ret = ++links > MAX_LINKS ? -ELOOP
					  : turn_off(way, &at, link, way + end);
		if (ret < 0)
			return end_at(ways, link, -ret);
	}
	return 0;
}

/* A link that is a protected place itself is not followed any further: it
 * stands for what nobody could find behind it. */
static int
tell(void *arg, const char *link)
{
	struct setup *setup = arg;
	char parent[PATH_MAX];
	int ret = texts_add(&setup->links, link);

	places_parent(link, parent);
	if (ret == 0 && setup_is_below(setup, link, SETUP_KEPT) &&
	    !setup_is_below(setup, parent, SETUP_KEPT))
		ret = 1;
	return ret;
}

/* Of a protected place: what is behind a closed directory could be turned,
 * unless that is protected in its stead. 0, 1: not to its end; or -errno. */
static int
follow(struct setup *setup, struct ways *ways, const char *spelled)
{
	int ret = ways_follow(ways, spelled, tell, setup);

	if (ret == 0 && ways->is_closed &&
	    !setup_is_below(setup, ways->end, SETUP_KEPT))
		return -ESTALE; /* since the core has looked */
	return ret == 0 ? ways->is_closed : ret;
}

/* And what is not there yet. */
static int
follow_spelled(struct setup *setup, struct ways *ways)
{
	const char *const *spelled = setup->request.spelled;
	int ret = 0;

	ways->end[0] = '\0';
	for (; ret == 0 && spelled != NULL && *spelled != NULL; spelled++) {
		/* As long as this is not there, nothing below it is. */
		if (ways->end[0] != '\0' && !ways->is_closed &&
		    places_is_below(*spelled, ways->end))
			continue;
		ret = follow(setup, ways, *spelled);
		if (ret > 0 || (ret == 0 && ways->end[0] != '\0'))
			ret = texts_add(
			    &setup->absent, ret > 0 ? *spelled : ways->end);
	}
	return ret;
}

int
ways_find(struct setup *setup)
{
	static const char *const system[] = {"/bin", "/sbin", "/lib", "/lib32",
	    "/lib64", "/libx32", "/etc", "/usr/lib64", NULL};
	struct ways ways = {.is_closed = 0};
	size_t i;
	int ret = 0;

	for (i = 0; ret >= 0 && system[i] != NULL; i++)
		ret = follow(setup, &ways, system[i]);
	for (i = 0; ret >= 0 && i < setup->dir_count; i++) {
		ret = follow(setup, &ways, setup->dirs[i].data);
		if (ret >= 0)
			ret = follow(setup, &ways, setup->dirs[i].config);
	}
	return ret < 0 ? ret : follow_spelled(setup, &ways);
}
