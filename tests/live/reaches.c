/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * reaches.c - see reaches.h.
 */

#include "reaches.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

union address {
	struct sockaddr any;
	struct sockaddr_in ip;
	struct sockaddr_in6 ip6;
	struct sockaddr_un local;
};

/* This machine's own address. */
static socklen_t
loopback(union address *at, int family, unsigned short port)
{
	memset(at, 0, sizeof(*at));
	if (family == AF_INET6) {
		at->ip6.sin6_family = AF_INET6;
		at->ip6.sin6_addr = in6addr_loopback;
		at->ip6.sin6_port = htons(port);
		return sizeof(at->ip6);
	}
	at->ip.sin_family = AF_INET;
	at->ip.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	at->ip.sin_port = htons(port);
	return sizeof(at->ip);
}

/* A name that begins with @ is abstract. */
static socklen_t
local(union address *at, const char *name)
{
	memset(at, 0, sizeof(*at));
	at->local.sun_family = AF_UNIX;
	snprintf(
	    at->local.sun_path, sizeof(at->local.sun_path), "%.107s", name);
	if (name[0] != '@')
		return sizeof(at->local);
	at->local.sun_path[0] = '\0';
	return (
	    socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name));
}

static int
serve(int family, int type, const union address *at, socklen_t size)
{
	int fd = socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd >= 0 && bind(fd, &at->any, size) == 0 &&
	    (type != SOCK_STREAM || listen(fd, 8) == 0))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

int
reaches_serve_ip(int family, int type, unsigned short *port)
{
	union address at;
	socklen_t size = loopback(&at, family, 0);
	int fd = serve(family, type, &at, size);

	if (fd >= 0 && getsockname(fd, &at.any, &size) == 0)
		*port = ntohs(
		    family == AF_INET6 ? at.ip6.sin6_port : at.ip.sin_port);
	return fd;
}

int
reaches_serve_unix(int type, const char *name)
{
	union address at;
	socklen_t size = local(&at, name);
	mode_t old = umask(0); /* for whoever comes */
	int fd = serve(AF_UNIX, type, &at, size);

	umask(old);
	return fd;
}

/* Connect and say something. */
static int
say_to(int type, const union address *at, socklen_t size)
{
	int ret = 0;
	int fd = socket(at->any.sa_family, type, 0);

	if (fd < 0)
		return errno;
	if (connect(fd, &at->any, size) != 0 ||
	    send(fd, "x", 1, MSG_NOSIGNAL) != 1)
		ret = errno;
	close(fd);
	return ret;
}

static int
reach_ip(int family, int type, const char *port)
{
	union address at;
	socklen_t size = loopback(&at, family, (unsigned short)atoi(port));

	return say_to(type, &at, size);
}

static int
reach_tcp(const char *port)
{
	return reach_ip(AF_INET, SOCK_STREAM, port);
}

static int
reach_tcp6(const char *port)
{
	return reach_ip(AF_INET6, SOCK_STREAM, port);
}

static int
reach_udp(const char *port)
{
	return reach_ip(AF_INET, SOCK_DGRAM, port);
}

/* An address for documents (RFC 5737): nobody is there, but on the way. */
static int
reach_away(const char *type)
{
	union address at;
	socklen_t size = loopback(&at, AF_INET, 9);

	at.ip.sin_addr.s_addr = htonl(0xc0000201);
	return say_to(
	    strcmp(type, "udp") == 0 ? SOCK_DGRAM : SOCK_STREAM, &at, size);
}

static int
reach_raw(const char *arg)
{
	int fd = socket(AF_INET, SOCK_RAW, IPPROTO_ICMP);

	(void)arg;
	return fd < 0 ? errno : 0;
}

static int
reach_stream(const char *name)
{
	union address at;
	socklen_t size = local(&at, name);

	return say_to(SOCK_STREAM, &at, size);
}

static int
reach_dgram(const char *name)
{
	union address at;
	socklen_t size = local(&at, name);

	return say_to(SOCK_DGRAM, &at, size);
}

/* Without a connection. */
static int
reach_sendto(const char *name)
{
	union address at;
	socklen_t size = local(&at, name);
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0);

	if (fd < 0)
		return errno;
	return sendto(fd, "x", 1, 0, &at.any, size) == 1 ? 0 : errno;
}

/* Somebody of ours listens; we come and are heard. */
static int
hear(int type, int server)
{
	char byte = 0;
	int fd = server;

	if (type == SOCK_STREAM)
		fd = accept(server, NULL, NULL);
	if (fd < 0 || recv(fd, &byte, 1, 0) != 1)
		return errno;
	return byte == 'x' ? 0 : EPROTO;
}

static int
own_ip(int family, int type)
{
	unsigned short port = 0;
	char text[8];
	int server = reaches_serve_ip(family, type, &port);
	int ret;

	if (server < 0)
		return errno;
	snprintf(text, sizeof(text), "%u", (unsigned)port);
	ret = reach_ip(family, type, text);
	return ret != 0 ? ret : hear(type, server);
}

static int
own_tcp(const char *arg)
{
	(void)arg;
	return own_ip(AF_INET, SOCK_STREAM);
}

static int
own_tcp6(const char *arg)
{
	(void)arg;
	return own_ip(AF_INET6, SOCK_STREAM);
}

static int
own_udp(const char *arg)
{
	(void)arg;
	return own_ip(AF_INET, SOCK_DGRAM);
}

static int
own_unix(const char *name)
{
	int server;
	int ret;

	unlink(name);
	server = reaches_serve_unix(SOCK_STREAM, name);
	if (server < 0)
		return errno;
	ret = reach_stream(name);
	return ret != 0 ? ret : hear(SOCK_STREAM, server);
}

static int
own_pair(const char *arg)
{
	char byte;
	int pair[2];

	(void)arg;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0 ||
	    write(pair[0], "x", 1) != 1 || read(pair[1], &byte, 1) != 1)
		return errno;
	return 0;
}

static const struct {
	const char *name;
	int (*fn)(const char *arg);
} reaches[] = {
    {"tcp", reach_tcp},
    {"tcp6", reach_tcp6},
    {"udp", reach_udp},
    {"away", reach_away},
    {"raw", reach_raw},
    {"stream", reach_stream},
    {"dgram", reach_dgram},
    {"sendto", reach_sendto},
    {"own tcp", own_tcp},
    {"own tcp6", own_tcp6},
    {"own udp", own_udp},
    {"own unix", own_unix},
    {"own pair", own_pair},
};

int
reaches_main(int argc, char **argv)
{
	size_t i;

	if (argc < 4 || strcmp(argv[1], "reach") != 0)
		return -1;
	alarm(60);
	for (i = 0; i < sizeof(reaches) / sizeof(reaches[0]); i++)
		if (strcmp(reaches[i].name, argv[2]) == 0)
			return reaches[i].fn(argv[3]);
	return 199;
}
