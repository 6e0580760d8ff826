/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * capture-tests.h - the parts of test-capture.
 */

#ifndef OMEGA_TEST_CAPTURE_TESTS_H
#define OMEGA_TEST_CAPTURE_TESTS_H

#include "harness.h"
#include "twice.h"

#define CAPTURE(name)                                                    \
	static void test_##name(void **state)                            \
	{                                                                \
		(void)state;                                             \
		if (is_under_valgrind())                                 \
			skip_because("valgrind knows no pidfd_open(2)"); \
		twice(name);                                             \
	}

/* Each ends with an entry without a name. */
extern const struct CMUnitTest capture_output_tests[];
extern const struct CMUnitTest capture_attacked_tests[];
extern const struct CMUnitTest capture_end_tests[];
extern const struct CMUnitTest capture_groups_tests[];
extern const struct CMUnitTest capture_hosts_tests[];
extern const struct CMUnitTest capture_signals_tests[];

#endif
