/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * tool.c - see tool.h.
 */

#include "config.h"

#include "tool.h"

#include <errno.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int
tool_error(const char *format, ...)
{
	char text[4096 + 256];
	va_list args;
	size_t i;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	for (i = 0; text[i] != '\0'; i++)
		if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
			text[i] = '?';
	fflush(stdout);
	fprintf(stderr, "omega-sandbox: %s\n", text);
	return TOOL_ERROR;
}

int
tool_finish(int exit_status)
{
	if (fflush(stdout) != 0 || ferror(stdout))
		return tool_error(
		    "cannot write the answer: %s", strerror(errno));
	return exit_status;
}

char *
tool_default_data_dir(void)
{
	struct passwd *user;
	char *dir = NULL;

	errno = 0;
	user = getpwuid(getuid());
	if (user == NULL || user->pw_dir == NULL || user->pw_dir[0] != '/') {
		tool_error("user %lu has no home directory in the password "
			   "database: give --data-dir",
		    (unsigned long)getuid());
		return NULL;
	}
	if (asprintf(&dir, "%s/.omega", user->pw_dir) < 0) {
		tool_error("out of memory");
		return NULL;
	}
	return dir;
}

json_t *
tool_json_text(const char *text)
{
	json_t *value = json_string(text);
	size_t len = strlen(text);
	char *copy;
	size_t i;
	size_t used = 0;

	if (value != NULL)
		return value;
	/* Keep ASCII; every other byte might be part of what is broken. */
	copy = malloc(len * 3 + 1);
	if (copy == NULL)
		return NULL;
	for (i = 0; i < len; i++) {
		if (((unsigned char)text[i] & 0x80) == 0) {
			copy[used++] = text[i];
		} else {
			memcpy(copy + used, "\xef\xbf\xbd", 3);
			used += 3;
		}
	}
	value = json_stringn(copy, used);
	free(copy);
	return value;
}
