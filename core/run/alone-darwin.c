/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * alone-darwin.c - see alone.h.
 */

#include "config.h"

#include "run/alone.h"

#include <libproc.h>
#include <unistd.h>

bool
omega_alone(void)
{
	struct proc_taskinfo info;

	return proc_pidinfo(getpid(), PROC_PIDTASKINFO, 0, &info,
		   sizeof(info)) == (int)sizeof(info) &&
	       info.pti_threadnum == 1;
}
