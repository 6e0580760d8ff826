/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * closed-dirs-darwin.c - see closed-dirs.h. There is no way to look there.
 */

#include "config.h"

#include "policy/closed-dirs.h"

#include <errno.h>

int
omega_closed_dirs_find(const char *path, char *found)
{
	(void)path;
	(void)found;
	return -EACCES;
}
