/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * known-sockets.h - the well-known places of sockets and pipes, for all
 * backends.
 */

#ifndef OMEGA_POLICY_KNOWN_SOCKETS_H
#define OMEGA_POLICY_KNOWN_SOCKETS_H

#include <stddef.h>

#include <omega/sandbox-plugin.h>

struct omega_known_sockets {
	struct omega_sandbox_service *list; /* owns the paths */
	const struct omega_sandbox_service **pointers; /* as plugins see them */
	size_t count;
};

/* As they are for this caller. 0 or -ENOMEM; to be dropped in any case. */
int omega_known_sockets_make(struct omega_known_sockets *services);
void omega_known_sockets_drop(struct omega_known_sockets *services);

#endif
