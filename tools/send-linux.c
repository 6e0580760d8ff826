/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * send-linux.c - see run.h.
 */

#include "config.h"

#include "run.h"

#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif

void
send_signal(int fd, pid_t pid, int signal)
{
	(void)pid; /* the descriptor is enough */
	syscall(SYS_pidfd_send_signal, fd, signal, NULL, 0);
}

bool
send_is_by_process(const siginfo_t *info, pid_t but)
{
	return info->si_code <= 0 && info->si_pid != but;
}
