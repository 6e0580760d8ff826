/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * pipe-linux.c - see pipe.h.
 */

#include "config.h"

#include "run/pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int
omega_pipe_make(int ends[2], int flags)
{
	return pipe2(ends, flags | O_CLOEXEC) == 0 ? 0 : -errno;
}
