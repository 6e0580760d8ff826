/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * end-linux.c - see end.h.
 *
 * waitid(2) answers as long as nobody else has. A host that waits for all its
 * children in another thread, or ignores SIGCHLD, takes the answer away; from
 * Linux 6.15 on the descriptor itself still has it.
 */

#include "config.h"

#include "child/end.h"

#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "child/raw.h"

/* Distribution headers are older than the kernels they run on. */
#define WAIT_PIDFD 3

#define INFO_EXIT (UINT64_C(1) << 3)

struct info { /* struct pidfd_info of Linux 6.15 */
	uint64_t mask;
	uint64_t cgroup;
	uint32_t ids[11];
	int32_t exit_code;
};

_Static_assert(sizeof(struct info) == 64, "PIDFD_INFO_SIZE_VER0");

#define GET_INFO _IOWR(0xff, 11, struct info)

bool
omega_end_is_available(void)
{
	siginfo_t info;

	/* Before Linux 5.4 the kind is unknown, and that is EINVAL. */
	return waitid(WAIT_PIDFD, INT_MAX, &info, WEXITED | WNOHANG) == 0 ||
	       errno == EBADF;
}

const char *
omega_end_needs(void)
{
	return "Linux 5.4 or later is needed";
}

int
omega_end_open(pid_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	return fd < 0 ? -errno : fd;
}

/* Somebody else has waited for it. */
static int
ask_descriptor(int pidfd, struct omega_end *end)
{
	struct info info;
	int tries = 2;
	int ret;

	/* The kernel looks for the status, then for the process: one that is
	 * collected in between has neither, and is asked for once more. */
	do {
		memset(&info, 0, sizeof(info));
		info.mask = INFO_EXIT;
		ret = ioctl(pidfd, GET_INFO, &info);
	} while (ret != 0 && errno == ESRCH && --tries > 0);
	if (ret != 0)
		return -ENODATA; /* ESRCH, or a kernel that does not know */
	if ((info.mask & INFO_EXIT) == 0)
		return 0; /* on its way out */
	omega_end_fill(end, info.exit_code);
	return 1;
}

int
omega_end_ask(int pidfd, pid_t pid, struct omega_end *end)
{
	siginfo_t info;
	int ret;

	(void)pid; /* the descriptor is enough */
	memset(&info, 0, sizeof(info));
	do
		ret = waitid(WAIT_PIDFD, (id_t)pidfd, &info, WEXITED | WNOHANG);
	while (ret != 0 && errno == EINTR);
	/*
	 * A child that asked to be traced by its parent has every stop told
	 * without being asked for. That is not its end.
	 */
	if (ret == 0 && (info.si_pid == 0 || info.si_code == CLD_TRAPPED ||
			    info.si_code == CLD_STOPPED))
		return 0;
	if (ret == 0) {
		end->signal = info.si_code == CLD_EXITED ? 0 : info.si_status;
		end->status = end->signal != 0 ? -1 : info.si_status;
		end->is_core_dumped = info.si_code == CLD_DUMPED;
		return 1;
	}
	if (errno != ECHILD)
		return -errno;
	/* No longer a child of ours to wait for, or never: a host that has
	 * forked. It may still be running. */
	ret = omega_end_wait(pidfd, 0);
	return ret <= 0 ? ret : ask_descriptor(pidfd, end);
}

int
omega_end_signal(int pidfd, pid_t pid, int signal)
{
	(void)pid; /* as above */
	return syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0) == 0
		   ? 0
		   : -errno;
}

/*
 * It made us its tracer, and no signal but SIGKILL would reach it any more,
 * those passed on to it neither. It is let go with the signal it got; one of
 * exec is only for tracers. Another thread than the one that started it
 * cannot, which changes nothing.
 */
static void
let_go(pid_t pid, int signal)
{
	ptrace(PTRACE_DETACH, pid, NULL,
	    (void *)(intptr_t)(signal == SIGTRAP ? 0 : signal));
}

int
omega_end_wait_stop(int pidfd, pid_t pid)
{
	siginfo_t info;

	for (;;) {
		memset(&info, 0, sizeof(info));
		if (waitid(WAIT_PIDFD, (id_t)pidfd, &info,
			WEXITED | WSTOPPED | WNOWAIT) != 0) {
			if (errno != EINTR)
				return 0;
			continue;
		}
		if (info.si_code != CLD_STOPPED && info.si_code != CLD_TRAPPED)
			return 0;
		/* Take it, if it is still so: it may have gone on. */
		memset(&info, 0, sizeof(info));
		if (waitid(WAIT_PIDFD, (id_t)pidfd, &info,
			WSTOPPED | WNOHANG) != 0 ||
		    info.si_pid == 0)
			continue;
		if (info.si_code == CLD_STOPPED)
			return info.si_status;
		let_go(pid, info.si_status);
	}
}

void
omega_end_reap(int pidfd, pid_t pid)
{
	siginfo_t info;

	(void)pid; /* the descriptor is enough */
	while (waitid(WAIT_PIDFD, (id_t)pidfd, &info, WEXITED | __WALL) != 0 &&
	       errno == EINTR)
		;
}
