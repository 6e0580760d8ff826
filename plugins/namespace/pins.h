/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * pins.h - what is mounted onto itself, so that it stays where it is.
 */

#ifndef NAMESPACE_PINS_H
#define NAMESPACE_PINS_H

#include "ops.h"
#include "setup.h"

/* Mount what the caller could rename of path and above onto itself; type is
 * REQUEST_PIN or REQUEST_PIN_SOCKET. 0 or -errno. */
int pins_add_way(const struct setup *setup, struct ops *ops, uint32_t type,
    const char *path);

#endif
