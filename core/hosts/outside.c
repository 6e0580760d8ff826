/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * outside.c - see helper.h.
 *
 * A process of its own, since looking up names takes files, sockets and
 * libraries of the host's choice, none of which who carries bytes needs.
 * Several threads, so that names nobody answers for do not keep others back.
 */

#include "config.h"

#include "hosts/helper.h"

#include <sys/prctl.h>
#include <sys/socket.h>
#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define THREADS 16
#define STACK (256u << 10)

void
carry_bytes(const struct sockaddr_storage *from, uint8_t *address)
{
	if (from->ss_family == AF_INET6) {
		memcpy(address, &((const struct sockaddr_in6 *)from)->sin6_addr,
		    16);
		return;
	}
	memset(address, 0, 10);
	memset(address + 10, 0xff, 2);
	memcpy(address + 12, &((const struct sockaddr_in *)from)->sin_addr, 4);
}

static void
look_up(const char *name, struct told *told)
{
	const struct addrinfo hints = {
	    .ai_flags = AI_ADDRCONFIG, .ai_socktype = SOCK_STREAM};
	struct sockaddr_storage at;
	struct addrinfo *list = NULL;
	struct addrinfo *one;

	if (getaddrinfo(name, NULL, &hints, &list) != 0)
		return;
	for (one = list; one != NULL && told->count < HELPER_MAX_ADDRESSES;
	     one = one->ai_next) {
		if ((one->ai_family != AF_INET && one->ai_family != AF_INET6) ||
		    one->ai_addrlen > sizeof(at))
			continue;
		memcpy(&at, one->ai_addr, one->ai_addrlen);
		carry_bytes(&at, told->addresses[told->count++]);
	}
	freeaddrinfo(list);
}

static void *
answer(void *arg)
{
	const int fd = *(const int *)arg;
	struct asked asked;
	ssize_t n;

	for (;;) {
		struct told told = {.count = 0};

		n = recv(fd, &asked, sizeof(asked), 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n != (ssize_t)sizeof(asked))
			_exit(0); /* who asks is gone */
		asked.name[sizeof(asked.name) - 1] = '\0';
		told.index = asked.index;
		look_up(asked.name, &told);
		if (send(fd, &told, sizeof(told), MSG_NOSIGNAL) < 0 &&
		    errno != EINTR)
			_exit(0);
	}
	return NULL;
}

int
outside_start(void)
{
	pthread_attr_t attr;
	pthread_t thread;
	int pair[2];
	pid_t pid;
	int i;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return -errno;
	pid = fork();
	if (pid < 0)
		return -errno;
	if (pid > 0) {
		close(pair[1]);
		return pair[0];
	}
	close(pair[0]);
	close(0);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	for (i = 1; i < THREADS; i++)
		pthread_create(&thread, &attr, answer, &pair[1]);
	answer(&pair[1]);
	_exit(0);
}
