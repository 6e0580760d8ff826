/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * net-tries.c - see net-tries.h.
 */

#include "net-tries.h"

#include <sys/socket.h>
#include <sys/syscall.h>
#include <arpa/inet.h>
#include <errno.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#define MPTCP 262
#define SMC 256

/* ---- Making a socket ------------------------------------------------------
 */

static int
make(int family, int type, int protocol)
{
	int fd = socket(family, type | SOCK_CLOEXEC, protocol);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

#define MAKE(name, family, type, protocol)           \
	static int name(const struct net_ground *g)  \
	{                                            \
		(void)g;                             \
		return make(family, type, protocol); \
	}

MAKE(make_udp_lite, AF_INET, SOCK_DGRAM, 136)
MAKE(make_ping, AF_INET, SOCK_DGRAM, IPPROTO_ICMP)
MAKE(make_raw, AF_INET, SOCK_RAW, IPPROTO_TCP)
MAKE(make_raw6, AF_INET6, SOCK_RAW, IPPROTO_RAW)
MAKE(make_packet, AF_PACKET, SOCK_RAW, htons(3))
MAKE(make_old_packet, AF_INET, SOCK_PACKET, htons(3))
MAKE(make_vsock, AF_VSOCK, SOCK_STREAM, 0)
MAKE(make_alg, AF_ALG, SOCK_SEQPACKET, 0)
MAKE(make_xdp, 44, SOCK_RAW, 0)
MAKE(make_smc, 43, SOCK_STREAM, 0)
MAKE(make_smc_protocol, AF_INET, SOCK_STREAM, SMC)
MAKE(make_sctp, AF_INET, SOCK_STREAM, IPPROTO_SCTP)
MAKE(make_dccp, AF_INET, SOCK_DCCP, 33)
MAKE(make_tipc, 30, SOCK_RDM, 0)

/* Bits above those that the kernel looks at. */
static int
make_with_junk(const struct net_ground *g)
{
	const uint64_t junk = 0x5500000000000000;
	long fd;

	(void)g;
	fd = syscall(SYS_socket, AF_INET | junk,
	    SOCK_STREAM | SOCK_NONBLOCK | junk, junk);
	if (fd < 0)
		return errno;
	close((int)fd);
	return 0;
}

/* ---- Reaching somebody ----------------------------------------------------
 */

struct sockaddr_in
net_tries_address(const struct net_ground *g)
{
	return (struct sockaddr_in){.sin_family = AF_INET,
	    .sin_port = htons(g->port),
	    .sin_addr = {htonl(INADDR_LOOPBACK)}};
}

static int
connect_by(const struct net_ground *g, int protocol)
{
	struct sockaddr_in to = net_tries_address(g);
	int fd = socket(AF_INET, SOCK_STREAM, protocol);
	int error = 0;

	if (fd < 0)
		return errno;
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) != 0)
		error = errno;
	close(fd);
	return error;
}

static int
try_tcp(const struct net_ground *g)
{
	return connect_by(g, 0);
}

static int
try_mptcp(const struct net_ground *g)
{
	return connect_by(g, MPTCP);
}

static int
try_tcp6(const struct net_ground *g)
{
	struct sockaddr_in6 to = {
	    .sin6_family = AF_INET6, .sin6_port = htons(g->port)};
	int fd = socket(AF_INET6, SOCK_STREAM, IPPROTO_TCP);
	int error = 0;

	if (fd < 0)
		return errno;
	inet_pton(AF_INET6, "::ffff:127.0.0.1", &to.sin6_addr);
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) != 0)
		error = errno;
	close(fd);
	return error;
}

static int
try_udp(const struct net_ground *g)
{
	struct sockaddr_in to = net_tries_address(g);
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	int error = 0;

	if (fd < 0)
		return errno;
	if (sendto(fd, "x", 1, 0, (struct sockaddr *)&to, sizeof(to)) != 1)
		error = errno;
	close(fd);
	return error;
}

/* The number of the server, on an address of this machine it does not have. */
static int
try_bind_tcp(const struct net_ground *g)
{
	struct sockaddr_in at = net_tries_address(g);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	int error = 0;

	if (fd < 0)
		return errno;
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1);
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) != 0)
		error = errno;
	close(fd);
	return error;
}

static int
try_serve_tcp(const struct net_ground *g)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	int error = 0;

	(void)g;
	if (fd < 0)
		return errno;
	/* Not bound: the kernel finds a port. */
	if (listen(fd, 1) != 0)
		error = errno;
	close(fd);
	return error;
}

static int
try_netlink(const struct net_ground *g)
{
	struct sockaddr_nl at = {.nl_family = AF_NETLINK};
	int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	int error = 0;

	(void)g;
	if (fd < 0)
		return errno;
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) != 0)
		error = errno;
	close(fd);
	return error;
}

/* ---- All ------------------------------------------------------------------
 */

const struct net_try net_tries[] = {
    {"tcp", try_tcp},
    {"tcp6", try_tcp6},
    {"tcp-junk", make_with_junk},
    {"udp", try_udp},
    {"udp-lite", make_udp_lite},
    {"ping", make_ping},
    {"raw", make_raw},
    {"raw6", make_raw6},
    {"mptcp", try_mptcp},
    {"sctp", make_sctp},
    {"dccp", make_dccp},
    {"smc", make_smc},
    {"smc-protocol", make_smc_protocol},
    {"fast-sendto", net_around_fast_sendto},
    {"fast-sendmsg", net_around_fast_sendmsg},
    {"fast-sendmmsg", net_around_fast_sendmmsg},
    {"fast-connect", net_around_fast_connect},
    {"ulp", net_around_ulp},
    {"packet", make_packet},
    {"packet-old", make_old_packet},
    {"netlink", try_netlink},
    {"vsock", make_vsock},
    {"alg", make_alg},
    {"xdp", make_xdp},
    {"tipc", make_tipc},
    {"io_uring", net_around_ring},
    {"io_uring-enter", net_around_ring_enter},
    {"io_uring-register", net_around_ring_register},
    {"foreign", net_process_foreign},
    {"unix-pair", net_unix_pair},
    {"unix-path", net_unix_path},
    {"unix-abstract", net_unix_abstract},
    {"unix-serve", net_unix_serve_unix},
    {"tcp-bind", try_bind_tcp},
    {"tcp-serve", try_serve_tcp},
    {"fork", net_process_fork},
    {"vfork", net_process_vfork},
    {"spawn", net_process_spawn},
    {"system", net_process_system},
    {"clone", net_process_clone},
    {"clone3", net_process_clone3},
    {"thread", net_process_thread},
    {NULL, NULL},
};

int
net_tries_run(const struct net_ground *ground)
{
	const struct net_try *at;

	signal(SIGPIPE, SIG_IGN);
	for (at = net_tries; at->name != NULL; at++) {
		printf("%s %d\n", at->name, at->run(ground));
		fflush(stdout);
	}
	return 0;
}
