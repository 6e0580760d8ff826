/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * names.h - other names a place has on this host: by other mounts, and by
 * overlays and their layers.
 */

#ifndef OMEGA_VERIFY_NAMES_H
#define OMEGA_VERIFY_NAMES_H

#include <stddef.h>

/*
 * Lines of other names of what is at target: those where the same object is,
 * or where the file secret below it ("": itself) has the token in it. 0, or
 * -errno when there are none.
 */
int names_take(const char *target, const char *secret, const char *token,
    char *extra, size_t size);

#endif
