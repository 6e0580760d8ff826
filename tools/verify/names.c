/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * names.c - other names a place has: see verify.h.
 *
 * By trial, so that nothing a backend believes about mounts is believed here
 * too: every directory something is mounted at, and every layer of an overlay,
 * is put in the place of each directory above the target.
 */

#include "config.h"

#include "verify.h"

#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct search {
	const char *target;
	const char *secret;
	const char *token;
	struct stat st; /* of the target */
	const char *point; /* of the mount that is looked at */
	char *extra;
	size_t size;
};

/* Take \ooo back, in place. */
static void
unescape(char *text)
{
	char *to = text;
	unsigned value;

	while (*text != '\0') {
		if (text[0] == '\\' && sscanf(text + 1, "%3o", &value) == 1 &&
		    strlen(text) >= 4) {
			*to++ = (char)value;
			text += 4;
		} else {
			*to++ = *text++;
		}
	}
	*to = '\0';
}

static bool
has_token(const struct search *search, const char *path)
{
	const char *file = search->secret[0] == '\0'
			       ? path
			       : ATTEMPT_JOIN(path, search->secret);
	char text[256] = "";
	ssize_t n;
	int fd = open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	return n > 0 && strstr(text, search->token) != NULL;
}

static void
look_at(struct search *search, const char *name)
{
	size_t used = strlen(search->extra);
	char path[PATH_MAX];
	struct stat st;

	/* Links may lead back to the target. */
	if (realpath(name, path) == NULL || strchr(path, '\n') != NULL ||
	    strcmp(path, search->target) == 0 || stat(path, &st) != 0)
		return;
	if ((st.st_dev != search->st.st_dev ||
		st.st_ino != search->st.st_ino) &&
	    !has_token(search, path))
		return;
	if (used + strlen(path) + 2 < search->size)
		snprintf(search->extra + used, search->size - used, "%s%s",
		    used > 0 ? "\n" : "", path);
}

/* The directory in the place of each one above the target, and of it. */
static void
look_below(struct search *search, const char *dir)
{
	const char *rest = search->target + strlen(search->target);
	char path[2 * PATH_MAX];

	for (; rest >= search->target; rest--) {
		if (*rest != '/' && *rest != '\0')
			continue;
		snprintf(path, sizeof(path), "%.4000s%.4000s",
		    dir[1] == '\0' ? "" : dir, rest);
		if (path[0] == '/')
			look_at(search, path);
	}
}

/* A layer by an absolute name, or one from above the mount. */
static void
look_in_layer(struct search *search, const char *layer)
{
	char above[PATH_MAX];
	char *slash;

	if (layer[0] == '/') {
		look_below(search, layer);
		return;
	}
	snprintf(above, sizeof(above), "%s", search->point);
	while (layer[0] != '\0' && (slash = strrchr(above, '/')) != NULL) {
		*slash = '\0';
		look_below(search, ATTEMPT_JOIN(above, layer));
	}
}

/* The value of an option of an overlay; with a list of them if it is one. */
static void
look_in_option(struct search *search, char *value, bool is_list)
{
	char *to = value;
	char *from;

	unescape(value);
	look_in_layer(search, value);
	if (!is_list)
		return;
	for (from = value; *from != '\0'; from++) {
		if (*from == '\\' && from[1] != '\0') {
			*to++ = *++from;
		} else if (*from == ':') {
			*to = '\0';
			look_in_layer(search, value);
			to = value;
		} else {
			*to++ = *from;
		}
	}
	*to = '\0';
	look_in_layer(search, value);
}

static void
look_in_options(struct search *search, char *options)
{
	static const char *const keys[] = {
	    "lowerdir=", "lowerdir+=", "datadir+=", "upperdir=", NULL};
	char *save = NULL;
	char *option;
	size_t i;

	for (option = strtok_r(options, ",", &save); option != NULL;
	     option = strtok_r(NULL, ",", &save))
		for (i = 0; keys[i] != NULL; i++)
			if (strncmp(option, keys[i], strlen(keys[i])) == 0)
				look_in_option(
				    search, option + strlen(keys[i]), i == 0);
}

/* A line of mountinfo: number, parent, device, root, point, ... - type, source,
 * options. */
static void
look_in_line(struct search *search, char *line)
{
	char *rest = strstr(line, " - ");
	char *options = NULL;
	char *save = NULL;
	char *point = NULL;
	int i;

	line[strcspn(line, "\n")] = '\0';
	if (rest == NULL)
		return;
	*rest = '\0';
	rest += 3;
	for (i = 0; i < 5; i++)
		point = strtok_r(i == 0 ? line : NULL, " ", &save);
	if (point == NULL)
		return;
	unescape(point);
	search->point = point;
	look_below(search, point);
	if (strncmp(rest, "overlay ", 8) == 0)
		options = strrchr(rest, ' ');
	if (options != NULL)
		look_in_options(search, options + 1);
}

int
names_take(const char *target, const char *secret, const char *token,
    char *extra, size_t size)
{
	struct search search = {.target = target,
	    .secret = secret,
	    .token = token,
	    .extra = extra,
	    .size = size};
	size_t capacity = 0;
	char *line = NULL;
	FILE *file;

	extra[0] = '\0';
	if (target[0] != '/' || stat(target, &search.st) != 0)
		return -ENOENT;
	file = fopen("/proc/self/mountinfo", "re");
	if (file == NULL)
		return -errno;
	while (getline(&line, &capacity, file) > 0)
		look_in_line(&search, line);
	free(line);
	fclose(file);
	return extra[0] == '\0' ? -ENOENT : 0;
}
