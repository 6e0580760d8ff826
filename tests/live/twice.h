/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * twice.h - a live test runs in a child: as root where that is possible, then
 * as an ordinary user.
 */

#ifndef OMEGA_TEST_TWICE_H
#define OMEGA_TEST_TWICE_H

#include <stddef.h>
#include <sys/types.h>

/* fn gets a directory of its own and returns how many faults it found. */
void twice(int (*fn)(void *));

/* A directory for this user that nobody else may write: a configuration will
 * be in there. */
void twice_scratch(char *base, size_t size, uid_t uid);

#define TWICE(name)                           \
	static void test_##name(void **state) \
	{                                     \
		(void)state;                  \
		twice(name);                  \
	}

#endif
