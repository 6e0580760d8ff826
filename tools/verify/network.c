/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * network.c - ways out over the network: to servers of the tool's own on this
 * machine, which are outside as any other is, and around lists of ports.
 */

#include "config.h"

#include "attempt.h"

#include <arpa/inet.h>
#include <linux/io_uring.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>

#define PROTOCOL_MPTCP 262
#define PROTOCOL_UDP_LITE 136
/* htons(ETH_P_ALL), which is no constant. */
#define ALL_PACKETS (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 3 : 0x300)
#define FAMILY_XDP 44
#define FAMILY_TIPC 30
#define WAIT_MS 200
#define NO_FD 1000000 /* -1 means something to io_uring_register */

/* Which of the numbers in extra; of IPv6 the same. */
enum port { TCP_PORT, UDP_PORT, FREE_PORT, ANY_PORT };

/* A socket, and where it goes. */
struct way {
	int family;
	int type;
	int protocol;
	const char *host;
	enum port port;
};

#define HOST "127.0.0.1"
#define MAPPED "::ffff:127.0.0.1"

static const struct way tcp = {AF_INET, SOCK_STREAM, 0, HOST, TCP_PORT};
static const struct way tcp6 = {AF_INET6, SOCK_STREAM, 0, "::1", TCP_PORT};
static const struct way tcp_mapped = {
    AF_INET6, SOCK_STREAM, 0, MAPPED, TCP_PORT};
static const struct way mptcp = {
    AF_INET, SOCK_STREAM, PROTOCOL_MPTCP, HOST, TCP_PORT};
static const struct way udp = {AF_INET, SOCK_DGRAM, 0, HOST, UDP_PORT};
static const struct way udp_mapped = {
    AF_INET6, SOCK_DGRAM, 0, MAPPED, UDP_PORT};

/* Those of its own. */
static const struct way own = {AF_INET, SOCK_STREAM, 0, HOST, FREE_PORT};
static const struct way own_any = {AF_INET, SOCK_STREAM, 0, HOST, ANY_PORT};
static const struct way own_mapped = {
    AF_INET6, SOCK_STREAM, 0, MAPPED, FREE_PORT};
static const struct way own_mptcp = {
    AF_INET, SOCK_STREAM, PROTOCOL_MPTCP, HOST, FREE_PORT};
static const struct way own_udp = {AF_INET, SOCK_DGRAM, 0, HOST, FREE_PORT};

/* An address of either family. */
union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static uint16_t
port_of(const struct attempt_input *in, enum port which)
{
	const char *at = in->extra;
	char *end;
	unsigned long port = strtoul(at, &end, 10);

	if (which == ANY_PORT)
		return 0;
	while (which-- > 0)
		port = strtoul(end, &end, 10);
	return htons((uint16_t)port);
}

/* A socket for the way of a row, or -1, and where it goes. */
struct out {
	int fd;
	socklen_t len;
	union address to;
};

static struct out
set_out(const struct attempt_input *in)
{
	const struct way *way = in->how;
	struct out out = {.len = sizeof(out.to.v4)};

	out.to.any.sa_family = (sa_family_t)way->family;
	if (way->family == AF_INET) {
		out.to.v4.sin_port = port_of(in, way->port);
		inet_pton(AF_INET, way->host, &out.to.v4.sin_addr);
	} else {
		out.to.v6.sin6_port = port_of(in, way->port);
		inet_pton(AF_INET6, way->host, &out.to.v6.sin6_addr);
		out.len = sizeof(out.to.v6);
	}
	out.fd = socket(way->family, way->type | SOCK_CLOEXEC, way->protocol);
	return out;
}

/* ---- TCP ----------------------------------------------------------------- */

ATTEMPT(reach)
{
	struct out out = set_out(in);

	return out.fd < 0
		   ? errno
		   : attempt_result(connect(out.fd, &out.to.any, out.len));
}

/* Data with the first packet: no connect(2) is made. */
ATTEMPT(fast_sendto)
{
	struct out out = set_out(in);

	if (out.fd < 0)
		return errno;
	return attempt_result(sendto(out.fd, "x", 1,
	    MSG_FASTOPEN | MSG_NOSIGNAL, &out.to.any, out.len));
}

static int
fast_message(struct attempt_input *in, bool is_many)
{
	const int flags = MSG_FASTOPEN | MSG_NOSIGNAL;
	struct out out = set_out(in);
	char byte = 'x';
	struct iovec part = {&byte, 1};
	struct mmsghdr message = {.msg_hdr = {.msg_name = &out.to,
				      .msg_namelen = out.len,
				      .msg_iov = &part,
				      .msg_iovlen = 1}};

	if (out.fd < 0)
		return errno;
	return attempt_result(is_many
				  ? sendmmsg(out.fd, &message, 1, flags)
				  : sendmsg(out.fd, &message.msg_hdr, flags));
}

ATTEMPT_IS(fast_sendmsg, fast_message(in, false))
ATTEMPT_IS(fast_sendmmsg, fast_message(in, true))

