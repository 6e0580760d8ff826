/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * value.c - see value.h.
 */

#include "config.h"

#include "conf/value.h"

#include <errno.h>
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

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

bool
omega_value_is_variable(const char *text, bool has_wildcards)
{
	const char *taken = has_wildcards ? LETTERS "0123456789_.-%()*?"
					  : LETTERS "0123456789_.-%()";

	return text[0] != '\0' && strspn(text, taken) == strlen(text);
}

bool
omega_value_is_assignment(const char *text)
{
	size_t len = strcspn(text, "=");

	return len > 0 && text[len] == '=' &&
	       strspn(text, LETTERS "0123456789_.-%()") == len;
}

#define MAX_AMOUNT ((uint64_t)INT64_MAX)

struct unit {
	char letter; /* 0: none is written */
	uint64_t factor;
};

static int
read_digits(const char **text, uint64_t *number)
{
	uint64_t value = 0;
	const char *at = *text;

	for (; *at >= '0' && *at <= '9'; at++) {
		uint64_t digit = (uint64_t)(*at - '0');

		if (value > (MAX_AMOUNT - digit) / 10)
			return -ERANGE;
		value = value * 10 + digit;
	}
	if (at == *text)
		return -EINVAL;
	*text = at;
	*number = value;
	return 0;
}

static int
read_amount(const char *text, const struct unit *units, uint64_t *amount)
{
	uint64_t number = 0;
	int ret;

	ret = read_digits(&text, &number);
	if (ret < 0)
		return ret;
	if (strlen(text) > 1)
		return -EINVAL;
	while (units->letter != *text && units->factor != 0)
		units++;
	if (units->factor == 0)
		return -EINVAL;
	if (number == 0 || number > MAX_AMOUNT / units->factor)
		return -ERANGE;
	*amount = number * units->factor;
	return 0;
}

int
omega_value_bytes(const char *text, uint64_t *bytes)
{
	static const struct unit units[] = {{'\0', 1}, {'K', 1ULL << 10},
	    {'M', 1ULL << 20}, {'G', 1ULL << 30}, {'T', 1ULL << 40}, {'x', 0}};

	return read_amount(text, units, bytes);
}

int
omega_value_seconds(const char *text, uint64_t *seconds)
{
	static const struct unit units[] = {{'\0', 1}, {'s', 1}, {'m', 60},
	    {'h', 3600}, {'d', 86400}, {'x', 0}};

	return read_amount(text, units, seconds);
}

int
omega_value_count(const char *text, uint64_t *count)
{
	static const struct unit units[] = {{'\0', 1}, {'x', 0}};

	return read_amount(text, units, count);
}
