/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * sockets-darwin.c - see sockets.h. The backend of macOS asks by itself.
 */

#include "config.h"

#include "policy/sockets.h"

#include <errno.h>
#include <string.h>

int
omega_sockets_find(uint32_t which, const struct omega_known_sockets *services,
    char *const *allowed, struct omega_sockets *sockets)
{
	(void)which;
	(void)services;
	(void)allowed;
	memset(sockets, 0, sizeof(*sockets));
	sockets->error = -ENOSYS;
	return 0;
}

void
omega_sockets_drop(struct omega_sockets *sockets)
{
	memset(sockets, 0, sizeof(*sockets));
}
