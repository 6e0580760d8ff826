/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * fold.c - see profile.h.
 *
 * All that is not ASCII is one thing here, so a name of such characters stands
 * for every other of its form. What must not be missed:
 *
 *   both cases of a letter;
 *   characters that volumes ignore, between any two others;
 *   characters whose case folding or decomposition is ASCII: the long s, the
 *   signs of Kelvin and for "ss", "st" and what begins with "f", and those
 *   for ";" and "`";
 *   a letter with a mark, which is one character or two.
 */

#include "profile.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A byte, or a character, that is neither ASCII nor a slash. */
#define OTHER "[^ -~]"
/* What may be ignored. */
#define MORE OTHER "*"
/* A letter or sign that a mark may stand behind. */
#define BASE "[A-Za-z<=>]?"
/* One or more that are not ASCII, each with the letter it may be made of. */
#define RUN BASE OTHER "(" BASE OTHER ")*"

/* Characters that are ASCII to a volume that ignores case. */
static const struct {
	unsigned long code;
	const char *text;
} plain[] = {{0xdf, "ss"}, {0x17f, "s"}, {0x37e, ";"}, {0x1e9e, "ss"},
    {0x1fef, "`"}, {0x212a, "k"}, {0xfb00, "ff"}, {0xfb01, "fi"},
    {0xfb02, "fl"}, {0xfb03, "ffi"}, {0xfb04, "ffl"}, {0xfb05, "st"},
    {0xfb06, "st"}};

/* Two letters of which there is one sign; "ffi" is two such pairs. */
static const char *const pairs[] = {"ss", "st", "ff", "fi", "fl"};

/* ---- A name as numbers ----------------------------------------------------
 */

struct name {
	unsigned long *codes;
	size_t count;
};

/* The character at s, which goes on to the next. */
static unsigned long
take(const unsigned char **s)
{
	unsigned long code = *(*s)++;
	unsigned long lead = code;
	int more = lead < 0xc0 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;

	if (more > 0)
		code = lead & (0x3fu >> more);
	for (; more > 0 && (**s & 0xc0) == 0x80; more--)
		code = code << 6 | (*(*s)++ & 0x3fu);
	return code;
}

/* Add it, by its ASCII where it is that to a volume. */
static void
put(struct name *name, unsigned long code)
{
	const char *text;
	size_t i;

	for (i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		if (plain[i].code == code) {
			for (text = plain[i].text; *text != '\0'; text++)
				name->codes[name->count++] =
				    (unsigned char)*text;
			return;
		}
	name->codes[name->count++] = code;
}

static int
is_other(unsigned long code)
{
	return code < ' ' || code > '~';
}

static int
lower(unsigned long code)
{
	return is_other(code) ? 0 : tolower((int)code);
}

/* ---- Writing --------------------------------------------------------------
 */

static void
print_sign(struct texts_buffer *to, int c)
{
	if (isalpha(c))
		texts_print(to, "[%c%c]", tolower(c), toupper(c));
	else if (isdigit(c) || c == '-' || c == '_')
		texts_print(to, "%c", c);
	else if (c == '"')
		texts_print(to, "[!-#]");
	else if (c == '[' || c == '\\' || c == ']')
		texts_print(to, "[Z-^]");
	else if (c == '^')
		texts_print(to, "[_^]");
	else
		texts_print(to, "[%c]", c);
}

/* Is there another sign for it alone? */
static int
is_two(unsigned long code)
{
	return !is_other(code) && strchr("sk;`", tolower((int)code)) != NULL;
}

/* Is there one sign for these two, or one for each? */
static int
is_pair(unsigned long first, unsigned long second)
{
	size_t i;

	if (is_two(first) && is_two(second))
		return 1;
	for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (lower(first) == pairs[i][0] && lower(second) == pairs[i][1])
			return 1;
	return 0;
}

/* Does the run at i have something that was one with the letter before it? */
static int
is_mark_behind(const struct name *name, size_t i)
{
	for (; i < name->count && is_other(name->codes[i]); i++)
		if ((name->codes[i] >= 0x300 && name->codes[i] < 0x370) ||
		    name->codes[i] == 0x2be)
			return 1;
	return 0;
}

/* Letters that are signs together: as they are, or of both and others. */
static void
print_cluster(
    struct texts_buffer *to, const struct name *name, size_t from, size_t end)
{
	int is_open = is_mark_behind(name, end);
	struct texts_buffer any = {.text = NULL};
	size_t i;

	texts_print(&any, "[");
	texts_print(to, "(");
	for (i = from; i < end; i++) {
		int is_last = is_open && i + 1 == end;

		texts_print(to, "%s", is_last ? "(" : "");
		print_sign(to, (int)name->codes[i]);
		texts_print(to, MORE "%s", is_last ? ")?" : "");
		texts_print(&any, "%c%c", lower(name->codes[i]),
		    toupper(lower(name->codes[i])));
	}
	texts_print(&any, "]");
	if (any.error != 0)
		to->error = any.error;
	else
		texts_print(
		    to, "|%s*" OTHER "(%s|" OTHER ")*)", any.text, any.text);
	free(any.text);
}

/* One of ASCII; for some there is one that is not. */
static void
print_one(struct texts_buffer *to, const struct name *name, size_t i)
{
	const int c = (int)name->codes[i];
	/* One sign is an apostrophe and an n. */
	int is_open = is_mark_behind(name, i + 1) ||
		      (i > 0 && name->codes[i - 1] == 0x2bc && lower(c) == 'n');

	texts_print(to, "%s", is_two(name->codes[i]) || is_open ? "(" : "");
	print_sign(to, c);
	texts_print(to, MORE "%s%s%s",
	    is_two(name->codes[i]) ? "|" OTHER "+" : "",
	    is_two(name->codes[i]) || is_open ? ")" : "", is_open ? "?" : "");
}

/* One name of a directory, which has at least one character. */
static void
print_name(struct texts_buffer *to, const struct name *name)
{
	size_t i = 0;
	size_t end;

	if (!is_other(name->codes[0]))
		texts_print(to, MORE);
	while (i < name->count) {
		end = i + 1;
		if (is_other(name->codes[i])) {
			while (end < name->count && is_other(name->codes[end]))
				end++;
			texts_print(to, RUN "%s",
			    name->codes[end - 1] == 0x149 ? "[nN]?" : "");
		} else {
			while (end < name->count &&
			       is_pair(name->codes[end - 1], name->codes[end]))
				end++;
			if (end > i + 1)
				print_cluster(to, name, i, end);
			else
				print_one(to, name, i);
		}
		i = end;
	}
}

char *
fold_make(const char *path, size_t len, int is_with_below)
{
	const unsigned char *s = (const unsigned char *)path;
	struct texts_buffer to = {.text = NULL};
	struct name name = {.count = 0};

	/* A character of three bytes is three letters at most. */
	name.codes = calloc(strlen(path) + 1, sizeof(*name.codes));
	if (name.codes == NULL)
		return NULL;
	texts_print(&to, "^");
	while (*s == '/') {
		int is_any = (size_t)(s - (const unsigned char *)path) < len;

		s++;
		name.count = 0;
		while (*s != '\0' && *s != '/')
			put(&name, take(&s));
		texts_print(&to, "/%s", is_any ? "[^/]+" : "");
		if (!is_any && name.count != 0)
			print_name(&to, &name);
	}
	texts_print(&to, "%s", is_with_below ? "(/|$)" : "$");
	free(name.codes);
	if (to.error != 0) {
		free(to.text);
		return NULL;
	}
	return to.text;
}
