/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * spawn.c - the parent's side of a start: see spawn.h. What the child
 * does is in inner.c.
 *
 * A child normally shares our memory and we stand still until it has become
 * the program (CLONE_VM|CLONE_VFORK), which costs the same from a host of any
 * size. What it says is then simply there. Where that memory could be
 * attacked it gets a copy instead, and speaks through a pipe.
 *
 * The pipe's end of file is not what we go by: a process forked by another
 * thread at the wrong moment holds the pipe open for as long as it likes.
 * When clone(2) returns, exec has been done or has failed, and all that will
 * ever be written is there. Only valgrind and qemu-user, which make a fork of
 * it all, return early; there we wait for the end of file.
 */

#include "config.h"

#include "run/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/system.h"
#include "child/clone.h"
#include "child/end.h"
#include "launch/cgroup.h"
#include "run/setup.h"

/* Until something is written, or the child has ended. True: it has. */
static bool
wait_for_news(int report, int pidfd)
{
	struct pollfd set[2] = {
	    {.fd = report, .events = POLLIN}, {.fd = pidfd, .events = POLLIN}};

	return poll(set, 2, -1) > 0 && set[1].revents != 0;
}

/* The child's last word; kind is 0 when there was none. */
static void
read_said(
    int report, const struct omega_clone *made, struct omega_inner_fault *said)
{
	bool is_past = made->is_past;
	struct omega_inner_fault record;
	ssize_t len;

	for (;;) {
		len = read(report, &record, sizeof(record));
		if (len == (ssize_t)sizeof(record)) {
			*said = record;
			continue;
		}
		if (len < 0 && errno == EINTR)
			continue;
		if (len >= 0 || errno != EAGAIN || is_past)
			return;
		is_past = wait_for_news(report, made->pidfd);
	}
}

/* A child that speaks through a pipe. */
static struct omega_clone
clone_with_pipe(struct omega_setup *setup, struct omega_inner_fault *said)
{
	struct omega_clone made = {.pid = -ENOSYS, .pidfd = -1};
	int report[2];
	int end;

	if (!omega_end_is_available())
		return made;
	made.pid = omega_system_make_pipe(report, O_NONBLOCK);
	if (made.pid < 0)
		return made;
	end = omega_fds_move(&setup->fds, report[1]);
	if (end < 0) {
		made.pid = end;
	} else {
		setup->inner.report = end;
		made = omega_clone_piped(&setup->inner, setup->launch->stacks);
		close(end);
		if (made.pid > 0)
			read_said(report[0], &made, said);
	}
	close(report[0]);
	return made;
}

/* Leave no zombie. 1: end is filled. */
static int
reap(const struct omega_clone *made, struct omega_end *end)
{
	const struct timespec pause = {0, 1000000};
	bool has_ended = false;
	int ret;

	for (;;) {
		ret = omega_end_ask(made->pidfd, made->pid, end);
		if (ret != 0)
			return ret;
		if (has_ended)
			nanosleep(&pause, NULL);
		has_ended = omega_end_wait(made->pidfd, -1) == 1;
	}
}

static int
tell_clone(int error_number, struct omega_sandbox_error *error)
{
	if (error_number == ENOSYS)
		return omega_error_set(error, OMEGA_SANDBOX_E_SYSTEM, ENOSYS,
		    "this kernel has no descriptors of processes: %s",
		    omega_end_needs());
	return omega_error_set(error, OMEGA_SANDBOX_E_SYSTEM, error_number,
	    "no process can be started: %s", strerror(error_number));
}

/* It was not started: why, and leave nothing of it. */
static int
clear_up(const struct omega_clone *made, const struct omega_inner_fault *said,
    const struct omega_setup *setup, struct omega_sandbox_error *error)
{
	struct omega_end end;
	int ret = reap(made, &end);

	close(made->pidfd);
	if (said->kind != 0)
		return omega_fault_tell(said, setup, error);
	return omega_fault_tell_end(ret == 1 ? &end : NULL, error);
}

struct omega_clone
omega_spawn_try(struct omega_setup *setup, struct omega_inner_fault *said)
{
	struct omega_clone made = {.pid = -ENOSYS};

	*said = (struct omega_inner_fault){0, 0, 0, 0};
	setup->inner.is_hidden = omega_launch_needs_own_memory(setup->launch);
	if (!setup->inner.is_hidden)
		made = omega_clone_lending(
		    &setup->inner, setup->launch->stacks, said);
	if (made.pid == -ENOSYS)
		made = clone_with_pipe(setup, said);
	return made;
}

