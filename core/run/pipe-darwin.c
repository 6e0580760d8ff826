/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * pipe-darwin.c - see pipe.h.
 */

#include "config.h"

#include "run/pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int
omega_pipe_make(int ends[2], int flags)
{
	int saved;
	int i;

	if (pipe(ends) != 0)
		return -errno;
	for (i = 0; i < 2; i++)
		if (fcntl(ends[i], F_SETFD, FD_CLOEXEC) != 0 ||
		    (flags != 0 && fcntl(ends[i], F_SETFL, flags) != 0))
			break;
	if (i == 2)
		return 0;
	saved = errno;
	close(ends[0]);
	close(ends[1]);
	return -saved;
}
