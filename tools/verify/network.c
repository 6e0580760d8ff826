/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * network.c - ways out over the network: to servers of the tool's own on this
 * machine, which are outside as any other is, and around lists of ports.
 */

#include "config.h"

#include "attempt.h"

#include <sys/socket.h>
#include <sys/syscall.h>
#include <arpa/inet.h>
#include <linux/io_uring.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <omega/sandbox.h>

#define PROTOCOL_MPTCP 262
#define PROTOCOL_UDP_LITE 136
#define FAMILY_XDP 44
#define FAMILY_TIPC 30
#define WAIT_MS 200
#define NO_FD 1000000 /* -1 means something to io_uring_register */

/* extra: "TCP UDP FREE", port numbers; of IPv6 the same. */
static uint16_t
port_of(const struct attempt_input *in, unsigned index)
{
	const char *at = in->extra;
	char *end;
	unsigned long port = strtoul(at, &end, 10);

	while (index-- > 0) {
		at = end;
		port = strtoul(at, &end, 10);
	}
	return htons((uint16_t)port);
}

#define TCP_PORT(in) port_of(in, 0)
#define UDP_PORT(in) port_of(in, 1)
#define FREE_PORT(in) port_of(in, 2)

static struct sockaddr_in
address(uint16_t port)
{
	return (struct sockaddr_in){.sin_family = AF_INET,
	    .sin_port = port,
	    .sin_addr = {htonl(INADDR_LOOPBACK)}};
}

static struct sockaddr_in6
address6(uint16_t port, const char *host)
{
	struct sockaddr_in6 to = {.sin6_family = AF_INET6, .sin6_port = port};

	inet_pton(AF_INET6, host, &to.sin6_addr);
	return to;
}

static int
make(int family, int type, int protocol)
{
	return attempt_result(socket(family, type | SOCK_CLOEXEC, protocol));
}

/* ---- TCP ----------------------------------------------------------------- */

static int
connect_tcp(struct attempt_input *in, int protocol)
{
	struct sockaddr_in to = address(TCP_PORT(in));
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, protocol);

	if (fd < 0)
		return errno;
	return attempt_result(connect(fd, (struct sockaddr *)&to, sizeof(to)));
}

static int
connect_tcp6(struct attempt_input *in, const char *host)
{
	struct sockaddr_in6 to = address6(TCP_PORT(in), host);
	int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return errno;
	return attempt_result(connect(fd, (struct sockaddr *)&to, sizeof(to)));
}

ATTEMPT(tcp)
{
	return connect_tcp(in, 0);
}

ATTEMPT(mptcp)
{
	return connect_tcp(in, PROTOCOL_MPTCP);
}

ATTEMPT(tcp6)
{
	return connect_tcp6(in, "::1");
}

ATTEMPT(tcp_mapped)
{
	return connect_tcp6(in, "::ffff:127.0.0.1");
}

/* Data with the first packet: no connect(2) is made. */
ATTEMPT(fast_sendto)
{
	struct sockaddr_in to = address(TCP_PORT(in));
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return errno;
	return attempt_result(sendto(fd, "x", 1, MSG_FASTOPEN | MSG_NOSIGNAL,
	    (struct sockaddr *)&to, sizeof(to)));
}

static struct msghdr
message_to(struct sockaddr_in *to, struct iovec *part)
{
	return (struct msghdr){.msg_name = to,
	    .msg_namelen = sizeof(*to),
	    .msg_iov = part,
	    .msg_iovlen = 1};
}

ATTEMPT(fast_sendmsg)
{
	struct sockaddr_in to = address(TCP_PORT(in));
	char byte = 'x';
	struct iovec part = {&byte, 1};
	struct msghdr message = message_to(&to, &part);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return errno;
	return attempt_result(
	    sendmsg(fd, &message, MSG_FASTOPEN | MSG_NOSIGNAL));
}

