/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * apply-other.c - see apply.h. Of systems that are not macOS.
 */

#include "apply.h"

#include <sys/utsname.h>
#include <errno.h>
#include <stdio.h>

void
apply_probe(struct omega_sandbox_probe *probe)
{
	struct utsname system;

	if (uname(&system) != 0)
		snprintf(system.sysname, sizeof(system.sysname), "not macOS");
	snprintf(probe->reason, sizeof(probe->reason),
	    "sandbox profiles are a matter of macOS; this is %.64s",
	    system.sysname);
	snprintf(probe->network_reason, sizeof(probe->network_reason), "%.250s",
	    probe->reason);
}

int
apply_is_here(void)
{
	return 0;
}

int
apply_has_self(void)
{
	return 0;
}

int
apply_to_self(const char *text, const char *const *params)
{
	(void)text;
	(void)params;
	return -ENOSYS;
}

int
apply_find_sockets(struct texts *sockets)
{
	(void)sockets;
	return -ENOSYS;
}
