/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * guarded.h - a home and its guard, anew for each test of a program.
 */

#ifndef OMEGA_TEST_GUARDED_H
#define OMEGA_TEST_GUARDED_H

#include "scene.h"

#include <omega/sandbox.h>

static struct home home;
static struct omega_sandbox_guard *guard;

static int
setup(void **state)
{
	(void)state;
	home_make(&home);
	guard = NULL;
	return omega_sandbox_guard_new(
	    home.dir, home.config_path, &guard, NULL);
}

static int
teardown(void **state)
{
	(void)state;
	omega_sandbox_guard_free(guard);
	return 0;
}

#endif
