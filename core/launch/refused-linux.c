/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * refused-linux.c - see refused.h.
 */

#include "config.h"

#include "launch/refused.h"

#include <sys/socket.h>
#include <sys/time.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/hosts.h"

int
omega_launch_take_refused(int link)
{
	const struct timeval patience = {.tv_sec = 10};
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	char byte;
	struct iovec data = {&byte, 1};
	struct msghdr message = {.msg_iov = &data,
	    .msg_iovlen = 1,
	    .msg_control = &control,
	    .msg_controllen = sizeof(control)};
	const struct cmsghdr *head;
	ssize_t n;
	int fd;

	setsockopt(link, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	do {
		n = recvmsg(link, &message, MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	head = CMSG_FIRSTHDR(&message);
	if (n != 1 || head == NULL || head->cmsg_type != SCM_RIGHTS ||
	    head->cmsg_len != CMSG_LEN(sizeof(int)))
		return -EPIPE;
	memcpy(&fd, CMSG_DATA(head), sizeof(fd));
	return fd;
}

int
omega_launch_read_refused(
    int fd, size_t index, struct omega_sandbox_refused_host *host)
{
	static const char *const words[] = {"", "it is not listed in hosts",
	    "deny_hosts has it",
	    "it is listed in hosts, but not with this port",
	    "its address is this machine's or private, and not listed itself",
	    "another name was said in the connection, or none (names = strict)",
	    "not refused: it has no address outside, or nobody answers there",
	    "the proxy (hosts_proxy) did not connect to it"};
	struct omega_hosts_refused one;
	size_t i;

	if (fd < 0 || index >= OMEGA_HOSTS_MOST_REFUSED ||
	    pread(fd, &one, sizeof(one), (off_t)(index * sizeof(one))) !=
		(ssize_t)sizeof(one) ||
	    one.count == 0 || one.reason >= sizeof(words) / sizeof(words[0]))
		return -ENOENT;
	host->count = one.count;
	host->port = one.port;
	host->reason = one.reason;
	host->why = words[one.reason];
	for (i = 0; i < sizeof(one.name) - 1 && one.name[i] != '\0'; i++)
		host->name[i] =
		    one.name[i] > ' ' && one.name[i] < 0x7f ? one.name[i] : '?';
	host->name[i] = '\0';
	return 0;
}
