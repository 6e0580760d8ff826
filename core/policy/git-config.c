/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * git-config.c - see git-config.h.
 *
 * A reader that is more lenient than git: a line it does not understand is
 * passed over, and the rest is read.
 */

#include "config.h"

#include "policy/git-config.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/leased.h"

#define MAX_SIZE (256 << 10)

enum section { OTHER, CORE, INCLUDE };

struct reading {
	const char *at;
	enum section section;
	omega_git_config_take *take;
	void *arg;
};

static void
skip_blank(struct reading *in)
{
	while (*in->at == ' ' || *in->at == '\t' || *in->at == '\r')
		in->at++;
}

static void
skip_line(struct reading *in)
{
	in->at += strcspn(in->at, "\n");
}

/* [name], [name "sub"] or [name.sub]; a key may follow in the same line. */
static void
read_section(struct reading *in)
{
	const char *name = in->at + 1;
	size_t len = strspn(name,
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-");
	bool is_quoted = false;

	in->section = OTHER;
	if (len == 4 && strncasecmp(name, "core", len) == 0)
		in->section = CORE;
	else if ((len == 7 && strncasecmp(name, "include", len) == 0) ||
		 (len == 9 && strncasecmp(name, "includeif", len) == 0))
		in->section = INCLUDE;
	for (in->at = name + len; *in->at != '\0' && *in->at != '\n';
	     in->at++) {
		if (*in->at == '\\' && in->at[1] != '\0' && in->at[1] != '\n')
			in->at++;
		else if (*in->at == '"')
			is_quoted = !is_quoted;
		else if (*in->at == ']' && !is_quoted)
			break;
	}
	if (*in->at == ']')
		in->at++;
}

/* One byte behind a backslash; -1: nothing, the line goes on. */
static int
escaped(char c)
{
	switch (c) {
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case 'b':
		return '\b';
	case '\n':
		return -1;
	default:
		return c;
	}
}

/* To the end of the line, or of the one it goes on in. false: too long. */
static bool
read_value(struct reading *in, char value[PATH_MAX])
{
	bool is_quoted = false;
	size_t used = 0;
	size_t end = 0; /* behind the last that is no blank */

	skip_blank(in);
	while (*in->at != '\0' && *in->at != '\n') {
		int c = (unsigned char)*in->at++;

		if (c == '"') {
			is_quoted = !is_quoted;
			end = used;
			continue;
		}
		if (!is_quoted && (c == '#' || c == ';')) {
			skip_line(in);
			break;
		}
		if (c == '\\' && in->at[0] == '\r' && in->at[1] == '\n')
			in->at++;
		if (c == '\\' && *in->at != '\0') {
			c = escaped(*in->at++);
			if (c < 0)
				continue;
			end = used + 1;
		}
		if (used + 1 >= PATH_MAX)
			return false;
		value[used++] = (char)c;
		if (is_quoted || !isspace(c))
			end = used;
	}
	value[end] = '\0';
	return end > 0;
}

static int
read_key(struct reading *in)
{
	const char *name = in->at;
	char value[PATH_MAX];
	bool is_hooks;
	size_t len;

	while (isalnum((unsigned char)*in->at) || *in->at == '-')
		in->at++;
	len = (size_t)(in->at - name);
	is_hooks = in->section == CORE && len == 9 &&
		   strncasecmp(name, "hookspath", len) == 0;
	skip_blank(in);
	if (len == 0 || *in->at != '=') {
		skip_line(in);
		return 0;
	}
	in->at++;
	if (!read_value(in, value)) {
		skip_line(in);
		return 0;
	}
	if (!is_hooks && (in->section != INCLUDE || len != 4 ||
			     strncasecmp(name, "path", len) != 0))
		return 0;
	return in->take(in->arg, value, is_hooks);
}

static int
read_text(struct reading *in)
{
	int ret = 0;

	if (strncmp(in->at, "\xef\xbb\xbf", 3) == 0)
		in->at += 3;
	while (ret == 0 && *in->at != '\0') {
		skip_blank(in);
		if (*in->at == '\n')
			in->at++;
		else if (*in->at == '[')
			read_section(in);
		else if (*in->at == '#' || *in->at == ';')
			skip_line(in);
		else if (*in->at != '\0')
			ret = read_key(in);
	}
	return ret;
}

int
omega_git_config_read(const char *file, omega_git_config_take *take, void *arg)
{
	struct reading in = {.take = take, .arg = arg};
	char *text = NULL;
	ssize_t len = 0;
	size_t used = 0;
	int ret = 0;
	int fd;

	fd = omega_leased_open(AT_FDCWD, file, O_RDONLY | O_NOCTTY, 0);
	if (fd < 0)
		return 0;
	text = malloc(MAX_SIZE + 1);
	if (text == NULL)
		ret = -ENOMEM;
	while (ret == 0 && used < MAX_SIZE &&
	       (len = read(fd, text + used, MAX_SIZE - used)) > 0)
		used += (size_t)len;
	close(fd);
	if (ret == 0) {
		text[used] = '\0';
		in.at = text;
		ret = read_text(&in);
	}
	free(text);
	return ret == 0 && used == MAX_SIZE ? -EFBIG : ret;
}
