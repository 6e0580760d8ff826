/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * rights-darwin.c - see rights.h. There are no user namespaces: every owner has
 * a number of his own.
 */

#include "config.h"

#include "base/rights.h"

#include <unistd.h>

bool
omega_rights_override(void)
{
	return getuid() == 0 || geteuid() == 0;
}

bool
omega_rights_are_raised(void)
{
	return issetugid() != 0;
}

void
omega_rights_read_map(struct omega_rights_map *map)
{
	*map = (struct omega_rights_map){.is_namespace = false};
}
