/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * refused-darwin.c - see refused.h. There is no such helper.
 */

#include "config.h"

#include "launch/refused.h"

#include <errno.h>

int
omega_launch_take_refused(int link)
{
	(void)link;
	return -ENOSYS;
}

int
omega_launch_read_refused(
    int fd, size_t index, struct omega_sandbox_refused_host *host)
{
	(void)fd;
	(void)index;
	(void)host;
	return -ENOENT;
}
