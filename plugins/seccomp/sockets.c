/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * sockets.c - see sockets.h.
 *
 * A filter sees family, type and protocol of a socket that is made, and
 * nothing of the addresses it is used with. So a list of ports is for another
 * backend, which in turn sees only the protocol of the list: the filter sees
 * to it that there is no other. A list without ports it can hold alone, by
 * leaving no socket to use one with.
 */

#include "sockets.h"

#include "filter.h"

#define ALL OMEGA_SANDBOX_ATOM_ALL
#define BIT(kind) (1u << (kind))

static int
has(const struct sockets_view *view, unsigned kind)
{
	return (view->kinds & BIT(kind)) != 0;
}

/* No TCP at all? A program that may only accept still needs a socket. */
static int
is_tcp_closed(const struct sockets_view *view)
{
	return has(view, OMEGA_SANDBOX_ATOM_CONNECT) &&
	       !view->has_connect_port && has(view, OMEGA_SANDBOX_ATOM_BIND) &&
	       !view->has_bind_port;
}

/* No UDP at all? What cannot be sent to needs no socket, but for a server. */
static int
is_udp_closed(const struct sockets_view *view)
{
	return has(view, OMEGA_SANDBOX_ATOM_CONNECT_UDP) && !view->has_udp_port;
}

void
sockets_look(const struct omega_sandbox_request *request,
    const struct omega_sandbox_atom *const *atoms, size_t count,
    int refuses_listen, struct sockets_view *view)
{
	size_t i;

	*view = (struct sockets_view){.refuses_listen = refuses_listen};
	view->refuses_unix = OMEGA_SANDBOX_HAS(request, unix_sockets) &&
			     request->unix_sockets == OMEGA_SANDBOX_UNIX_NONE;
	for (i = 0; i < count; i++)
		if (atoms[i]->kind <= OMEGA_SANDBOX_ATOM_BIND_UDP)
			view->kinds |= BIT(atoms[i]->kind);
	if (!OMEGA_SANDBOX_HAS(request, bind_udp)) {
		/* There may be ports: do not take the sockets away. */
		view->has_connect_port = 1;
		view->has_bind_port = 1;
		view->has_udp_port = 1;
		return;
	}
	view->has_connect_port = request->connect.count != 0;
	view->has_bind_port = request->bind.count != 0;
	view->has_udp_port =
	    request->connect_udp.count != 0 || request->bind_udp.count != 0;
	/* Lists with ports are known also when another holds them whole. */
	if (request->connect_udp.count != 0)
		view->kinds |= BIT(OMEGA_SANDBOX_ATOM_CONNECT_UDP);
	if (request->bind_udp.count != 0)
		view->kinds |= BIT(OMEGA_SANDBOX_ATOM_BIND_UDP);
}

static uint32_t
held_of_listen(const struct sockets_view *view, const char **why)
{
	if (is_tcp_closed(view))
		return ALL;
	if (!has(view, OMEGA_SANDBOX_ATOM_BIND) || view->has_bind_port) {
		*why = "listen(2) is needed for the ports that can be bound";
		return 0;
	}
	if (view->refuses_listen)
		return ALL;
	*why = "listen(2) does not show the family, and UNIX servers need it; "
	       "listen = false in plugin \"seccomp\" refuses it for all";
	return 0;
}

uint32_t
sockets_held(const struct sockets_view *view,
    const struct omega_sandbox_atom *atom, const char **why)
{
	const uint32_t around = OMEGA_SANDBOX_ATOM_CREATE;

	*why = "ports are in memory, where a filter does not look: Landlock "
	       "holds them";
	switch (atom->kind) {
	case OMEGA_SANDBOX_ATOM_NETWORK:
		return (ALL | around) & atom->access;
	case OMEGA_SANDBOX_ATOM_FAMILIES:
		return ALL & atom->access;
	case OMEGA_SANDBOX_ATOM_CONNECT:
	case OMEGA_SANDBOX_ATOM_BIND:
		return (around | (is_tcp_closed(view) ? ALL : 0)) &
		       atom->access;
	case OMEGA_SANDBOX_ATOM_CONNECT_UDP:
	case OMEGA_SANDBOX_ATOM_BIND_UDP:
		return (around | (is_udp_closed(view) ? ALL : 0)) &
		       atom->access;
	case OMEGA_SANDBOX_ATOM_OUTSIDE_SOCKETS:
	case OMEGA_SANDBOX_ATOM_ABSTRACT_SOCKETS:
		*why = "names of sockets are in memory, where a filter does "
		       "not look; unix_sockets = none refuses them all";
		return view->refuses_unix ? atom->access & (ALL | around) : 0;
	case OMEGA_SANDBOX_ATOM_LISTEN:
		return held_of_listen(view, why) & atom->access;
	default:
		*why = NULL;
		return 0;
	}
}

