/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * text.c - paths as text. See text.h; no system calls here.
 */

#include "config.h"

#include "path/text.h"

#include <errno.h>
#include <string.h>

int
omega_text_check(const char *path)
{
	size_t len;
	size_t component = 0;

	if (path == NULL || path[0] != '/')
		return -EINVAL;
	len = strnlen(path, PATH_MAX);
	if (len == PATH_MAX)
		return -ENAMETOOLONG;
	if (len <= NAME_MAX)
		return 0; /* no room for a name that is too long */
	for (; *path != '\0'; path++) {
		component = *path == '/' ? 0 : component + 1;
		if (component > NAME_MAX)
			return -ENAMETOOLONG;
	}
	return 0;
}

bool
omega_text_is_dot(const char *name, size_t len)
{
	return len == 1 && name[0] == '.';
}

bool
omega_text_is_dotdot(const char *name, size_t len)
{
	return len == 2 && name[0] == '.' && name[1] == '.';
}

/*
 * Most paths are clean and ordinary, and these two questions are most of what
 * a check computes itself. So they are put to BLOCK bytes at once, in a form
 * that compilers turn into a few vector instructions; whatever is not plain
 * is looked at byte by byte afterwards. A block reads two bytes beyond.
 */
#define BLOCK 16

static bool
is_clean_block(const char *at)
{
	unsigned char found = 0;
	int i;

	for (i = 0; i < BLOCK; i++) {
		unsigned char next = (unsigned char)at[i + 1];
		unsigned char then = (unsigned char)at[i + 2];
		unsigned char ends =
		    (then == '/') | (then == '.') | (then == '\0');

		found |=
		    (at[i] == '/') & ((next == '/') | ((next == '.') & ends));
	}
	return found == 0;
}

static bool
is_ordinary_block(const char *at)
{
	unsigned char found = 0;
	int i;

	for (i = 0; i < BLOCK; i++) {
		unsigned char c = (unsigned char)at[i];

		found |= (c > '}') | (c == ':') |
			 (((c == '.') | (c == ' ')) & (at[i + 1] == '/'));
	}
	return found == 0;
}

/* Is every block plain? The last byte but one is the last one asked about. */
static bool
are_all_blocks(bool (*is_plain)(const char *at), const char *path, size_t len)
{
	size_t end;
	size_t i;

	if (len <= BLOCK)
		return false;
	end = len - 1 - BLOCK;
	for (i = 0; i < end; i += BLOCK)
		if (!is_plain(path + i))
			return false;
	return is_plain(path + end);
}

size_t
omega_text_clean(const char *path, char *out)
{
	size_t len = strlen(path);

	if (are_all_blocks(is_clean_block, path, len) && path[0] == '/' &&
	    path[len - 1] != '/') {
		memcpy(out, path, len + 1);
		return len;
	}
	len = 0;
	for (;;) {
		size_t before = len;
		size_t n = 0;

		while (*path == '/')
			path++;
		if (*path == '\0')
			break;
		out[len++] = '/';
		for (; *path != '\0' && *path != '/'; n++)
			out[len++] = *path++;
		if (omega_text_is_dot(out + before + 1, n)) {
			len = before;
		} else if (omega_text_is_dotdot(out + before + 1, n)) {
			len = before;
			while (len > 0 && out[--len] != '/')
				;
		}
	}
	if (len == 0)
		out[len++] = '/';
	out[len] = '\0';
	return len;
}

bool
omega_text_last(const char *path, size_t end, struct omega_text_leaf *leaf)
{
	while (end > 0 && path[end - 1] == '/')
		end--;
	if (end == 0)
		return false;
	leaf->end = end;
	while (end > 0 && path[end - 1] != '/')
		end--;
	leaf->start = end;
	while (end > 0 && path[end - 1] == '/')
		end--;
	leaf->parent = end;
	return true;
}

bool
omega_text_is_below(
    const char *path, size_t len, const char *base, size_t base_len)
{
	if (base_len == 1)
		return true; /* "/" */
	if (len < base_len || (len > base_len && path[base_len] != '/'))
		return false;
	return memcmp(path, base, base_len) == 0;
}

/* ASCII only, whatever the locale says. */
static char
fold(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool
omega_text_is_below_folded(
    const char *path, size_t len, const char *base, size_t base_len)
{
	size_t i;

	if (base_len == 1)
		return true;
	if (len < base_len || (len > base_len && path[base_len] != '/'))
		return false;
	for (i = 0; i < base_len; i++)
		if (fold(path[i]) != fold(base[i]))
			return false;
	return true;
}

bool
omega_text_is_odd(const char *path)
{
	size_t len = strlen(path);
	const char *at;

	if (are_all_blocks(is_ordinary_block, path, len) &&
	    strchr(".: ~", path[len - 1]) == NULL &&
	    (unsigned char)path[len - 1] < 0x80)
		return false;
	for (at = path;; at++) {
		if (*at >= 'A' && *at <= 'z')
			continue; /* most bytes need no second look */
		if (((unsigned char)*at & 0x80) != 0 || *at == '~' ||
		    *at == ':')
			return true;
		if (*at != '/' && *at != '\0')
			continue;
		if (at > path && (at[-1] == '.' || at[-1] == ' '))
			return true;
		if (*at == '\0')
			return false;
	}
}

long
omega_text_join(
    char *out, const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t len;

	while (a_len > 0 && a[a_len - 1] == '/')
		a_len--;
	while (b_len > 0 && b[0] == '/') {
		b++;
		b_len--;
	}
	if (a_len + 1 + b_len >= PATH_MAX)
		return -ENAMETOOLONG;
	memmove(out, a, a_len);
	len = a_len;
	if (b_len > 0 || len == 0)
		out[len++] = '/';
	memmove(out + len, b, b_len);
	len += b_len;
	out[len] = '\0';
	return (long)len;
}
