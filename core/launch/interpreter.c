/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * interpreter.c - see interpreter.h.
 */

#include "config.h"

#include "launch/interpreter.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/leased.h"

#define LINE_SIZE 256 /* as much of a script as the kernel looks at */

static bool
find_after_marks(int fd, char path[PATH_MAX])
{
	char line[LINE_SIZE + 1];
	ssize_t size = pread(fd, line, LINE_SIZE, 0);
	const char *name = line + 2;
	size_t len;

	if (size < 3 || line[0] != '#' || line[1] != '!')
		return false;
	line[size] = '\0';
	name += strspn(name, " \t");
	len = strcspn(name, " \t\n");
	if (len == 0)
		return false;
	memcpy(path, name, len);
	path[len] = '\0';
	return true;
}

enum omega_interpreter
omega_interpreter_find(const char *file, char path[PATH_MAX])
{
	enum omega_interpreter found = OMEGA_INTERPRETER_NONE;
	int fd = omega_leased_open(AT_FDCWD, file, O_RDONLY | O_NOCTTY, 0);

	if (fd < 0)
		return OMEGA_INTERPRETER_NONE;
	if (find_after_marks(fd, path))
		found = OMEGA_INTERPRETER_OF_SCRIPT;
	else if (omega_interpreter_loader(fd, path))
		found = OMEGA_INTERPRETER_LOADER;
	close(fd);
	return found;
}
