/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * wire.h - how omega-sandbox-hosts is told what to do.
 *
 * Its descriptor 0 is one end of a socket of packets. The first has the
 * entries, each on a line of its own behind "+" (listed) or "-" (denied), and
 * "!" for names = any. It answers with a plan, for who makes the network
 * namespace and has the other end then: addresses that are to lead to the
 * sockets there, and ports. The last packet brings these sockets, in the order
 * of enum omega_wire_fd.
 */

#ifndef OMEGA_HOSTS_WIRE_H
#define OMEGA_HOSTS_WIRE_H

#include <stdint.h>

#define OMEGA_WIRE_PROGRAM "omega-sandbox-hosts"
#define OMEGA_WIRE_MAX_TEXT (64u << 10)
#define OMEGA_WIRE_MAX_PORTS 200 /* with the others they fit into a packet */
#define OMEGA_WIRE_MAX_ROUTES 512

/* The address that commands have, and look up names at. */
#define OMEGA_WIRE_OWN "198.18.0.1"

struct omega_wire_route {
	uint8_t address[16]; /* IPv4 as ::ffff:a.b.c.d */
	uint8_t prefix; /* of 128 bits */
};

struct omega_wire_plan {
	uint32_t error; /* errno, 0: good */
	uint32_t port_count;
	uint32_t route_count;
	uint16_t ports[OMEGA_WIRE_MAX_PORTS];
	struct omega_wire_route routes[OMEGA_WIRE_MAX_ROUTES];
};

enum omega_wire_fd {
	OMEGA_WIRE_UDP, /* where names are asked for */
	OMEGA_WIRE_TCP,
	OMEGA_WIRE_END, /* inotify: the file system with the files is gone */
	OMEGA_WIRE_PORTS /* listening, in the order of the plan */
};

#endif
