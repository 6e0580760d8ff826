/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * sockets.h - which atoms about sockets a filter can hold, and what it then
 * has to refuse.
 */

#ifndef OMEGA_SECCOMP_SOCKETS_H
#define OMEGA_SECCOMP_SOCKETS_H

#include <omega/sandbox-plugin.h>

/* What the answer about one atom depends on beside the atom. */
struct sockets_view {
	unsigned kinds; /* bit N: there is an atom of kind N */
	int has_connect_port; /* the lists are not empty */
	int has_bind_port;
	int has_udp_port; /* in one of the two lists */
	int refuses_unix; /* the policy wants no UNIX sockets */
	int refuses_listen; /* listen(2) may be refused altogether */
};

/* Look at all atoms of a request, those of others included if they are
 * among them. */
void sockets_look(const struct omega_sandbox_request *request,
    const struct omega_sandbox_atom *const *atoms, size_t count,
    int refuses_listen, struct sockets_view *view);

/* The bits of the atom that are held. *why is set when there are others, and
 * is NULL for kinds that have nothing to do with sockets. */
uint32_t sockets_held(const struct sockets_view *view,
    const struct omega_sandbox_atom *atom, const char **why);

/* Groups of filter.h for the atoms that were assigned. */
unsigned sockets_groups(const struct sockets_view *view,
    const struct omega_sandbox_atom *const *atoms, size_t count);

#endif
