/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * wake-linux.c - see wake.h.
 */

#include "config.h"

#include "run/wake.h"

#include <sys/eventfd.h>
#include <errno.h>
#include <stdint.h>
#include <unistd.h>

int
omega_wake_make(void)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	return fd < 0 ? -errno : fd;
}

int
omega_wake_set(int fd)
{
	const uint64_t one = 1;

	return write(fd, &one, sizeof(one)) == (ssize_t)sizeof(one) ? 0
								    : -errno;
}
