/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * ports.c - see ports.h.
 */

#include "ports.h"

#include <errno.h>

#include "calls.h"
#include "rights.h"

static const struct {
	uint32_t kind;
	int abi;
	uint64_t right;
} table[] = {
    {OMEGA_SANDBOX_ATOM_BIND, 4, NET_BIND_TCP},
    {OMEGA_SANDBOX_ATOM_CONNECT, 4, NET_CONNECT_TCP},
    {OMEGA_SANDBOX_ATOM_BIND_UDP, 10, NET_BIND_UDP},
    {OMEGA_SANDBOX_ATOM_CONNECT_UDP, 10, NET_CONNECT_SEND_UDP},
};

#define COUNT (sizeof(table) / sizeof(table[0]))

uint64_t
ports_right(uint32_t kind)
{
	size_t i;

	for (i = 0; i < COUNT; i++)
		if (table[i].kind == kind)
			return table[i].right;
	return 0;
}

int
ports_abi(uint32_t kind)
{
	size_t i;

	for (i = 0; i < COUNT; i++)
		if (table[i].kind == kind)
			return table[i].abi;
	return 0;
}

static int
allow_list(int ruleset, uint64_t right, const struct omega_sandbox_ports *ports)
{
	size_t i;

	for (i = 0; right != 0 && i < ports->count; i++) {
		struct calls_port rule = {
		    .allowed = right, .port = ports->list[i]};

		if (calls_allow_port(ruleset, &rule) != 0)
			return -errno;
	}
	return 0;
}

int
ports_allow(
    int ruleset, uint64_t handled, const struct omega_sandbox_request *request)
{
	int ret;

	ret = allow_list(ruleset, handled & NET_BIND_TCP, &request->bind);
	if (ret == 0)
		ret = allow_list(
		    ruleset, handled & NET_CONNECT_TCP, &request->connect);
	if (ret == 0)
		ret = allow_list(
		    ruleset, handled & NET_BIND_UDP, &request->bind_udp);
	if (ret == 0)
		ret = allow_list(ruleset, handled & NET_CONNECT_SEND_UDP,
		    &request->connect_udp);
	return ret;
}
