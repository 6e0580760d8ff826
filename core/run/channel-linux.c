/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * channel-linux.c - see channel.h. Records of two sizes: see orders.h.
 */

#include "config.h"

#include "run/channel.h"

#include <sys/socket.h>
#include <sys/wait.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "run/end.h"
#include "run/orders.h"

#define WAIT_PIDFD 3

int
omega_channel_make(int pair[2])
{
	const int on = 1;
	int saved;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return -errno;
	/* Who says a thing is told by the kernel. */
	if (setsockopt(pair[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) == 0)
		return 0;
	saved = errno;
	close(pair[0]);
	close(pair[1]);
	return -saved;
}

int
omega_channel_open_host(int *fd)
{
	*fd = omega_end_open(getpid());
	return *fd < 0 ? *fd : 0;
}

/* The number of who has sent it, as we know it; 0: none was told. */
static pid_t
sender_of(struct msghdr *message)
{
	const struct cmsghdr *header = CMSG_FIRSTHDR(message);
	struct ucred sender;

	if (header == NULL || header->cmsg_level != SOL_SOCKET ||
	    header->cmsg_type != SCM_CREDENTIALS)
		return 0;
	memcpy(&sender, CMSG_DATA(header), sizeof(sender));
	return sender.pid;
}

int
omega_channel_read(
    int control, bool is_waiting, struct omega_supervisor_word *word)
{
	struct iovec part = {.iov_base = word, .iov_len = sizeof(*word)};
	_Alignas(struct cmsghdr) char space[CMSG_SPACE(sizeof(struct ucred))];
	struct msghdr message = {.msg_iov = &part,
	    .msg_iovlen = 1,
	    .msg_control = space,
	    .msg_controllen = sizeof(space)};
	struct omega_inner_fault fault;
	ssize_t len;

	do
		len = recvmsg(control, &message, is_waiting ? 0 : MSG_DONTWAIT);
	/* A reset: it has not read all we have said. What it has said before
	 * comes next. */
	while (len < 0 && (errno == EINTR || errno == ECONNRESET));
	if (len < 0 && errno == EAGAIN)
		return 0;
	if (len == (ssize_t)sizeof(*word))
		return 1;
	if (len != (ssize_t)sizeof(fault))
		return -EPIPE;
	memcpy(&fault, word, sizeof(fault));
	*word = (struct omega_supervisor_word){
	    .kind = fault.kind == OMEGA_INNER_READY ? OMEGA_SUPERVISOR_READY
						    : OMEGA_SUPERVISOR_FAILED,
	    .pid = sender_of(&message),
	    .fault = fault};
	return 1;
}

static void
say(int control, char word)
{
	send(control, &word, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void
omega_channel_see(int control)
{
	say(control, OMEGA_ORDERS_SEEN);
}

void
omega_channel_cancel(int control)
{
	say(control, OMEGA_ORDERS_END);
}

void
omega_channel_reap(int pidfd, pid_t pid)
{
	siginfo_t info;

	(void)pid; /* the descriptor is enough */
	while (waitid(WAIT_PIDFD, (id_t)pidfd, &info, WEXITED | __WALL) != 0 &&
	       errno == EINTR)
		;
}