ATTEMPT(fast_sendmmsg)
{
	struct sockaddr_in to = address(TCP_PORT(in));
	char byte = 'x';
	struct iovec part = {&byte, 1};
	struct mmsghdr message = {.msg_hdr = message_to(&to, &part)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return errno;
	return attempt_result(
	    sendmmsg(fd, &message, 1, MSG_FASTOPEN | MSG_NOSIGNAL));
}

ATTEMPT(fast_connect)
{
	struct sockaddr_in to = address(TCP_PORT(in));
	const int on = 1;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return errno;
	if (setsockopt(
		fd, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, &on, sizeof(on)) != 0 ||
	    connect(fd, (struct sockaddr *)&to, sizeof(to)) != 0)
		return errno;
	return attempt_result(send(fd, "x", 1, MSG_NOSIGNAL));
}

/* ---- UDP ----------------------------------------------------------------- */

/* Nobody there is told by an answer to the first message. */
static int
was_taken(int fd)
{
	struct pollfd wait = {.fd = fd, .events = POLLIN};
	char byte;

	poll(&wait, 1, WAIT_MS);
	if (recv(fd, &byte, 1, MSG_DONTWAIT) >= 0 || errno == EAGAIN)
		return 0;
	return errno;
}

static int
send_udp(struct attempt_input *in, int protocol)
{
	struct sockaddr_in to = address(UDP_PORT(in));
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, protocol);

	if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)) != 0 ||
	    send(fd, "x", 1, 0) != 1)
		return errno;
	return was_taken(fd);
}

ATTEMPT(udp)
{
	return send_udp(in, 0);
}

ATTEMPT(udp6)
{
	struct sockaddr_in6 to = address6(UDP_PORT(in), "::ffff:127.0.0.1");
	int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)) != 0 ||
	    send(fd, "x", 1, 0) != 1)
		return errno;
	return was_taken(fd);
}

/* Without connect(2): an error comes only where it was asked for. */
ATTEMPT(udp_sendto)
{
	struct sockaddr_in to = address(UDP_PORT(in));
	const int on = 1;
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0 ||
	    setsockopt(fd, IPPROTO_IP, IP_RECVERR, &on, sizeof(on)) != 0 ||
	    sendto(fd, "x", 1, 0, (struct sockaddr *)&to, sizeof(to)) != 1)
		return errno;
	return was_taken(fd);
}

/* ---- Making one ---------------------------------------------------------- */

#define MAKE(name, family, type, protocol)           \
	ATTEMPT(name)                                \
	{                                            \
		(void)in;                            \
		return make(family, type, protocol); \
	}

MAKE(make_tcp, AF_INET, SOCK_STREAM, 0)
MAKE(make_tcp6, AF_INET6, SOCK_STREAM, 0)
MAKE(make_udp, AF_INET, SOCK_DGRAM, 0)
MAKE(make_udp6, AF_INET6, SOCK_DGRAM, 0)
MAKE(make_udp_lite, AF_INET, SOCK_DGRAM, PROTOCOL_UDP_LITE)
MAKE(make_sctp, AF_INET, SOCK_STREAM, IPPROTO_SCTP)
MAKE(make_raw, AF_INET, SOCK_RAW, IPPROTO_TCP)
MAKE(make_raw6, AF_INET6, SOCK_RAW, IPPROTO_RAW)
MAKE(make_ping, AF_INET, SOCK_DGRAM, IPPROTO_ICMP)
MAKE(make_packet, AF_PACKET, SOCK_RAW, htons(3))
MAKE(make_old_packet, AF_INET, SOCK_PACKET, htons(3))
MAKE(make_netlink, AF_NETLINK, SOCK_RAW, NETLINK_ROUTE)
MAKE(make_uevent, AF_NETLINK, SOCK_DGRAM, NETLINK_KOBJECT_UEVENT)
MAKE(make_vsock, AF_VSOCK, SOCK_STREAM, 0)
MAKE(make_alg, AF_ALG, SOCK_SEQPACKET, 0)
MAKE(make_xdp, FAMILY_XDP, SOCK_RAW, 0)
MAKE(make_tipc, FAMILY_TIPC, SOCK_RDM, 0)

