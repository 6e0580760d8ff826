/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * twice.c - see twice.h.
 */

#include "harness.h"

#include "twice.h"

#include <sys/stat.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void
twice_scratch(char *base, size_t size, uid_t uid)
{
	snprintf(base, size, "%s", scratch_dir());
	if (chmod(base, 0755) != 0 ||
	    (geteuid() == 0 && chown(base, uid, uid) != 0))
		fail_msg("%s: %s", base, strerror(errno));
}

void
twice(int (*fn)(void *))
{
	char base[PATH_MAX];
	int as_root = 0;
	int as_user;

	if (geteuid() == 0) {
		twice_scratch(base, sizeof(base), 0);
		as_root = in_child(fn, base);
	}
	twice_scratch(
	    base, sizeof(base), geteuid() == 0 ? SPARE_UID : geteuid());
	as_user = in_user_child(fn, base);
	if (as_root != 0 || as_user != 0)
		fail_msg("%d faults as root, %d as a user", as_root, as_user);
}
