/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * ask.c - what our reader of Mach-O files says about the files of a build:
 * "ask object FILE" and "ask loader FILE". Built for the machine that builds,
 * by build.sh.
 */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "launch/interpreter.h"
#include "load/object.h"

int
main(int argc, char **argv)
{
	char path[PATH_MAX] = "none";
	int fd;
	int ret;

	if (argc != 3)
		return 2;
	fd = open(argv[2], O_RDONLY);
	if (fd < 0) {
		perror(argv[2]);
		return 2;
	}
	if (strcmp(argv[1], "loader") == 0) {
		(void)omega_interpreter_loader(fd, path);
		puts(path);
		return 0;
	}
	ret = omega_object_check(fd);
	puts(ret == 0		? "shared"
	     : ret == -EBADMSG	? "foreign"
	     : ret == -ENOEXEC	? "damaged"
				: strerror(-ret));
	return 0;
}
