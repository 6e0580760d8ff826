/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * pins.c - see pins.h.
 */

#include "pins.h"

#include <limits.h>
#include <string.h>

#include "lists.h"
#include "places.h"

int
pins_add_way(
    const struct setup *setup, struct ops *ops, uint32_t type, const char *path)
{
	char at[PATH_MAX];
	char parent[PATH_MAX];
	int ret = 0;

	strcpy(at, path);
	for (; ret == 0 && at[1] != '\0'; strcpy(at, parent)) {
		/* Then so is what is above it. */
		if (ops_has(ops, type, at))
			return 0;
		places_parent(at, parent);
		if (!ops_is_covered(ops, parent) &&
		    lists_allow(setup, parent) &&
		    places_can_rename(&setup->caller, at))
			ret = ops_add(ops, type, at);
	}
	return ret;
}
