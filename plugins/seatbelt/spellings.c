/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * spellings.c - see ways.h.
 */

#include "ways.h"

#include <string.h>

/* These are links into /private. */
static const char *const links[] = {"/etc", "/tmp", "/var"};

#define LINK_COUNT (sizeof(links) / sizeof(links[0]))

int
spellings_is_below(const char *path, const char *base)
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
spellings_refuse_bytes(const char *path)
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
spellings_refuse(const char *path)
{
	if (path[0] != '/')
		return "a profile names places by absolute paths only";
	if (path[1] != '\0' && path[strlen(path) - 1] == '/')
		return "a profile takes no path with a slash at its end";
	return spellings_refuse_bytes(path);
}

void
spellings_add(struct texts *texts, const char *path)
{
	static const char private[] = "/private";
	size_t i;

	texts_add_once(texts, "%s", path);
	for (i = 0; i < LINK_COUNT; i++) {
		if (spellings_is_below(path, links[i]))
			texts_add_once(texts, "%s%s", private, path);
		if (spellings_is_below(path, private) &&
		    spellings_is_below(path + sizeof(private) - 1, links[i]))
			texts_add_once(texts, "%s", path + sizeof(private) - 1);
	}
}

void
spellings_add_ways(struct texts *texts, const char *path)
{
	const char *slash = path;

	while ((slash = strchr(slash + 1, '/')) != NULL)
		texts_add_once(texts, "%.*s", (int)(slash - path), path);
}
