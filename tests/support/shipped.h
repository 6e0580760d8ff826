/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * shipped.h - the policies that come with the product, for tests.
 */

#ifndef OMEGA_TEST_SHIPPED_H
#define OMEGA_TEST_SHIPPED_H

#include "load/sandbox.h"

/* Copy the *.conf of a directory of the source, which need not be trusted, to
 * a new one. How many there were; -1 after a failure. */
int shipped_copy(const char *from, const char *to);

/*
 * A sandbox with copies of etc/shipped below base, file (which may be absent)
 * as the administrator's configuration, and plugins from plugindir. NULL: it
 * was said why.
 */
struct omega_sandbox *shipped_open(
    const char *base, const char *file, const char *plugindir);

#endif
