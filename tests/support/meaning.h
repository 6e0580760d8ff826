/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * meaning.h - what atoms and grants mean for a path, read off slowly and
 * plainly: sandbox-plugin.h turned into code that shares no line with the
 * planner, the backends or the path checks.
 */

#ifndef OMEGA_TEST_MEANING_H
#define OMEGA_TEST_MEANING_H

#include <stdbool.h>

#include "policy/atoms.h"

/* Why a path is not open. */
enum meaning {
	MEANING_OPEN,
	MEANING_DENIED, /* at or below a denied place */
	MEANING_ABSENT, /* at or below a denied place that is absent */
	MEANING_UNLISTED /* no grant has it */
};

/* May path (canonical, see reference.h) be accessed: one of
 * OMEGA_SANDBOX_READ, _WRITE, _EXECUTE? */
enum meaning meaning_of(
    const struct omega_atoms *atoms, unsigned access, const char *path);

/* Is path at or below base, by components? */
bool meaning_is_below(const char *path, const char *base);

#endif
