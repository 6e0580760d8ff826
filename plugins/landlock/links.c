/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * links.c - see ruleset.h.
 */

#include "ruleset.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MAX_LINKS 40 /* as the kernel */

/* Put the target of a link before what is left of the way. */
static int
prepend(const char *target, char *rest)
{
	char longer[PATH_MAX];

	if (snprintf(longer, sizeof(longer), "%s/%s", target, rest) >=
	    (int)sizeof(longer))
		return -ENAMETOOLONG;
	strcpy(rest, longer);
	return 0;
}

/* Take the first name off rest. Its length; 0 behind the last. */
static size_t
take_name(char *rest, char *name)
{
	const char *start = rest + strspn(rest, "/");
	size_t len = strcspn(start, "/");

	memcpy(name, start, len);
	name[len] = '\0';
	memmove(rest, start + len, strlen(start + len) + 1);
	return len;
}

/* Go one name on from at. 1: at is a link now; 0; or a negative errno. */
static int
step(char *at, const char *name, char *target)
{
	size_t used = strlen(at);
	ssize_t len;

	if (strcmp(name, ".") == 0)
		return 0;
	if (strcmp(name, "..") == 0) {
		if (used > 0)
			*strrchr(at, '/') = '\0';
		return 0;
	}
	if (used + 1 + strlen(name) >= PATH_MAX)
		return -ENAMETOOLONG;
	at[used] = '/';
	strcpy(at + used + 1, name);
	len = readlink(at, target, PATH_MAX - 1);
	if (len < 0)
		return errno == EINVAL ? 0 : -errno;
	target[len] = '\0';
	return 1;
}

int
links_each(const char *path, links_found *found, void *arg)
{
	char at[PATH_MAX] = "";
	char rest[PATH_MAX];
	char name[PATH_MAX];
	char target[PATH_MAX];
	int links = 0;
	int ret;

	if (strlen(path) >= sizeof(rest))
		return -ENAMETOOLONG;
	strcpy(rest, path);
	while (take_name(rest, name) > 0) {
		ret = step(at, name, target);
		if (ret == -ENOENT || ret == -ENOTDIR || ret == -EACCES)
			return 0; /* the rest is not there */
		if (ret == 1) {
			ret = ++links > MAX_LINKS ? -ELOOP : found(arg, at);
			if (ret == 0)
				ret = prepend(target, rest);
			if (target[0] == '/')
				at[0] = '\0';
			else
				*strrchr(at, '/') = '\0';
		}
		if (ret < 0)
			return ret;
	}
	return 0;
}
