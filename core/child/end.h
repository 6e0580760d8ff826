/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * end.h - how a process ended, asked of its descriptor. One implementation
 * per system; what is in the descriptor is its own affair.
 */

#ifndef OMEGA_CHILD_END_H
#define OMEGA_CHILD_END_H

#include <sys/types.h>
#include <sys/wait.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>

struct omega_end {
	int status; /* exit status, or -1: a signal ended it, or nothing */
	int signal; /* or 0 */
	bool is_core_dumped;
};

/* As wait(2) has it. */
static inline void
omega_end_fill(struct omega_end *end, int status)
{
	end->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	end->status = end->signal != 0 ? -1 : WEXITSTATUS(status);
	end->is_core_dumped = end->signal != 0 && WCOREDUMP(status);
}

/* Can this kernel do what the functions below need? And what it would need. */
bool omega_end_is_available(void);
const char *omega_end_needs(void);

/* A descriptor for a process that is known by its number: close-on-exec, to be
 * closed, or a negative errno. Plain system calls. */
int omega_end_open(pid_t pid);

/*
 * Has it ended? Does not block, and leaves no zombie. 1: end is filled.
 * 0: not yet. -ENODATA: it has, but how is no longer known. Another negative
 * errno: the descriptor is no process. A second call may no longer know.
 */
int omega_end_ask(int pidfd, pid_t pid, struct omega_end *end);

/* Wait until it has stopped, which is told once, or has ended. The signal that
 * stopped it; 0: not to be waited for that way any more. */
int omega_end_wait_stop(int pidfd, pid_t pid);

/* Wait until it has ended, at most timeout_ms (-1: without end). 1, 0 when
 * the time is over or a signal came, or a negative errno. */
static inline int
omega_end_wait(int pidfd, int timeout_ms)
{
	struct pollfd set = {.fd = pidfd, .events = POLLIN};
	int ret = poll(&set, 1, timeout_ms);

	if (ret < 0)
		return errno == EINTR ? 0 : -errno;
	if (ret == 0)
		return 0;
	return (set.revents & POLLNVAL) != 0 ? -EBADF : 1;
}

/* Send it a signal, and no other process that has got its number since. 0 or
 * a negative errno. */
int omega_end_signal(int pidfd, pid_t pid, int signal);

/* It has ended, and nobody wants to know how: leave nothing of it. */
void omega_end_reap(int pidfd, pid_t pid);

#endif
