/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * names.h - other names a place has on this host: by other mounts, and by
 * overlays and their layers.
 */

#ifndef OMEGA_VERIFY_NAMES_H
#define OMEGA_VERIFY_NAMES_H

#include <stddef.h>

#include "attempt.h"

/*
 * Lines of other names of what is at target: those where the same object is,
 * or where the file secret below it ("": itself) has the token in it. 0, or
 * -errno when there are none.
 */
int names_take(const char *target, const char *secret, const char *token,
    char *extra, size_t size);

/* Call fn for each of these names until one works; what worked is told. What
 * fn returned last, or ENODATA when there are none. */
int names_each(
    struct attempt_input *in, int (*fn)(struct attempt_input *, const char *));

#endif
