/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * sockets.h - the path sockets behind which programs listen.
 */

#ifndef NAMESPACE_SOCKETS_H
#define NAMESPACE_SOCKETS_H

#include "ops.h"
#include "setup.h"

/* Add a mask for every socket to be hidden. 0 or -errno. */
int sockets_add(const struct setup *setup, struct ops *ops);

/*
 * 1 when a socket of the caller was bound by a relative name and is not where
 * the process is that has it open: where it is cannot be known.
 * 0 when there is none, -errno when the table cannot be read.
 */
int sockets_has_lost(void);

#endif
