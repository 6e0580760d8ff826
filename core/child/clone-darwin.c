/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * clone-darwin.c - see clone.h. Every child is made by fork(2): there is no
 * other way to run steps between the two halves of a start. The parent stands
 * still until the child has become the program, as with clone on Linux, so
 * that a pipe that another thread's child holds open does not matter.
 */

#include "config.h"

#include "child/clone.h"

#include <sys/event.h>
#include <sys/wait.h>
#include <errno.h>
#include <libproc.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/system.h"
#include "child/calls.h"
#include "child/end.h"

_Static_assert(sizeof(sigset_t) <= sizeof(struct omega_clone_mask),
    "a set of signals must fit");

void
omega_clone_block(struct omega_clone_mask *old)
{
	sigset_t before;
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	memcpy(old, &before, sizeof(before));
}

void
omega_clone_unblock(const struct omega_clone_mask *old)
{
	sigset_t before;

	memcpy(&before, old, sizeof(before));
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* A child's memory is always its own. */
struct omega_clone
omega_clone_lending(struct omega_inner *inner, struct omega_stacks *stacks,
    struct omega_inner_fault *said)
{
	(void)inner;
	(void)stacks;
	(void)said;
	return (struct omega_clone){.pid = -ENOSYS, .pidfd = -1};
}

/* One that cannot be watched must not go on. */
static void
end_it(struct omega_clone *made, int error)
{
	kill(made->pid, SIGKILL);
	waitpid(made->pid, NULL, 0);
	made->pid = error;
	made->pidfd = -1;
}

static void
watch(struct omega_clone *made)
{
	made->pidfd = omega_end_open(made->pid);
	if (made->pidfd < 0)
		end_it(made, made->pidfd);
}

/*
 * Until it has become the program or has ended. The kernel tells of both, to
 * one who asks before; should it not (it may not of programs that change the
 * user), a look now and then does.
 */
static void
wait_for_exec(int kq, pid_t pid)
{
	const struct timespec pause = {0, 50 * 1000000L};
	struct proc_bsdinfo info;
	struct kevent event;

	while (kevent(kq, NULL, 0, &event, 1, &pause) <= 0)
		if (proc_pidinfo(pid, PROC_PIDTBSDINFO, 0, &info,
			sizeof(info)) != (int)sizeof(info) ||
		    (info.pbi_flags & PROC_FLAG_EXEC) != 0)
			return;
}

/* Let the child go on, watched; it waits for a byte. */
static void
let_go(struct omega_clone *made, int go)
{
	struct kevent event;
	int kq = kqueue();

	if (kq < 0) {
		end_it(made, -errno);
		return;
	}
	EV_SET(&event, (uintptr_t)made->pid, EVFILT_PROC, EV_ADD,
	    NOTE_EXEC | NOTE_EXIT, 0, NULL);
	watch(made);
	if (made->pid > 0) {
		made->is_past = kevent(kq, &event, 1, NULL, 0, NULL) == 0;
		omega_calls_write(go, "", 1);
		if (made->is_past)
			wait_for_exec(kq, made->pid);
	}
	close(kq);
}

/* What the parent has to say first; one that is gone says nothing. */
static void
wait_to_go(const int go[2])
{
	char byte;

	close(go[1]);
	if (read(go[0], &byte, 1) != 1)
		omega_calls_exit(127);
	close(go[0]);
}

struct omega_clone
omega_clone_piped(struct omega_inner *inner, struct omega_stacks *stacks)
{
	struct omega_inner_start start = {.inner = inner};
	struct omega_clone made = {.pidfd = -1};
	struct omega_clone_mask old;
	int go[2];

	(void)stacks;
	inner->has_handlers = true;
	made.pid = omega_system_make_pipe(go, 0);
	if (made.pid < 0)
		return made;
	omega_clone_block(&old);
	made.pid = fork();
	if (made.pid == 0) {
		wait_to_go(go);
		omega_inner_child(&start);
	}
	if (made.pid < 0)
		made.pid = -errno;
	omega_clone_unblock(&old);
	close(go[0]);
	if (made.pid > 0)
		let_go(&made, go[1]);
	close(go[1]);
	return made;
}

/* The number of a process that was made, over a pipe; 0: none was. */
static pid_t
read_pid(int fd)
{
	pid_t pid = 0;
	ssize_t len;

	do
		len = read(fd, &pid, sizeof(pid));
	while (len < 0 && errno == EINTR);
	return len == (ssize_t)sizeof(pid) ? pid : 0;
}

/* In a process between: the copy shall be nobody's child. */
static _Noreturn void
make_copy(void (*fn)(const void *arg), const void *arg, int report)
{
	pid_t pid = fork();

	if (pid == 0) {
		close(report);
		fn(arg);
		omega_calls_exit(0);
	}
	if (pid > 0)
		omega_calls_write(report, &pid, sizeof(pid));
	omega_calls_exit(0);
}

/*
 * The copy has no parent that could collect it, the host as little as
 * anything in it. What the host does see is the end of the process between.
 */
struct omega_clone
omega_clone_copy(void (*fn)(const void *arg), const void *arg)
{
	struct omega_clone made = {.pidfd = -1};
	struct omega_clone_mask old;
	pid_t between;
	int ends[2];

	made.pid = omega_system_make_pipe(ends, 0);
	if (made.pid < 0)
		return made;
	omega_clone_block(&old);
	between = fork();
	if (between == 0)
		make_copy(fn, arg, ends[1]);
	made.pid = between < 0 ? -errno : 0;
	omega_clone_unblock(&old);
	close(ends[1]);
	if (between > 0) {
		made.pid = read_pid(ends[0]);
		if (made.pid == 0)
			made.pid = -EAGAIN;
		while (waitpid(between, NULL, 0) < 0 && errno == EINTR)
			;
	}
	close(ends[0]);
	if (made.pid > 0) {
		made.pidfd = omega_end_open(made.pid);
		if (made.pidfd < 0) {
			kill(made.pid, SIGKILL);
			made.pid = made.pidfd;
			made.pidfd = -1;
		}
	}
	return made;
}
