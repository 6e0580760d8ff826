/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * send-darwin.c - see send.h. The descriptor is readable once the command has
 * ended; until then its number is its own.
 */

#include "config.h"

#include "send.h"

#include <poll.h>

void
send_signal(int fd, pid_t pid, int signal)
{
	struct pollfd set = {.fd = fd, .events = POLLIN};

	if (poll(&set, 1, 0) == 0)
		kill(pid, signal);
}

bool
send_is_by_process(const siginfo_t *info, pid_t but)
{
	return info->si_pid > 0 && info->si_pid != but;
}
