/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * arguments.c - see arguments.h.
 */

#include "config.h"

#include "run/arguments.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "error.h"
#include "path/text.h"

struct looking {
	const struct omega_sandbox_guard *guard;
	const char *dir;
	size_t number; /* of the argument */
	struct omega_sandbox_error *error;
};

static int
refuse(
    const struct looking *at, const char *path, const struct omega_rule *rule)
{
	char where[32] = "";

	if (rule->line != 0)
		snprintf(where, sizeof(where), ":%u", rule->line);
	omega_error_set(at->error, OMEGA_SANDBOX_E_REFUSED, EACCES,
	    "argument %zu names %.300s, which may not be read: %.300s "
	    "(%.200s%s)",
	    at->number, path, rule->shown, rule->origin, where);
	if (rule->line != 0)
		omega_error_file(at->error, rule->origin, rule->line);
	return OMEGA_SANDBOX_E_REFUSED;
}

static int
look_at_path(const struct looking *at, const char *text)
{
	const struct omega_rule *rule;
	char clean[PATH_MAX];
	char path[PATH_MAX];
	int ret;

	if (text[0] == '\0')
		return 0;
	if (text[0] == '/')
		ret = snprintf(path, sizeof(path), "%s", text);
	else
		ret = snprintf(path, sizeof(path), "%s/%s",
		    strcmp(at->dir, "/") == 0 ? "" : at->dir, text);
	if (ret < 0 || (size_t)ret >= sizeof(path) ||
	    omega_text_check(path) < 0)
		return 0;
	if (omega_rules_find(&at->guard->rules, OMEGA_SANDBOX_READ, clean,
		omega_text_clean(path, clean), &rule) != OMEGA_RULES_EXACT)
		return 0;
	return refuse(at, path, rule);
}

static int
hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* file:/path, file:///path, file://host/path, with %XX put right. */
static int
look_at_url(const struct looking *at, const char *text)
{
	char path[PATH_MAX];
	size_t used = 0;

	if (text[0] == '/' && text[1] == '/') {
		text = strchr(text + 2, '/');
		if (text == NULL)
			return 0;
	}
	for (; *text != '\0' && *text != '?' && *text != '#'; text++) {
		if (used + 1 >= sizeof(path))
			return 0;
		if (*text == '%' && hex(text[1]) >= 0 && hex(text[2]) >= 0) {
			path[used++] = (char)(hex(text[1]) * 16 + hex(text[2]));
			text += 2;
		} else {
			path[used++] = *text;
		}
	}
	path[used] = '\0';
	return look_at_path(at, path);
}

static int
look_at_text(const struct looking *at, const char *text)
{
	int ret;

	ret = look_at_path(at, text);
	if (ret == 0 && text[0] == '@')
		ret = look_at_path(at, ++text);
	if (ret == 0 && strncasecmp(text, "file:", 5) == 0)
		ret = look_at_url(at, text + 5);
	return ret;
}

static int
look_at(const struct looking *at, const char *argument)
{
	const char *equals = argument;
	int ret;

	ret = look_at_text(at, argument);
	if (ret == 0 && argument[0] == '-' && argument[1] != '\0' &&
	    argument[1] != '-')
		ret = look_at_text(at, argument + 2);
	while (ret == 0 && (equals = strchr(equals, '=')) != NULL)
		ret = look_at_text(at, ++equals);
	return ret;
}

int
omega_arguments_check(const struct omega_sandbox_guard *guard,
    const struct omega_command *command, const char *dir,
    struct omega_sandbox_error *error)
{
	struct looking at = {.guard = guard, .dir = dir, .error = error};
	int ret = 0;

	for (at.number = 1; ret == 0 && at.number < command->arg_count;
	     at.number++)
		ret = look_at(&at, command->args[at.number]);
	return ret;
}
