/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * spawn-tests.h - the parts of test-spawn. Most tests are run twice, with
 * memory shared and with a copy of it: "both".
 */

#ifndef OMEGA_TEST_SPAWN_TESTS_H
#define OMEGA_TEST_SPAWN_TESTS_H

#include "spawning.h"

extern bool spawn_is_shared; /* false */
extern bool spawn_is_apart; /* true */

#define both(fn)                                                        \
	{#fn, fn, NULL, NULL, &spawn_is_shared},                        \
	{                                                               \
#fn "_with_own_memory", fn, NULL, NULL, &spawn_is_apart \
	}

/* Does this run want memory of its own? */
static inline bool
is_apart(void **state)
{
	return *(bool *)*state;
}

/* Each ends with an entry without a name. */
extern const struct CMUnitTest spawn_start_tests[];
extern const struct CMUnitTest spawn_fds_tests[];
extern const struct CMUnitTest spawn_world_tests[];
extern const struct CMUnitTest spawn_wait_tests[];
extern const struct CMUnitTest spawn_place_tests[];
extern const struct CMUnitTest spawn_filter_tests[];

#endif
