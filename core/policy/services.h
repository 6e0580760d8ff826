/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * services.h - the well-known places of sockets and pipes, for all backends.
 */

#ifndef OMEGA_POLICY_SERVICES_H
#define OMEGA_POLICY_SERVICES_H

#include <stddef.h>

#include <omega/sandbox-plugin.h>

struct omega_services {
	struct omega_sandbox_service *list; /* owns the paths */
	const struct omega_sandbox_service **pointers; /* as plugins see them */
	size_t count;
};

/* As they are for this caller. 0 or -ENOMEM; to be dropped in any case. */
int omega_services_make(struct omega_services *services);
void omega_services_drop(struct omega_services *services);

#endif
