/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * sockets.h - the path sockets bound outside that a command is not to reach,
 * as far as they can be found.
 */

#ifndef OMEGA_POLICY_SOCKETS_H
#define OMEGA_POLICY_SOCKETS_H

#include <stddef.h>
#include <stdint.h>

#include "policy/known-sockets.h"

struct omega_sockets {
	/* Where they are, ended by NULL: a socket, or a directory with nothing
	 * else in it. */
	char **list;
	size_t count;
	size_t rest; /* not where they were bound nor beside it; too many */
	int error; /* a negative errno: who is there could not be asked */
};

/*
 * Find those of the caller's own programs or, with OMEGA_SANDBOX_UNIX_OWN, all
 * that the caller could reach; allowed (ended by NULL, or NULL) excepted.
 * 0 or -ENOMEM; to be dropped in any case.
 */
int omega_sockets_find(uint32_t which,
    const struct omega_known_sockets *services, char *const *allowed,
    struct omega_sockets *sockets);

void omega_sockets_drop(struct omega_sockets *sockets);

#endif
