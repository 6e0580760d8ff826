/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * devices.h - the devices there are to try.
 */

#ifndef OMEGA_VERIFY_DEVICES_H
#define OMEGA_VERIFY_DEVICES_H

#include <stddef.h>

#include <omega/sandbox.h>

/*
 * Samples of /dev, if that is the target: all that is neither harmless, nor
 * given back, nor does something when it is merely opened. 0 or -errno.
 */
int devices_take(const struct omega_sandbox *sandbox, const char *target,
    char *extra, size_t size);

#endif