ATTEMPT(fast_connect)
{
	const int on = 1;
	struct out out = set_out(in);

	if (out.fd < 0 ||
	    setsockopt(out.fd, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, &on,
		sizeof(on)) != 0 ||
	    connect(out.fd, &out.to.any, out.len) != 0)
		return errno;
	return attempt_result(send(out.fd, "x", 1, MSG_NOSIGNAL));
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

ATTEMPT(send_to)
{
	struct out out = set_out(in);

	if (out.fd < 0 || connect(out.fd, &out.to.any, out.len) != 0 ||
	    send(out.fd, "x", 1, 0) != 1)
		return errno;
	return was_taken(out.fd);
}

/* Without connect(2): an error comes only where it was asked for. */
ATTEMPT(send_unconnected)
{
	const int on = 1;
	struct out out = set_out(in);

	if (out.fd < 0 ||
	    setsockopt(out.fd, IPPROTO_IP, IP_RECVERR, &on, sizeof(on)) != 0 ||
	    sendto(out.fd, "x", 1, 0, &out.to.any, out.len) != 1)
		return errno;
	return was_taken(out.fd);
}

/* ---- Making one ---------------------------------------------------------- */

ATTEMPT(make)
{
	const struct way *way = in->how;

	return attempt_result(
	    socket(way->family, way->type | SOCK_CLOEXEC, way->protocol));
}

/* The kernel looks at the lower half of each word. */
ATTEMPT(make_upper)
{
	const uint64_t upper = 0x5500000000000000;
	const struct way *way = in->how;

	return attempt_result(syscall(SYS_socket, (uint64_t)way->family | upper,
	    SOCK_DGRAM | SOCK_CLOEXEC | upper, upper));
}

/* A ring makes sockets that no filter sees. */
ATTEMPT(make_ring)
{
	struct io_uring_params params;

	memset(&params, 0, sizeof(params));
	return attempt_result(syscall(SYS_io_uring_setup, 2, &params));
}

/* One that came from elsewhere could be used: there is none, EBADF says. */
ATTEMPT_IS(enter_ring,
    attempt_reached(syscall(SYS_io_uring_enter, NO_FD, 0, 0, 0, NULL, 0),
	EBADF))
ATTEMPT_IS(register_ring,
    attempt_reached(syscall(SYS_io_uring_register, NO_FD, 0, NULL, 0), EBADF))

/* Other protocols on top of a connection: asked before there is one. */
ATTEMPT(upper_protocol)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return errno;
	if (setsockopt(fd, IPPROTO_TCP, TCP_ULP, "tls", 4) == 0 ||
	    errno == ENOTCONN || errno == ENOENT)
		return 0;
	return errno;
}

/* ---- Ports of one's own -------------------------------------------------- */

ATTEMPT(bind_port)
{
	struct out out = set_out(in);

	return out.fd < 0
		   ? errno
		   : attempt_result(bind(out.fd, &out.to.any, out.len));
}

/* Never bound: the kernel finds a port. */
ATTEMPT(listen_unbound)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return fd < 0 ? errno : attempt_result(listen(fd, 1));
}

#define OUT "network", ALL, ATTEMPT_REAL, ATTEMPT_SERVER
#define OTHER "hosts", ALL, ATTEMPT_REAL, ATTEMPT_SERVER
#define OTHER_NEW "hosts", ALL, REAL
#define NEW "network", CREATE, REAL
#define FAMILY "families", ALL, REAL
#define CONNECT "connect", ALL, ATTEMPT_REAL, ATTEMPT_SERVER
#define AROUND "connect", CREATE, ATTEMPT_REAL, ATTEMPT_SERVER
#define BIND "bind", ALL, ATTEMPT_REAL, ATTEMPT_SERVER
#define BIND_AROUND "bind", CREATE, ATTEMPT_REAL, ATTEMPT_SERVER
#define CONNECT_UDP "connect_udp", ALL, ATTEMPT_REAL, ATTEMPT_SERVER
#define AROUND_UDP "connect_udp", CREATE, ATTEMPT_REAL, ATTEMPT_SERVER
#define BIND_UDP "bind_udp", ALL, ATTEMPT_REAL, ATTEMPT_SERVER

/* A ring sets options of sockets, too: one takes a key by its number. */
#define KEY "keyring", ALL, ATTEMPT_REAL, ATTEMPT_KEY

/* A socket that goes nowhere. */
#define KIND(family, type, protocol) \
	(&(const struct way){family, type, protocol, NULL, ANY_PORT})
#define UDP_LITE KIND(AF_INET, SOCK_DGRAM, PROTOCOL_UDP_LITE)
#define RAW KIND(AF_INET, SOCK_RAW, IPPROTO_TCP)
#define PACKET KIND(AF_PACKET, SOCK_RAW, ALL_PACKETS)
#define EVENTS KIND(AF_NETLINK, SOCK_DGRAM, NETLINK_KOBJECT_UEVENT)

