/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * interpreter-elf.c - see interpreter.h.
 */

#include "config.h"

#include "launch/interpreter.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#define MAX_HEADERS 64

bool
omega_interpreter_loader(int fd, char path[PATH_MAX])
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
