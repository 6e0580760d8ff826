/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * spawn-linux.c - the parent's side of a start: see spawn.h. What the child
 * does is in inner.c.
 *
 * A child normally shares our memory and we stand still until it has become
 * the program (CLONE_VM|CLONE_VFORK), which costs the same from a host of any
 * size. Where that memory could be attacked it gets a copy instead. Either
 * way the outcome comes by a pipe: READY right before exec, a fault instead
 * of it or after it. Nothing at all means that something killed the child.
 *
 * The pipe's end of file is not what we go by: a process forked by another
 * thread at the wrong moment holds the pipe open for as long as it likes.
 * When clone(2) returns, exec has been done or has failed, and all that will
 * ever be written is there. Only valgrind and qemu-user, which make a fork of
 * it all, return early; there we wait for the end of file.
 */

#include "config.h"

#include "run/spawn.h"

#include <sys/syscall.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "error.h"
#include "run/alone.h"
#include "run/end.h"
#include "run/fault.h"
#include "run/raw.h"
#include "run/setup.h"
#include "run/stack.h"

#ifndef CLONE_PIDFD
#define CLONE_PIDFD 0x00001000
#endif
#ifndef SYS_clone3
#define SYS_clone3 435
#endif

struct clone3 { /* the first version of the kernel's struct clone_args */
	uint64_t flags;
	uint64_t pidfd;
	uint64_t child_tid;
	uint64_t parent_tid;
	uint64_t exit_signal;
	uint64_t stack;
	uint64_t stack_size;
	uint64_t tls;
};

/* What clone gave. */
struct clone {
	pid_t pid; /* or a negative errno */
	int pidfd;
	bool is_past; /* exec has been done or has failed */
};

/* Signals the libraries keep to themselves included. */
static void
block_signals(unsigned long *old)
{
	unsigned long all[16 / sizeof(unsigned long)];

	memset(all, 0xff, sizeof(all));
	omega_raw(SYS_rt_sigprocmask, SIG_SETMASK, (long)all, (long)old,
	    OMEGA_RAW_SIGSET, 0);
}

static void
restore_signals(const unsigned long *old)
{
	omega_raw(
	    SYS_rt_sigprocmask, SIG_SETMASK, (long)old, 0, OMEGA_RAW_SIGSET, 0);
}

/* On a stack of its own, in our memory or (flags 0) in a copy. */
static struct clone
clone_on_stack(const struct omega_setup *setup, int flags)
{
	struct clone made = {.pid = -ENOMEM, .pidfd = -1};
	struct omega_inner_start *start;
	char *stack = omega_stacks_take(setup->launch->stacks);

	if (stack == NULL)
		return made;
	start =
	    (struct omega_inner_start *)(void *)(stack + OMEGA_STACK_SIZE) - 1;
	start->inner = &setup->inner;
	start->is_shared = 0;
	made.pid = clone(omega_inner_child, start,
	    flags | CLONE_PIDFD | SIGCHLD, start, &made.pidfd);
	if (made.pid < 0)
		made.pid = -errno;
	made.is_past = start->is_shared != 0;
	omega_stacks_give(setup->launch->stacks, stack);
	return made;
}

/*
 * In a copy of our memory, while we stand still: then clone3 needs no stack.
 * Where it is not to be had (filters, valgrind), a plain fork.
 */
static struct clone
clone_apart(const struct omega_setup *setup)
{
	struct omega_inner_start start = {.inner = &setup->inner};
	struct clone made = {.pidfd = -1, .is_past = true};
	struct clone3 args = {.flags = CLONE_VFORK | CLONE_PIDFD,
	    .pidfd = (uintptr_t)&made.pidfd,
	    .exit_signal = SIGCHLD};
	long ret = omega_raw(SYS_clone3, (long)&args, sizeof(args), 0, 0, 0);

	if (ret == 0)
		omega_inner_child(&start);
	if (ret == -ENOSYS || ret == -EPERM || ret == -EINVAL)
		return clone_on_stack(setup, 0);
	made.pid = (pid_t)ret;
	return made;
}

static struct clone
clone_child(const struct omega_setup *setup)
{
	unsigned long old[16 / sizeof(unsigned long)];
	struct clone made;

	block_signals(old);
	if (setup->inner.is_hidden)
		made = clone_apart(setup);
	else
		made = clone_on_stack(setup, CLONE_VM | CLONE_VFORK);
	restore_signals(old);
	return made;
}

/* Until something is written, or the child has ended. True: it has. */
static bool
wait_for_news(int report, int pidfd)
{
	struct pollfd set[2] = {
	    {.fd = report, .events = POLLIN}, {.fd = pidfd, .events = POLLIN}};

	return poll(set, 2, -1) > 0 && set[1].revents != 0;
}

enum outcome { STARTED, FAULT, SILENCE };

static enum outcome
read_outcome(
    int report, const struct clone *made, struct omega_inner_fault *fault)
{
	bool is_past = made->is_past;
	bool is_ready = false;
	ssize_t len;

	for (;;) {
		len = read(report, fault, sizeof(*fault));
		if (len == (ssize_t)sizeof(*fault)) {
			if (fault->kind != OMEGA_INNER_READY)
				return FAULT;
			is_ready = true;
			continue;
		}
		if (len < 0 && errno == EINTR)
			continue;
		if (len >= 0 || errno != EAGAIN || is_past)
			return is_ready ? STARTED : SILENCE;
		is_past = wait_for_news(report, made->pidfd);
	}
}