/* The kernel looks at the lower half of each word. */
static int
make_upper(int family)
{
	const uint64_t upper = 0x5500000000000000;

	return attempt_result(syscall(SYS_socket, (uint64_t)family | upper,
	    SOCK_DGRAM | SOCK_CLOEXEC | upper, upper));
}

ATTEMPT(make_upper_internet)
{
	(void)in;
	return make_upper(AF_INET);
}

ATTEMPT(make_upper_netlink)
{
	(void)in;
	return make_upper(AF_NETLINK);
}

/* A ring makes sockets that no filter sees. */
ATTEMPT(make_ring)
{
	struct io_uring_params params;

	(void)in;
	memset(&params, 0, sizeof(params));
	return attempt_result(syscall(SYS_io_uring_setup, 2, &params));
}

/* One that came from elsewhere could be used: there is none, EBADF says. */
ATTEMPT(enter_ring)
{
	(void)in;
	return attempt_reached(
	    syscall(SYS_io_uring_enter, NO_FD, 0, 0, 0, NULL, 0), EBADF);
}

ATTEMPT(register_ring)
{
	(void)in;
	return attempt_reached(
	    syscall(SYS_io_uring_register, NO_FD, 0, NULL, 0), EBADF);
}

/* Other protocols on top of a connection: asked before there is one. */
ATTEMPT(upper_protocol)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)in;
	if (fd < 0)
		return errno;
	if (setsockopt(fd, IPPROTO_TCP, TCP_ULP, "tls", 4) == 0 ||
	    errno == ENOTCONN || errno == ENOENT)
		return 0;
	return errno;
}

/* ---- Ports of one's own -------------------------------------------------- */

static int
bind_port(uint16_t port, int type, int protocol)
{
	struct sockaddr_in at = address(port);
	int fd = socket(AF_INET, type | SOCK_CLOEXEC, protocol);

	if (fd < 0)
		return errno;
	return attempt_result(bind(fd, (struct sockaddr *)&at, sizeof(at)));
}

ATTEMPT(bind_tcp)
{
	return bind_port(FREE_PORT(in), SOCK_STREAM, 0);
}

ATTEMPT(bind_any)
{
	(void)in;
	return bind_port(0, SOCK_STREAM, 0);
}

ATTEMPT(bind_mptcp)
{
	return bind_port(FREE_PORT(in), SOCK_STREAM, PROTOCOL_MPTCP);
}

ATTEMPT(bind_udp)
{
	return bind_port(FREE_PORT(in), SOCK_DGRAM, 0);
}

ATTEMPT(bind_tcp6)
{
	struct sockaddr_in6 at = address6(FREE_PORT(in), "::ffff:127.0.0.1");
	int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return errno;
	return attempt_result(bind(fd, (struct sockaddr *)&at, sizeof(at)));
}

/* Never bound: the kernel finds a port. */
ATTEMPT(listen_unbound)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)in;
	return fd < 0 ? errno : attempt_result(listen(fd, 1));
}

#define ALL OMEGA_SANDBOX_FORBIDS_ALL
#define CREATE OMEGA_SANDBOX_FORBIDS_CREATE
#define OUT "network", ALL, ATTEMPT_REAL, ATTEMPT_SERVER
#define NEW "network", CREATE, ATTEMPT_REAL, ATTEMPT_PLAIN
#define FAMILY "families", ALL, ATTEMPT_REAL, ATTEMPT_PLAIN
#define CONNECT "connect", ALL, ATTEMPT_REAL, ATTEMPT_SERVER
#define AROUND "connect", CREATE, ATTEMPT_REAL, ATTEMPT_SERVER
#define BIND "bind", ALL, ATTEMPT_REAL, ATTEMPT_SERVER
#define BIND_AROUND "bind", CREATE, ATTEMPT_REAL, ATTEMPT_SERVER
#define CONNECT_UDP "connect_udp", ALL, ATTEMPT_REAL, ATTEMPT_SERVER
#define BIND_UDP "bind_udp", ALL, ATTEMPT_REAL, ATTEMPT_SERVER

