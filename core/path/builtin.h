/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * builtin.h - what the product knows of systems: their directories, devices
 * that do no harm, who starts programs for others, what runs by itself. The
 * backends are told in their request, and have no lists of their own.
 */

#ifndef OMEGA_PATH_BUILTIN_H
#define OMEGA_PATH_BUILTIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "path/rules.h"

/* The directories of the system, of all systems, which nobody changes: as rules
 * (omega_rules_system) and as names, ended by NULL. */
extern const char *const omega_builtin_system_dirs[];

/* What every program needs of /dev, and what leads nowhere; ended by NULL. */
extern const char *const omega_builtin_devices[];

/* The well-known places of sockets and pipes. */
struct omega_builtin_service {
	uint32_t type; /* enum omega_sandbox_service_type */
	const char *path; /* %u is the number of the caller */
};
extern const struct omega_builtin_service omega_builtin_services[];
extern const size_t omega_builtin_service_count;

/*
 * What the machine runs or obeys by itself, with root's rights, as soon as a
 * file appears in it. Only root can write there, so only a command of root's
 * has to be kept off. The path checks that need no policy keep to their
 * documented list, which has none of these. Ends with NULL for a path.
 */
struct omega_builtin_unattended {
	const char *path;
	/* It is looked for though nobody has made it, and hardly ever there:
	 * that it cannot be made is a guarantee of its own. */
	bool is_obeyed;
};
extern const struct omega_builtin_unattended omega_builtin_unattended[];

#endif
