/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * screen.c - see screen.h.
 */

#include "config.h"

#include "launch/screen.h"

#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/error.h"
#include "path/text.h"
#include "path/trust.h"

int
omega_screen_check(const struct omega_screen *screen,
    const struct omega_command *command, const char *dir,
    struct omega_sandbox_error *error)
{
	int ret;

	ret = omega_screen_program(
	    screen->allowed, screen->safe_path, command->program, error);
	if (ret == 0 && screen->guard != NULL)
		ret =
		    omega_screen_arguments(screen->guard, command, dir, error);
	return ret;
}

void
omega_screen_free(struct omega_screen *screen)
{
	if (screen == NULL)
		return;
	omega_env_drop(&screen->env);
	omega_guard_free(screen->guard);
	free(screen);
}

/*
 * *
 * A program is known by its place: the directory with all links resolved, and
 * the name in it. The file alone would not do. A hard link or a copy of the
 * name elsewhere is another place, and one file can be many programs that go
 * by the name they are called with.
 */

static const char *const safe_dirs[] = {"/usr/local/sbin", "/usr/local/bin",
    "/usr/sbin", "/usr/bin", "/sbin", "/bin", NULL};

/* DIR/NAME with DIR resolved. */
static int
place_of(const char *path, char *place)
{
	const char *name = strrchr(path, '/') + 1;
	char dir[PATH_MAX];
	char real[PATH_MAX];
	size_t len = (size_t)(name - path);
	int ret;

	if (len >= sizeof(dir))
		return -ENAMETOOLONG;
	memcpy(dir, path, len);
	dir[len] = '\0';
	if (realpath(dir, real) == NULL)
		return -errno;
	ret = snprintf(
	    place, PATH_MAX, "%s/%s", strcmp(real, "/") == 0 ? "" : real, name);
	return ret < 0 || ret >= PATH_MAX ? -ENAMETOOLONG : 0;
}

/*
 * Is the directory root's alone? One of ours that is not is passed over; one
 * that was configured is an error. 1, 0, or a code.
 */
static int
is_safe(const char *dir, const struct omega_conf_text *configured,
    struct omega_sandbox_error *error)
{
	struct omega_sandbox_error why = OMEGA_SANDBOX_ERROR_INIT;
	bool is_roots = false;
	int fd;

	fd = omega_trust_open(dir, OMEGA_TRUST_DIRECTORY, &is_roots, &why);
	if (fd >= 0)
		close(fd);
	if (fd >= 0 && is_roots)
		return 1;
	if (fd == -ENOENT || configured == NULL)
		return 0;
	omega_error_set(error, OMEGA_SANDBOX_E_TRUST, 0,
	    "%s:%u: safe_path: %s: %s", configured->file, configured->line, dir,
	    fd >= 0 ? "it is not root's alone, so that others could put "
		      "programs there"
		    : why.text);
	omega_error_file(error, configured->file, configured->line);
	return OMEGA_SANDBOX_E_TRUST;
}

/* The place of the first such program in the safe directories. 1 when there
 * is one, 0, or a code. */
static int
find_safe(const struct omega_conf_list *safe_path, const char *name,
    char *place, struct omega_sandbox_error *error)
{
	char path[PATH_MAX];
	struct stat st;
	size_t i;
	int ret;

	for (i = 0;
	     safe_path->count > 0 ? i < safe_path->count : safe_dirs[i] != NULL;
	     i++) {
		const struct omega_conf_text *configured =
		    safe_path->count > 0 ? &safe_path->items[i] : NULL;
		const char *dir =
		    configured != NULL ? configured->text : safe_dirs[i];

		ret = snprintf(path, sizeof(path), "%s/%s", dir, name);
		if (ret < 0 || (size_t)ret >= sizeof(path))
			continue;
		if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) ||
		    faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) != 0)
			continue;
		ret = is_safe(dir, configured, error);
		if (ret < 0)
			return ret;
		if (ret == 1 && place_of(path, place) == 0)
			return 1;
	}
	return 0;
}

/* Does one entry fit the program at place? 1, 0, or a code. */
static int
fits(const struct omega_conf_text *entry,
    const struct omega_conf_list *safe_path, const char *place,
    struct omega_sandbox_error *error)
{
	char other[PATH_MAX];
	int ret;

	if (strchr(entry->text, '/') == NULL) {
		/* Nothing is looked for that cannot fit. */
		if (strcmp(strrchr(place, '/') + 1, entry->text) != 0)
			return 0;
		ret = find_safe(safe_path, entry->text, other, error);
		return ret == 1 ? strcmp(place, other) == 0 : ret;
	}
	if (place_of(entry->text, other) == 0 && strcmp(place, other) == 0)
		return 1;
	return realpath(entry->text, other) != NULL &&
	       strcmp(place, other) == 0;
}

static int
refuse_program(const struct omega_conf_text *entry, const char *program,
    struct omega_sandbox_error *error)
{
	omega_error_set(error, OMEGA_SANDBOX_E_REFUSED, EACCES,
	    "%.400s is refused: allowed_commands (%.400s:%u) does not have it; "
	    "a bare name there means the program in safe_path, one with a "
	    "slash that file",
	    program, entry->file, entry->line);
	omega_error_file(error, entry->file, entry->line);
	return OMEGA_SANDBOX_E_REFUSED;
}

int
omega_screen_program(const struct omega_conf_list *allowed,
    const struct omega_conf_list *safe_path, const char *program,
    struct omega_sandbox_error *error)
{
	char place[PATH_MAX];
	size_t i = 0;
	int ret;

	if (allowed->count == 0)
		return 0;
	ret = place_of(program, place);
	if (ret < 0)
		return omega_error_set(error, OMEGA_SANDBOX_E_REFUSED, -ret,
		    "%.400s is refused: where it is cannot be found out: %s",
		    program, strerror(-ret));
	/* The entries of one file stand together. */
	while (i < allowed->count) {
		const struct omega_conf_text *first = &allowed->items[i];
		bool is_fitting = false;

		for (; i < allowed->count &&
		       strcmp(allowed->items[i].file, first->file) == 0;
		     i++) {
			if (is_fitting)
				continue;
			ret = fits(&allowed->items[i], safe_path, place, error);
			if (ret < 0)
				return ret;
			is_fitting = ret == 1;
		}
		if (!is_fitting)
			return refuse_program(first, program, error);
	}
	return 0;
}

struct looking {
	const struct omega_sandbox_guard *guard;
	const char *dir;
	size_t number; /* of the argument */
	struct omega_sandbox_error *error;
};

static int
refuse_argument(
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
	return refuse_argument(at, path, rule);
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
omega_screen_arguments(const struct omega_sandbox_guard *guard,
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