/* Groups for a rule about ports; is_closed: the protocol is to go too. */
static unsigned
port_groups(uint32_t kind, int is_closed)
{
	unsigned groups = FILTER_FAMILIES | FILTER_PROTOCOLS;

	if (kind == OMEGA_SANDBOX_ATOM_CONNECT)
		groups |= FILTER_FAST_OPEN;
	if (is_closed)
		groups |= kind == OMEGA_SANDBOX_ATOM_CONNECT ||
				  kind == OMEGA_SANDBOX_ATOM_BIND
			      ? FILTER_TCP
			      : FILTER_UDP;
	return groups;
}

/*
 * UDP goes around a rule for TCP, unless the policy has one for UDP as well.
 */
static int
is_udp_around(const struct sockets_view *view)
{
	return (has(view, OMEGA_SANDBOX_ATOM_CONNECT) &&
		   !has(view, OMEGA_SANDBOX_ATOM_CONNECT_UDP)) ||
	       (has(view, OMEGA_SANDBOX_ATOM_BIND) &&
		   !has(view, OMEGA_SANDBOX_ATOM_BIND_UDP));
}

unsigned
sockets_groups(const struct sockets_view *view,
    const struct omega_sandbox_atom *const *atoms, size_t count)
{
	unsigned groups = 0;
	int refuses_listen = 0;
	size_t i;

	for (i = 0; i < count; i++)
		switch (atoms[i]->kind) {
		case OMEGA_SANDBOX_ATOM_NETWORK:
			groups |= FILTER_INTERNET;
			break;
		case OMEGA_SANDBOX_ATOM_FAMILIES:
			groups |= FILTER_FAMILIES;
			break;
		case OMEGA_SANDBOX_ATOM_CONNECT:
		case OMEGA_SANDBOX_ATOM_BIND:
		case OMEGA_SANDBOX_ATOM_CONNECT_UDP:
		case OMEGA_SANDBOX_ATOM_BIND_UDP:
			groups |= port_groups(
			    atoms[i]->kind, (atoms[i]->access & ALL) != 0);
			break;
		case OMEGA_SANDBOX_ATOM_LISTEN:
			refuses_listen = 1;
			break;
		case OMEGA_SANDBOX_ATOM_OUTSIDE_SOCKETS:
		case OMEGA_SANDBOX_ATOM_ABSTRACT_SOCKETS:
		case OMEGA_SANDBOX_ATOM_LAUNCHER_SOCKETS:
			if (view->refuses_unix)
				groups |= FILTER_UNIX;
			break;
		default:
			break;
		}
	if ((groups & FILTER_PROTOCOLS) != 0 && is_udp_around(view))
		groups |= FILTER_UDP;
	if ((groups & FILTER_TCP) != 0 && (groups & FILTER_UDP) != 0)
		groups |= FILTER_INTERNET;
	if (refuses_listen && (groups & (FILTER_TCP | FILTER_INTERNET)) == 0)
		groups |= FILTER_LISTEN;
	/* Where there is no such socket there is nothing to look after. */
	if ((groups & FILTER_INTERNET) != 0)
		groups &= ~(unsigned)(FILTER_PROTOCOLS | FILTER_TCP |
				      FILTER_UDP | FILTER_FAST_OPEN);
	else if ((groups & FILTER_TCP) != 0)
		groups &= ~(unsigned)FILTER_FAST_OPEN;
	return groups;
}
