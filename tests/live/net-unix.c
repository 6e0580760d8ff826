/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * net-unix.c - UNIX sockets: those of others, and one's own.
 */

#include "net-tries.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int
net_unix_pair(const struct net_ground *g)
{
	int ends[2];
	char c = 0;

	(void)g;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) != 0)
		return errno;
	if (write(ends[0], "x", 1) != 1 || read(ends[1], &c, 1) != 1)
		return errno;
	close(ends[0]);
	close(ends[1]);
	return c == 'x' ? 0 : EIO;
}

static socklen_t
unix_address(struct sockaddr_un *at, const char *name, int is_abstract)
{
	*at = (struct sockaddr_un){.sun_family = AF_UNIX};
	snprintf(at->sun_path + is_abstract,
	    sizeof(at->sun_path) - (size_t)is_abstract, "%s", name);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) +
			   (size_t)is_abstract + strlen(name) +
			   (size_t)!is_abstract);
}

static int
connect_unix(const char *name, int is_abstract)
{
	struct sockaddr_un to;
	socklen_t len = unix_address(&to, name, is_abstract);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	int error = 0;

	if (fd < 0)
		return errno;
	if (connect(fd, (struct sockaddr *)&to, len) != 0)
		error = errno;
	close(fd);
	return error;
}

int
net_unix_path(const struct net_ground *g)
{
	return connect_unix(g->path, 0);
}

int
net_unix_abstract(const struct net_ground *g)
{
	return connect_unix(g->abstract, 1);
}

/* A server of one's own, under a name the kernel chooses. */
int
net_unix_serve_unix(const struct net_ground *g)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	socklen_t len = sizeof(at.sun_family);
	int server = socket(AF_UNIX, SOCK_STREAM, 0);
	int client = socket(AF_UNIX, SOCK_STREAM, 0);
	int error = 0;

	(void)g;
	if (server < 0 || client < 0)
		return errno;
	if (bind(server, (struct sockaddr *)&at, len) != 0 ||
	    listen(server, 1) != 0)
		error = errno;
	len = sizeof(at);
	if (error == 0 &&
	    (getsockname(server, (struct sockaddr *)&at, &len) != 0 ||
		connect(client, (struct sockaddr *)&at, len) != 0))
		error = errno;
	close(client);
	close(server);
	return error;
}
