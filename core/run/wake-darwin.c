/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * wake-darwin.c - see wake.h. An event of our own in a kqueue.
 */

#include "config.h"

#include "run/wake.h"

#include <sys/event.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

#define IDENT 1

int
omega_wake_make(void)
{
	struct kevent event;
	int fd = kqueue();
	int saved;

	if (fd < 0)
		return -errno;
	/* Not taken by being read: it stays until the descriptor is closed. */
	EV_SET(&event, IDENT, EVFILT_USER, EV_ADD, NOTE_FFNOP, 0, NULL);
	if (fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 &&
	    kevent(fd, &event, 1, NULL, 0, NULL) == 0)
		return fd;
	saved = errno;
	close(fd);
	return -saved;
}

int
omega_wake_set(int fd)
{
	struct kevent event;

	EV_SET(&event, IDENT, EVFILT_USER, 0, NOTE_TRIGGER, 0, NULL);
	return kevent(fd, &event, 1, NULL, 0, NULL) == 0 ? 0 : -errno;
}
