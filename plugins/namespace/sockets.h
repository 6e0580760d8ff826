/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * sockets.h - the path sockets behind which programs listen.
 */

#ifndef NAMESPACE_SOCKETS_H
#define NAMESPACE_SOCKETS_H

#include <omega/sandbox-plugin.h>

#include "ops.h"
#include "places.h"

enum sockets_hide {
	SOCKETS_OWN, /* all of the caller's, and the launchers */
	SOCKETS_LAUNCHERS, /* those known to start programs */
	SOCKETS_NONE
};

/* The option hide_sockets. */
enum sockets_hide sockets_option(const struct omega_sandbox_host *host);

/* Add a mask for every socket to be hidden. 0 or -errno. */
int sockets_add(const struct omega_sandbox_host *host,
    const struct caller *caller, struct ops *ops);

/*
 * 1 when a socket is bound by a relative name: where it is cannot be known.
 * 0 when there is none, -errno when the table cannot be read.
 */
int sockets_has_relative(void);

#endif
