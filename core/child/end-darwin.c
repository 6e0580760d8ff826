/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * end-darwin.c - see end.h.
 *
 * The descriptor is a kqueue. The kernel says once that the process has ended,
 * and how, also when somebody else has waited for it; what it said is put
 * back as an event of our own, which stays, so that the descriptor goes on
 * being readable.
 */

#include "config.h"

#include "child/end.h"

#include <sys/event.h>
#include <sys/wait.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#define IDENT 1

/* What our own event carries: the status and whether it is known. */
#define IS_KNOWN ((uintptr_t)1 << 32)

bool
omega_end_is_available(void)
{
	return true;
}

const char *
omega_end_needs(void)
{
	return "macOS 10.10 or later is needed";
}

static int
note(int kq, uintptr_t what)
{
	struct kevent event;

	EV_SET(&event, IDENT, EVFILT_USER, EV_ADD, NOTE_FFNOP, 0, (void *)what);
	if (kevent(kq, &event, 1, NULL, 0, NULL) != 0)
		return -errno;
	EV_SET(&event, IDENT, EVFILT_USER, 0, NOTE_TRIGGER, 0, (void *)what);
	return kevent(kq, &event, 1, NULL, 0, NULL) == 0 ? 0 : -errno;
}

int
omega_end_open(pid_t pid)
{
	struct kevent event;
	int kq = kqueue();
	int ret = 0;

	if (kq < 0)
		return -errno;
	if (fcntl(kq, F_SETFD, FD_CLOEXEC) != 0)
		ret = -errno;
	EV_SET(&event, (uintptr_t)pid, EVFILT_PROC, EV_ADD,
	    NOTE_EXIT | NOTE_EXITSTATUS, 0, NULL);
	if (ret == 0 && kevent(kq, &event, 1, NULL, 0, NULL) != 0)
		/* It has ended already; wait(2) may still tell how. */
		ret = errno == ESRCH ? note(kq, 0) : -errno;
	if (ret == 0)
		return kq;
	close(kq);
	return ret;
}

/* 1: it has ended, and what is said of it. 0: not yet. */
static int
read_note(int kq, uintptr_t *what)
{
	const struct timespec at_once = {0, 0};
	struct kevent event;
	int ret = kevent(kq, NULL, 0, &event, 1, &at_once);

	if (ret <= 0)
		return ret < 0 ? -errno : 0;
	if (event.filter == EVFILT_USER) {
		*what = (uintptr_t)event.udata;
		return 1;
	}
	*what = IS_KNOWN | (uint32_t)event.data;
	ret = note(kq, *what);
	return ret < 0 ? ret : 1;
}

int
omega_end_ask(int pidfd, pid_t pid, struct omega_end *end)
{
	uintptr_t what = 0;
	int status = 0;
	int ret = read_note(pidfd, &what);
	pid_t found;

	if (ret <= 0)
		return ret;
	do
		found = waitpid(pid, &status, WNOHANG);
	while (found < 0 && errno == EINTR);
	if (found == 0)
		return 0; /* said a moment before it can be collected */
	if (found == pid && !WIFSTOPPED(status)) {
		omega_end_fill(end, status);
		return 1;
	}
	/* Somebody else has waited for it, or it never was our child. */
	if (found > 0 || (what & IS_KNOWN) == 0)
		return found > 0 ? 0 : -ENODATA;
	omega_end_fill(end, (int)(uint32_t)(what & UINT32_MAX));
	return 1;
}

/* Its number is its own until it has been collected; between the look and
 * the signal nothing but a host that waits for all its children can do so. */
int
omega_end_signal(int pidfd, pid_t pid, int signal)
{
	if (omega_end_wait(pidfd, 0) != 0)
		return -ESRCH;
	return kill(pid, signal) == 0 ? 0 : -errno;
}

int
omega_end_wait_stop(int pidfd, pid_t pid)
{
	siginfo_t info;

	(void)pidfd; /* our child: its number is enough */
	for (;;) {
		info.si_pid = 0;
		if (waitid(P_PID, (id_t)pid, &info,
			WEXITED | WSTOPPED | WNOWAIT) != 0) {
			if (errno != EINTR)
				return 0;
			continue;
		}
		if (info.si_code != CLD_STOPPED && info.si_code != CLD_TRAPPED)
			return 0;
		/* Take it, if it is still so: it may have gone on. */
		info.si_pid = 0;
		if (waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOHANG) == 0 &&
		    info.si_pid != 0 && info.si_code == CLD_STOPPED)
			return info.si_status;
	}
}

/* It is nobody's child: its end is all there is to wait for. */
void
omega_end_reap(int pidfd, pid_t pid)
{
	(void)pid;
	while (omega_end_wait(pidfd, -1) == 0)
		;
}
