/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * alone-linux.c - see alone.h.
 */

#include "config.h"

#include "run/alone.h"

#include <sys/stat.h>
#include <errno.h>
#include <sched.h>

bool
omega_alone(void)
{
	struct stat st;

	/* To unshare memory nobody shares does nothing; else it is EINVAL. */
	if (unshare(CLONE_VM) == 0)
		return true;
	if (errno == EINVAL)
		return false;
	/* Filters forbid unshare. Each thread is a link of this directory. */
	return stat("/proc/self/task", &st) == 0 && st.st_nlink == 3;
}
