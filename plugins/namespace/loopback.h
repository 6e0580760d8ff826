/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * loopback.h - the one device of a new network namespace.
 */

#ifndef NAMESPACE_LOOPBACK_H
#define NAMESPACE_LOOPBACK_H

/* Bring it up in the namespace we are in. 0 or -errno. */
int loopback_raise(void);

#endif
