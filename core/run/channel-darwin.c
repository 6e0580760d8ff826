/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * channel-darwin.c - see channel.h.
 *
 * A stream, since there are no sockets here that keep records apart and tell
 * of the other end's close; a word is far smaller than its buffer and comes
 * whole. A kqueue cannot be sent, so ours is made by the command's number:
 * the supervisor does not collect it before it has heard from us or ended it.
 */

#include "config.h"

#include "run/channel.h"

#include <sys/socket.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "run/end.h"

int
omega_channel_make(int pair[2])
{
	const int on = 1;
	int saved;
	int i;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
		return -errno;
	for (i = 0; i < 2; i++)
		if (fcntl(pair[i], F_SETFD, FD_CLOEXEC) != 0 ||
		    setsockopt(pair[i], SOL_SOCKET, SO_NOSIGPIPE, &on,
			sizeof(on)) != 0)
			break;
	if (i == 2)
		return 0;
	saved = errno;
	close(pair[0]);
	close(pair[1]);
	return -saved;
}

int
omega_channel_open_host(int *fd)
{
	*fd = -1; /* its number is enough */
	return 0;
}

int
omega_channel_read(
    int control, bool is_waiting, struct omega_supervisor_word *word)
{
	struct pollfd set = {.fd = control, .events = POLLIN};
	ssize_t len;

	if (!is_waiting && poll(&set, 1, 0) <= 0)
		return 0;
	do
		len = recv(control, word, sizeof(*word), MSG_WAITALL);
	while (len < 0 && errno == EINTR);
	return len == (ssize_t)sizeof(*word) ? 1 : -EPIPE;
}

void
omega_channel_see(int control)
{
	(void)control; /* its number stays until then anyway */
}

void
omega_channel_cancel(int control)
{
	send(control, "c", 1, MSG_DONTWAIT);
}

/* It is nobody's child: its end is all there is to wait for. */
void
omega_channel_reap(int pidfd, pid_t pid)
{
	(void)pid;
	while (omega_end_wait(pidfd, -1) == 0)
		;
}