const struct attempt attempt_network[] = {
    {"TCP", OUT, &tcp, reach},
    {"TCP by IPv6", OUT, &tcp6, reach},
    {"TCP by a mapped address", OUT, &tcp_mapped, reach},
    {"UDP", OUT, &udp, send_to},
    {"UDP by a mapped address", OUT, &udp_mapped, send_to},
    {"UDP without connect", OUT, &udp, send_unconnected},
    {"MPTCP", OUT, &mptcp, reach},
    {"TCP Fast Open", OUT, &tcp, fast_sendto},
    {"TCP", OTHER, &tcp, reach},
    {"TCP by IPv6", OTHER, &tcp6, reach},
    {"TCP by a mapped address", OTHER, &tcp_mapped, reach},
    {"UDP", OTHER, &udp, send_to},
    {"UDP by a mapped address", OTHER, &udp_mapped, send_to},
    {"UDP without connect", OTHER, &udp, send_unconnected},
    {"MPTCP", OTHER, &mptcp, reach},
    {"TCP Fast Open", OTHER, &tcp, fast_sendto},
    {"make a raw socket", OTHER_NEW, RAW, make},
    {"make a ping socket", OTHER_NEW, KIND(AF_INET, SOCK_DGRAM, IPPROTO_ICMP),
	make},
    {"make a TCP socket", NEW, &tcp, make},
    {"make one of IPv6", NEW, &tcp6, make},
    {"make a UDP socket", NEW, &udp, make},
    {"make one of IPv6 and UDP", NEW, &udp_mapped, make},
    {"make one with upper bits", NEW, &udp, make_upper},
    {"make a raw socket", NEW, RAW, make},
    {"make a ping socket", NEW, KIND(AF_INET, SOCK_DGRAM, IPPROTO_ICMP), make},
    {"make one by io_uring", NEW, NULL, make_ring},
    {"netlink", FAMILY, KIND(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE), make},
    {"netlink, events", FAMILY, EVENTS, make},
    {"netlink with upper bits", FAMILY, EVENTS, make_upper},
    {"packet", FAMILY, PACKET, make},
    {"packet, the old way", FAMILY, KIND(AF_INET, SOCK_PACKET, ALL_PACKETS),
	make},
    {"vsock", FAMILY, KIND(AF_VSOCK, SOCK_STREAM, 0), make},
    {"alg", FAMILY, KIND(AF_ALG, SOCK_SEQPACKET, 0), make},
    {"xdp", FAMILY, KIND(FAMILY_XDP, SOCK_RAW, 0), make},
    {"tipc", FAMILY, KIND(FAMILY_TIPC, SOCK_RDM, 0), make},
    {"any by io_uring", FAMILY, NULL, make_ring},
    {"io_uring_enter", FAMILY, NULL, enter_ring},
    {"io_uring_register", FAMILY, NULL, register_ring},
    {"io_uring", KEY, NULL, make_ring},
    {"io_uring_enter", KEY, NULL, enter_ring},
    {"io_uring_register", KEY, NULL, register_ring},
    {"TCP", CONNECT, &tcp, reach},
    {"TCP by IPv6", CONNECT, &tcp6, reach},
    {"TCP by a mapped address", CONNECT, &tcp_mapped, reach},
    {"TCP_FASTOPEN_CONNECT", CONNECT, &tcp, fast_connect},
    {"MPTCP", AROUND, &mptcp, reach},
    {"Fast Open by sendto", AROUND, &tcp, fast_sendto},
    {"Fast Open by sendmsg", AROUND, &tcp, fast_sendmsg},
    {"Fast Open by sendmmsg", AROUND, &tcp, fast_sendmmsg},
    {"UDP", AROUND, &udp, send_to},
    {"UDP-Lite", AROUND, UDP_LITE, make},
    {"SCTP", AROUND, KIND(AF_INET, SOCK_STREAM, IPPROTO_SCTP), make},
    {"raw", AROUND, RAW, make},
    {"raw by IPv6", AROUND, KIND(AF_INET6, SOCK_RAW, IPPROTO_RAW), make},
    {"packet", AROUND, PACKET, make},
    {"io_uring", AROUND, NULL, make_ring},
    {"io_uring_enter", AROUND, NULL, enter_ring},
    {"io_uring_register", AROUND, NULL, register_ring},
    {"TCP_ULP", AROUND, NULL, upper_protocol},
    {"bind", BIND, &own, bind_port},
    {"bind by IPv6", BIND, &own_mapped, bind_port},
    {"bind to any port", BIND, &own_any, bind_port},
    {"MPTCP", BIND_AROUND, &own_mptcp, bind_port},
    {"UDP", BIND_AROUND, &own_udp, bind_port},
    {"io_uring", BIND_AROUND, NULL, make_ring},
    {"UDP", CONNECT_UDP, &udp, send_to},
    {"UDP without connect", CONNECT_UDP, &udp, send_unconnected},
    {"UDP by a mapped address", CONNECT_UDP, &udp_mapped, send_to},
    {"UDP-Lite", AROUND_UDP, UDP_LITE, make},
    {"bind", BIND_UDP, &own_udp, bind_port},
    {"listen without bind", "listen", ALL, REAL, NULL, listen_unbound},
    ATTEMPT_END,
};