/* Leave no zombie. 1: end is filled. */
static int
reap(int pidfd, struct omega_end *end)
{
	const struct timespec pause = {0, 1000000};
	bool has_ended = false;
	int ret;

	for (;;) {
		ret = omega_end_ask(pidfd, end);
		if (ret != 0)
			return ret;
		if (has_ended)
			nanosleep(&pause, NULL);
		has_ended = omega_end_wait(pidfd, -1) == 1;
	}
}

/* The child is there: what has become of it? */
static int
learn(const struct clone *made, int report, const struct omega_setup *setup,
    struct omega_sandbox_error *error)
{
	struct omega_inner_fault fault;
	struct omega_end end;
	enum outcome outcome;
	int ret;

	outcome = read_outcome(report, made, &fault);
	if (outcome == STARTED)
		return OMEGA_SANDBOX_OK;
	ret = reap(made->pidfd, &end);
	close(made->pidfd);
	if (outcome == FAULT)
		return omega_fault_tell(&fault, setup, error);
	return omega_fault_tell_end(ret == 1 ? &end : NULL, error);
}

/* Clone, with the pipe in place. */
static int
start(struct omega_setup *setup, int report[2], struct omega_spawned *spawned,
    struct omega_sandbox_error *error)
{
	struct clone made;
	int ret;

	setup->inner.report = report[1];
	setup->inner.is_child = true;
	setup->inner.is_hidden = omega_launch_needs_own_memory(setup->launch);
	made = clone_child(setup);
	close(report[1]);
	report[1] = -1;
	if (made.pid < 0)
		return omega_error_set(error, OMEGA_SANDBOX_E_SYSTEM, -made.pid,
		    "no process can be started: %s", strerror(-made.pid));
	ret = learn(&made, report[0], setup, error);
	if (ret < 0)
		return ret;
	spawned->pid = made.pid;
	spawned->pidfd = made.pidfd;
	memcpy(spawned->stdio, setup->fds.ours, sizeof(spawned->stdio));
	setup->fds.ours[0] = setup->fds.ours[1] = setup->fds.ours[2] = -1;
	return OMEGA_SANDBOX_OK;
}

static int
spawn(const struct omega_launch *launch, const struct omega_command *command,
    struct omega_spawned *spawned, struct omega_sandbox_error *error)
{
	struct omega_setup setup;
	int report[2] = {-1, -1};
	int ret;

	if (!omega_end_is_available())
		return omega_error_set(error, OMEGA_SANDBOX_E_SYSTEM, ENOSYS,
		    "this kernel has no descriptors of processes: Linux 5.4 "
		    "or later is needed");
	ret = omega_setup_make(&setup, launch, command, error);
	if (ret < 0)
		return ret;
	if (pipe2(report, O_CLOEXEC | O_NONBLOCK) == 0)
		report[1] = omega_fds_move(&setup.fds, report[1]);
	else
		report[1] = -errno;
	if (report[1] < 0)
		ret = omega_error_set(error, OMEGA_SANDBOX_E_SYSTEM, -report[1],
		    "no pipe to the child: %s", strerror(-report[1]));
	else
		ret = start(&setup, report, spawned, error);
	if (report[0] >= 0)
		close(report[0]);
	omega_setup_drop(&setup);
	return ret;
}

int
omega_spawn(const struct omega_launch *launch,
    const struct omega_command *command, struct omega_spawned *spawned,
    struct omega_sandbox_error *error)
{
	int saved = errno; /* the child writes it, sharing our thread's */
	int cancel;
	int ret;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	ret = spawn(launch, command, spawned, error);
	pthread_setcancelstate(cancel, NULL);
	errno = saved;
	return ret;
}

static int
refuse_threads(struct omega_sandbox_error *error)
{
	return omega_error_set(error, OMEGA_SANDBOX_E_STATE, EBUSY,
	    "a process with more than one thread cannot be confined: start "
	    "the command as a child");
}

int
omega_spawn_exec(const struct omega_launch *launch,
    const struct omega_command *command, struct omega_sandbox_error *error)
{
	unsigned long old[16 / sizeof(unsigned long)];
	struct omega_inner_fault fault;
	struct omega_setup setup;
	int ret;
	int i;

	for (i = 0; i < 3; i++)
		if (command->stdio[i].how == OMEGA_SANDBOX_STDIO_PIPE)
			return omega_error_set(error, OMEGA_SANDBOX_E_STATE,
			    EINVAL,
			    "descriptor %d: nobody would be there to "
			    "use the pipe",
			    i);
	if (!omega_alone())
		return refuse_threads(error);
	ret = omega_setup_make(&setup, launch, command, error);
	if (ret < 0)
		return ret;
	setup.inner.is_hidden = omega_launch_needs_own_memory(launch);
	block_signals(old);
	omega_inner_run(&setup.inner, &fault);
	restore_signals(old);
	ret = omega_fault_tell(&fault, &setup, error);
	omega_setup_drop(&setup);
	return ret;
}

int
omega_spawn_confine(
    const struct omega_launch *launch, struct omega_sandbox_error *error)
{
	struct omega_inner_fault fault;
	struct omega_setup setup;
	int ret;

	if (launch->word_count != 0)
		return omega_error_set(error, OMEGA_SANDBOX_E_STATE, EINVAL,
		    "%s starts commands through a program of its own and "
		    "cannot confine this process",
		    launch->prefix);
	if (!omega_alone())
		return refuse_threads(error);
	ret = omega_setup_make(&setup, launch, NULL, error);
	if (ret < 0)
		return ret;
	ret = omega_inner_run(&setup.inner, &fault);
	if (ret != 0)
		ret = omega_fault_tell(&fault, &setup, error);
	omega_setup_drop(&setup);
	return ret;
}
