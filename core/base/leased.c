/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * leased.c - see leased.h.
 */

#include "config.h"

#include "base/leased.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>

/* Five seconds altogether: a program that answers does so in milliseconds. */
#define TRIES 250
#define MOMENT_NSEC 20000000

int
omega_leased_open(int dir, const char *name, int flags, mode_t mode)
{
	const struct timespec moment = {.tv_nsec = MOMENT_NSEC};
	int tries;
	int fd;

	for (tries = 0;; tries++) {
		fd = openat(dir, name, flags | O_NONBLOCK | O_CLOEXEC, mode);
		if (fd >= 0 || errno != EWOULDBLOCK || tries == TRIES)
			return fd;
		nanosleep(&moment, NULL);
	}
}

const char *
omega_leased_words(int error)
{
	if (error == EWOULDBLOCK)
		return "another program holds a lease on it and does not let "
		       "go; /proc/locks has its number";
	return strerror(error);
}
