/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * interpreter.c - see interpreter.h. Programs of another kind of machine are
 * not looked into.
 */

#include "config.h"

#include "run/interpreter.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define MAX_HEADERS 64
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

static bool
find_loader(int fd, char path[PATH_MAX])
{
	ElfW(Phdr) headers[MAX_HEADERS];
	ElfW(Ehdr) head;
	ssize_t size;
	size_t i;

	if (pread(fd, &head, sizeof(head), 0) != (ssize_t)sizeof(head) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
	    head.e_phentsize != sizeof(headers[0]) ||
	    head.e_phnum > MAX_HEADERS)
		return false;
	size = (ssize_t)(head.e_phnum * sizeof(headers[0]));
	if (pread(fd, headers, (size_t)size, (off_t)head.e_phoff) != size)
		return false;
	for (i = 0; i < head.e_phnum; i++) {
		size_t len = (size_t)headers[i].p_filesz;

		if (headers[i].p_type != PT_INTERP)
			continue;
		return len > 1 && len <= PATH_MAX &&
		       pread(fd, path, len, (off_t)headers[i].p_offset) ==
			   (ssize_t)len &&
		       path[len - 1] == '\0';
	}
	return false;
}

enum omega_interpreter
omega_interpreter_find(const char *file, char path[PATH_MAX])
{
	enum omega_interpreter found = OMEGA_INTERPRETER_NONE;
	int fd = open(file, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd < 0)
		return OMEGA_INTERPRETER_NONE;
	if (find_after_marks(fd, path))
		found = OMEGA_INTERPRETER_OF_SCRIPT;
	else if (find_loader(fd, path))
		found = OMEGA_INTERPRETER_LOADER;
	close(fd);
	return found;
}
