/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * system.h - small things that each system does in its own way.
 */

#ifndef OMEGA_BASE_SYSTEM_H
#define OMEGA_BASE_SYSTEM_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

/* Both ends close-on-exec; flags are 0 or O_NONBLOCK. 0 or a negative errno.
 * Where the system cannot do it in one, a process forked by another thread at
 * that moment may have them too. */
int omega_system_make_pipe(int ends[2], int flags);

/* Has this process one thread only? False also when that is not known. */
bool omega_system_is_alone(void);

/* A descriptor to poll for: close-on-exec, or a negative errno. Any thread can
 * make it readable, from then on: 0 or a negative errno. */
int omega_system_make_wake(void);
int omega_system_wake(int fd);

/*
 * Bytes for a command to read: a descriptor that reads them from the first, and
 * can neither be written nor executed; or a negative errno. Close-on-exec. A
 * file without a name instead of a pipe: nobody has to stand by and write, and
 * a command that does not read is nobody's problem.
 */
int omega_system_make_input(const void *bytes, size_t len);

/* Linux only: a program, which is open, as a copy in memory that no list of
 * programs forbids and nobody can change; itself where none can be made. A
 * descriptor, close-on-exec, or -1 with errno. */
int omega_system_copy_program(int file, const char *name);

/* Milliseconds of a clock that nobody sets. */
static inline uint64_t
omega_system_now_ms(void)
{
	struct timespec now = {0, 0};

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* For input: 0 or a negative errno. */
static inline int
omega_system_write_all(int fd, const char *bytes, size_t len)
{
	ssize_t done;

	while (len > 0) {
		done = write(fd, bytes, len);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done < 0 ? -errno : -ENOSPC;
		bytes += done;
		len -= (size_t)done;
	}
	return 0;
}

#endif
