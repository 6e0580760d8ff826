/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * secure.h - does this process have privileges its caller has not?
 *
 * The one place that knows how to find out.
 */

#ifndef OMEGA_LOAD_SECURE_H
#define OMEGA_LOAD_SECURE_H

#include <stdbool.h>

/*
 * Was the program started with raised privileges (set-user-id, set-group-id,
 * file capabilities)? Then nothing its caller says may choose files for it.
 * True when that cannot be found out. Thread-safe.
 */
bool omega_secure_is_raised(void);

#endif
