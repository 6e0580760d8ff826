/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * cgroup-darwin.c - see cgroup.h. There are no control groups here.
 */

#include "config.h"

#include "launch/cgroup.h"

#include <errno.h>

unsigned
omega_cgroup_find(char dir[PATH_MAX])
{
	dir[0] = '\0';
	return 0;
}

int
omega_cgroup_open_dir(const char *dir)
{
	(void)dir;
	return -ENOTSUP;
}

int
omega_cgroup_enter(const void *state)
{
	(void)state;
	return -ENOTSUP;
}

void
omega_cgroup_leave(int dir_fd, uint64_t number)
{
	(void)dir_fd;
	(void)number;
}

void
omega_cgroup_tidy(int dir_fd)
{
	(void)dir_fd;
}
