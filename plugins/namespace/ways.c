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
 * Put what a link says in the place of the link. 1 when it begins at the root,
 * 0 when not, -errno when it leads nowhere or cannot be followed.
 */
static int
turn_off(char *way, size_t done, const char *link, const char *rest)
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
		size = snprintf(turned, sizeof(turned), "%s%s", target, rest);
	else
		size = snprintf(turned, sizeof(turned), "%.*s/%s%s", (int)done,
		    way, target, rest);
	if (size >= (int)sizeof(turned))
		return -ENAMETOOLONG;
	memcpy(way, turned, (size_t)size + 1);
	return target[0] == '/';
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
end_at(const char *path, int error, char *closed)
{
	if (error != EACCES && error != ENAMETOOLONG)
		return places_is_missing(error) ? 0 : -error;
	if (closed != NULL && error == EACCES)
		places_parent(path, closed);
	else if (closed != NULL)
		strcpy(closed, path);
	return 0;
}

int
ways_follow(
    const char *spelled, size_t at, ways_link *fn, void *arg, char *closed)
{
	char way[PATH_MAX];
	char link[PATH_MAX];
	struct stat st;
	int links = 0;
	int turned;
	int ret;

	if (closed != NULL)
		closed[0] = '\0';
	if (spelled[0] != '/')
		return 0;
	if (snprintf(way, sizeof(way), "%s", spelled) >= (int)sizeof(way))
		return -ENAMETOOLONG;
	while (way[at] == '/') {
		size_t end;

		if (tidy(way, &at))
			continue;
		end = at + 1 + strcspn(way + at + 1, "/");
		snprintf(link, sizeof(link), "%.*s", (int)end, way);
		if (lstat(link, &st) != 0)
			return end_at(link, errno, closed);
		if (!S_ISLNK(st.st_mode)) {
			at = end;
			continue;
		}
		ret = fn(arg, link);
		if (ret != 0)
			return ret;
		turned = ++links > MAX_LINKS
			     ? -ELOOP
			     : turn_off(way, at, link, way + end);
		if (turned < 0)
			return end_at(link, -turned, closed);
		if (turned == 1)
			at = 0;
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
 * unless that is protected in its stead. */
static int
follow(struct setup *setup, const char *spelled, size_t at)
{
	char closed[PATH_MAX];
	int ret;

	ret = ways_follow(spelled, at, tell, setup, closed);
	if (ret == 0 && closed[0] != '\0' &&
	    !setup_is_below(setup, closed, SETUP_KEPT))
		return -ESTALE; /* since the core has looked */
	return ret > 0 ? 0 : ret;
}

/* Is it a name of its components alone, that we have room for? */
static int
is_clean(const char *spelled)
{
	const char *slash = spelled;

	if (spelled[0] != '/' || strlen(spelled) >= PATH_MAX)
		return 0;
	for (; slash[0] == '/'; slash += 1 + strcspn(slash + 1, "/")) {
		const char *name = slash + 1 + (slash[1] == '.');

		name += name > slash + 1 && name[0] == '.';
		if (name[0] == '\0' || name[0] == '/')
			return 0;
	}
	return 1;
}

/* Find out how far the directory of a name is known; 0: it is not to be. */
static int
know(struct ways_known *known, const char *spelled)
{
	char part[PATH_MAX];
	struct stat st;
	size_t len;
	size_t end;

	if (!is_clean(spelled))
		return 0;
	len = (size_t)(strrchr(spelled, '/') - spelled);
	if (known->len == len && memcmp(known->dir, spelled, len) == 0)
		return 1;
	memcpy(known->dir, spelled, len);
	known->dir[len] = '\0';
	known->len = len;
	known->real = 0;
	while (known->real < len) {
		end = known->real + 1;
		end += strcspn(known->dir + end, "/");
		memcpy(part, known->dir, end);
		part[end] = '\0';
		if (lstat(part, &st) != 0 || S_ISLNK(st.st_mode))
			break;
		known->real = end;
	}
	return 1;
}

int
ways_absent(struct ways_known *known, const char *spelled, char *absent)
{
	struct stat st;
	size_t len;

	if (know(known, spelled)) {
		len = known->real + 1;
		len += strcspn(spelled + len, "/");
		memcpy(absent, spelled, len);
		absent[len] = '\0';
		if (lstat(absent, &st) != 0 && places_is_missing(errno))
			return 1;
	}
	absent[0] = '\0';
	return 0;
}

int
ways_find(struct setup *setup)
{
	static const char *const system[] = {"/bin", "/sbin", "/lib", "/lib32",
	    "/lib64", "/libx32", "/etc", "/usr/lib64", NULL};
	const char *const *spelled = setup->request.spelled;
	struct ways_known known = {.len = 0};
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && system[i] != NULL; i++)
		ret = follow(setup, system[i], 0);
	for (i = 0; ret == 0 && i < setup->dir_count; i++) {
		ret = follow(setup, setup->dirs[i].data, 0);
		if (ret == 0)
			ret = follow(setup, setup->dirs[i].config, 0);
	}
	for (; ret == 0 && spelled != NULL && *spelled != NULL; spelled++)
		ret = follow(
		    setup, *spelled, know(&known, *spelled) ? known.real : 0);
	return ret;
}
