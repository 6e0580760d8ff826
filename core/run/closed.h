/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * closed.h - is a name at or below one of these places? Asked in the child: no
 * function of a library is called.
 */

#ifndef OMEGA_RUN_CLOSED_H
#define OMEGA_RUN_CLOSED_H

#include <stdbool.h>
#include <stddef.h>

#include "run/plain.h"

OMEGA_PLAIN static inline bool
omega_closed_has(char *const *paths, size_t count, const char *name)
{
	size_t i;

	for (i = 0; i < count; i++) {
		const char *path = paths[i];
		size_t at = 0;

		while (path[at] != '\0' && path[at] == name[at])
			at++;
		if (path[at] == '\0' && (name[at] == '\0' || name[at] == '/'))
			return true;
	}
	return false;
}

#endif
