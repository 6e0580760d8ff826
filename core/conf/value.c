/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * value.c - see value.h.
 */

#include "config.h"

#include "conf/value.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

int
omega_value_switch(const char *text)
{
	static const char *const words[] = {
	    "false", "true", "no", "yes", "off", "on", NULL};
	int i;

	for (i = 0; words[i] != NULL; i++)
		if (strcasecmp(text, words[i]) == 0)
			return i % 2;
	return -1;
}

bool
omega_value_is_sign(char c)
{
	return c == '*' || c == '?' || c == '[';
}

/* A sign in brackets of its own? */
static bool
is_quoted(const char *at)
{
	return at[0] == '[' && omega_value_is_sign(at[1]) && at[2] == ']';
}

bool
omega_value_has_pattern(const char *text, char *why, size_t size)
{
	const char *at = text;
	const char *end = NULL; /* of the directory before it */

	for (; *at != '\0'; at++) {
		if (*at == '/')
			end = at;
		if (is_quoted(at))
			at += 2;
		else if (omega_value_is_sign(*at) &&
			 (*at != '[' || strchr(at, ']') != NULL))
			break;
	}
	if (*at == '\0')
		return false;
	if (end == text)
		end++;
	snprintf(why, size,
	    "'%.200s' has a pattern in it, which no backend can hold for names "
	    "that do not exist yet; name the directory%s%.*s itself, or write "
	    "[*], [?] or [[] where the sign is part of a name",
	    text, end == NULL ? "" : " ",
	    end == NULL ? 0 : (int)(end - text < 200 ? end - text : 200), text);
	return true;
}

char *
omega_value_plain(const char *text)
{
	char *plain = strdup(text);
	char *to = plain;

	for (; plain != NULL && *text != '\0'; text++) {
		bool is_sign = is_quoted(text);

		*to++ = text[is_sign];
		text += is_sign ? 2 : 0;
	}
	if (plain != NULL)
		*to = '\0';
	return plain;
}
