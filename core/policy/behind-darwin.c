/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * behind-darwin.c - see behind.h. There is no way to look there.
 */

#include "config.h"

#include "policy/behind.h"

#include <errno.h>

int
omega_behind_find(const char *path, char *found)
{
	(void)path;
	(void)found;
	return -EACCES;
}