static int
start(struct omega_setup *setup, struct omega_spawned *spawned,
    struct omega_sandbox_error *error)
{
	struct omega_inner_fault said;
	struct omega_clone made;

	made = omega_spawn_try(setup, &said);
	if (made.pid > 0 && said.kind == OMEGA_INNER_DIRECTORY &&
	    omega_setup_leave_dir(setup, said.error)) {
		(void)clear_up(&made, &said, setup, NULL);
		made = omega_spawn_try(setup, &said);
	}
	if (made.pid < 0)
		return tell_clone(-made.pid, error);
	if (said.kind != OMEGA_INNER_READY) {
		int ret = clear_up(&made, &said, setup, error);

		if (setup->launch->group_fd >= 0)
			omega_cgroup_leave(setup->launch->group_fd, made.pid);
		return ret;
	}
	/* Without it the group is removed by a later preparation. */
	spawned->group_fd =
	    setup->launch->group_fd < 0
		? -1
		: fcntl(setup->launch->group_fd, F_DUPFD_CLOEXEC, 3);
	spawned->pid = made.pid;
	spawned->pidfd = made.pidfd;
	memcpy(spawned->left, setup->left, strlen(setup->left) + 1);
	memcpy(spawned->stdio, setup->fds.ours, sizeof(spawned->stdio));
	setup->fds.ours[0] = setup->fds.ours[1] = setup->fds.ours[2] = -1;
	return OMEGA_SANDBOX_OK;
}

static int
spawn(const struct omega_launch *launch, const struct omega_command *command,
    struct omega_spawned *spawned, struct omega_sandbox_error *error)
{
	struct omega_setup setup;
	int ret;

	ret = omega_setup_make(&setup, launch, command, true, error);
	if (ret < 0)
		return ret;
	ret = start(&setup, spawned, error);
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

/*
 * A process that leads its group can have no new session. One that leads its
 * session has one, which is its own if nobody's terminal belongs to it.
 */
static int
settle_session(struct omega_setup *setup, struct omega_sandbox_error *error)
{
	struct omega_inner *inner = &setup->inner;
	bool is_leading = getsid(0) == getpid();
	int fd = -1;

	if (inner->session == OMEGA_SANDBOX_SESSION_NEW && is_leading)
		fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (fd >= 0)
		close(fd);
	if (inner->session == OMEGA_SANDBOX_SESSION_PTY ||
	    (is_leading && fd < 0))
		inner->session = OMEGA_SANDBOX_SESSION_KEEP;
	if (inner->session != OMEGA_SANDBOX_SESSION_NEW ||
	    getpgrp() != getpid())
		return 0;
	return omega_error_set(error, OMEGA_SANDBOX_E_STATE, EPERM,
	    "this process leads its process group and can have no session of "
	    "its own: start the command as a child, or do this in a child, or "
	    "set session = keep");
}

int
omega_spawn_exec(const struct omega_launch *launch,
    const struct omega_command *command, struct omega_sandbox_error *error)
{
	struct omega_clone_mask old;
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
	if (!omega_system_is_alone())
		return refuse_threads(error);
	ret = omega_setup_make(&setup, launch, command, false, error);
	if (ret < 0)
		return ret;
	ret = settle_session(&setup, error);
	if (ret < 0) {
		omega_setup_drop(&setup);
		return ret;
	}
	setup.inner.is_hidden = omega_launch_needs_own_memory(launch);
	setup.inner.has_handlers = true;
	omega_clone_block(&old);
	omega_inner_run(&setup.inner, &fault);
	omega_clone_unblock(&old);
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

	if (launch->word_count != 0 && launch->self.step == NULL)
		return omega_error_set(error, OMEGA_SANDBOX_E_STATE, EINVAL,
		    "%s starts commands through a program of its own and "
		    "cannot confine this process",
		    launch->prefix);
	if (!omega_system_is_alone())
		return refuse_threads(error);
	ret = omega_setup_make(&setup, launch, NULL, false, error);
	if (ret < 0)
		return ret;
	ret = omega_inner_run(&setup.inner, &fault);
	if (ret != 0)
		ret = omega_fault_tell(&fault, &setup, error);
	omega_setup_drop(&setup);
	return ret;
}
