/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * mock-constructor.c - no plugin, but it does something when it is loaded: it
 * makes the file that OMEGA_MOCK_MARK names.
 */

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void
leave_a_mark(void)
{
	const char *path = getenv("OMEGA_MOCK_MARK");
	int fd;

	if (path == NULL)
		return;
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd >= 0)
		close(fd);
}
