/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * sockets.h - the path sockets behind which programs listen.
 */

#ifndef NAMESPACE_SOCKETS_H
#define NAMESPACE_SOCKETS_H

#include "ops.h"
#include "setup.h"

/* Add a mask for everything that is to be hidden. 0 or -errno. */
int sockets_add(const struct setup *setup, struct ops *ops);

#endif
