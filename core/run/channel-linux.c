/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * channel-linux.c - see channel.h. Records, with the command's descriptor
 * along with the first.
 */

#include "config.h"

#include "run/channel.h"

#include <sys/socket.h>
#include <sys/wait.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "run/end.h"

#define WAIT_PIDFD 3

int
omega_channel_make(int pair[2])
{
	return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0
		   ? 0
		   : -errno;
}

int
omega_channel_open_host(int *fd)
{
	*fd = omega_end_open(getpid());
	return *fd < 0 ? *fd : 0;
}

int
omega_channel_read(
    int control, bool is_waiting, struct omega_supervisor_word *word, int *fd)
{
	const int flags = MSG_CMSG_CLOEXEC | (is_waiting ? 0 : MSG_DONTWAIT);
	struct iovec part = {.iov_base = word, .iov_len = sizeof(*word)};
	_Alignas(struct cmsghdr) char space[CMSG_SPACE(sizeof(int))];
	struct msghdr message = {.msg_iov = &part,
	    .msg_iovlen = 1,
	    .msg_control = space,
	    .msg_controllen = sizeof(space)};
	struct cmsghdr *header;
	ssize_t len;

	do
		len = recvmsg(control, &message, flags);
	while (len < 0 && errno == EINTR);
	if (len < 0 && errno == EAGAIN)
		return 0;
	if (len != (ssize_t)sizeof(*word))
		return -EPIPE;
	header = CMSG_FIRSTHDR(&message);
	if (header != NULL && header->cmsg_type == SCM_RIGHTS && fd != NULL)
		memcpy(fd, CMSG_DATA(header), sizeof(*fd));
	return 1;
}

void
omega_channel_cancel(int control)
{
	send(control, "c", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
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
