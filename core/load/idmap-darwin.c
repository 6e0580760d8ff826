/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * idmap-darwin.c - see idmap.h. There are no user namespaces: every owner has
 * a number of his own.
 */

#include "config.h"

#include "load/idmap.h"

void
omega_idmap_read(struct omega_idmap *map)
{
	*map = (struct omega_idmap){.is_namespace = false};
}