/* A ring sets options of sockets, too: one takes a key by its number. */
#define KEY "keyring", ALL, ATTEMPT_REAL, ATTEMPT_KEY

const struct attempt attempt_network[] = {
    {"TCP", OUT, tcp},
    {"TCP by IPv6", OUT, tcp6},
    {"TCP by a mapped address", OUT, tcp_mapped},
    {"UDP", OUT, udp},
    {"UDP by a mapped address", OUT, udp6},
    {"UDP without connect", OUT, udp_sendto},
    {"MPTCP", OUT, mptcp},
    {"TCP Fast Open", OUT, fast_sendto},
    {"make a TCP socket", NEW, make_tcp},
    {"make one of IPv6", NEW, make_tcp6},
    {"make a UDP socket", NEW, make_udp},
    {"make one of IPv6 and UDP", NEW, make_udp6},
    {"make one with upper bits", NEW, make_upper_internet},
    {"make a raw socket", NEW, make_raw},
    {"make a ping socket", NEW, make_ping},
    {"make one by io_uring", NEW, make_ring},
    {"netlink", FAMILY, make_netlink},
    {"netlink, events", FAMILY, make_uevent},
    {"netlink with upper bits", FAMILY, make_upper_netlink},
    {"packet", FAMILY, make_packet},
    {"packet, the old way", FAMILY, make_old_packet},
    {"vsock", FAMILY, make_vsock},
    {"alg", FAMILY, make_alg},
    {"xdp", FAMILY, make_xdp},
    {"tipc", FAMILY, make_tipc},
    {"any by io_uring", FAMILY, make_ring},
    {"io_uring_enter", FAMILY, enter_ring},
    {"io_uring_register", FAMILY, register_ring},
    {"io_uring", KEY, make_ring},
    {"io_uring_enter", KEY, enter_ring},
    {"io_uring_register", KEY, register_ring},
    {"TCP", CONNECT, tcp},
    {"TCP by IPv6", CONNECT, tcp6},
    {"TCP by a mapped address", CONNECT, tcp_mapped},
    {"TCP_FASTOPEN_CONNECT", CONNECT, fast_connect},
    {"MPTCP", AROUND, mptcp},
    {"Fast Open by sendto", AROUND, fast_sendto},
    {"Fast Open by sendmsg", AROUND, fast_sendmsg},
    {"Fast Open by sendmmsg", AROUND, fast_sendmmsg},
    {"UDP", AROUND, udp},
    {"UDP-Lite", AROUND, make_udp_lite},
    {"SCTP", AROUND, make_sctp},
    {"raw", AROUND, make_raw},
    {"raw by IPv6", AROUND, make_raw6},
    {"packet", AROUND, make_packet},
    {"io_uring", AROUND, make_ring},
    {"io_uring_enter", AROUND, enter_ring},
    {"io_uring_register", AROUND, register_ring},
    {"TCP_ULP", AROUND, upper_protocol},
    {"bind", BIND, bind_tcp},
    {"bind by IPv6", BIND, bind_tcp6},
    {"bind to any port", BIND, bind_any},
    {"MPTCP", BIND_AROUND, bind_mptcp},
    {"UDP", BIND_AROUND, bind_udp},
    {"io_uring", BIND_AROUND, make_ring},
    {"UDP", CONNECT_UDP, udp},
    {"UDP without connect", CONNECT_UDP, udp_sendto},
    {"UDP by a mapped address", CONNECT_UDP, udp6},
    {"UDP-Lite", "connect_udp", CREATE, ATTEMPT_REAL, ATTEMPT_SERVER,
	make_udp_lite},
    {"bind", BIND_UDP, bind_udp},
    {"listen without bind", "listen", ALL, ATTEMPT_REAL, ATTEMPT_PLAIN,
	listen_unbound},
    {NULL, NULL, 0, 0, ATTEMPT_PLAIN, NULL},
};
