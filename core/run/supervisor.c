/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * supervisor.c - the host's side of it: see supervisor.h.
 */

#include "config.h"

#include "run/supervisor.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "child/end.h"
#include "launch/cgroup.h"
#include "run/setup.h"
#include "run/spawn.h"

/* A supervisor that has not said a word for so long may have been stopped, and
 * after so many times it is given up. */
#define START_MS 2000
#define MAX_WAKES 60

/* And so often its end is waited for. */
#define END_MS 100
#define MAX_WAITS 30

static void
close_it(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

bool
omega_supervise_is_over(struct omega_supervised *supervised)
{
	if (!supervised->is_first)
		return false;
	omega_supervise_kill(supervised);
	supervised->is_held =
	    omega_end_wait(supervised->supervisor_fd, MAX_WAITS * END_MS) != 1;
	return !supervised->is_held;
}

/*
 * It has said all it had to say, or is to end everything: wherever somebody has
 * stopped it on the way, it goes on. The first process of a namespace is waited
 * for as long as it may take; what holds it longer cannot be ended by anybody.
 */
static void
reap(const struct omega_supervised *supervised)
{
	int waits = 0;

	while (omega_end_wait(supervised->supervisor_fd, END_MS) == 0)
		if (!supervised->is_first)
			omega_supervise_wake(supervised);
		else if (++waits == 1)
			omega_supervise_kill(supervised);
		else if (waits > MAX_WAITS || supervised->is_held)
			return;
	omega_end_reap(supervised->supervisor_fd, supervised->supervisor);
}

/* Who becomes the command: its number is not given to another before we have a
 * descriptor of it. */
static void
see(struct omega_supervised *supervised, pid_t pid)
{
	if (pid == supervised->supervisor || pid <= 0)
		return;
	supervised->pid = pid;
	supervised->pidfd = omega_end_open(pid);
	/* It may have been killed, and then the number is anybody's. */
	if (supervised->pidfd >= 0 &&
	    omega_end_wait(supervised->supervisor_fd, 0) != 0) {
		close(supervised->pidfd);
		supervised->pidfd = -1;
	}
	omega_channel_see(supervised->control);
}

/* The next word at the start. 0 or -EPIPE. */
static int
hear_next(
    struct omega_supervised *supervised, struct omega_supervisor_word *word)
{
	struct pollfd set = {.fd = supervised->control, .events = POLLIN};
	int wakes = 0;

	/* The command may be faster, and may have stopped it already. */
	while (poll(&set, 1, START_MS) <= 0)
		if (++wakes > MAX_WAKES)
			omega_supervise_kill(supervised);
		else
			omega_supervise_wake(supervised);
	return omega_channel_read(supervised->control, true, word) < 0 ? -EPIPE
								       : 0;
}

/* Has the command been started? 0, or a code. */
static int
hear_start(struct omega_supervised *supervised, struct omega_setup *setup,
    struct omega_supervisor_word *word, struct omega_sandbox_error *error)
{
	do {
		if (hear_next(supervised, word) < 0) {
			if (supervised->pid > 0)
				return omega_supervise_lost(supervised, error);
			return omega_fault_tell_end(NULL, error);
		}
		if (word->kind == OMEGA_SUPERVISOR_READY)
			see(supervised, word->pid);
	} while (word->kind == OMEGA_SUPERVISOR_READY);
	if (word->kind == OMEGA_SUPERVISOR_STARTED) {
		if (supervised->pid == 0) {
			supervised->pid = word->pid;
			supervised->pidfd = omega_end_open(word->pid);
		}
		return 0;
	}
	supervised->pid = 0; /* it never was the command */
	if (word->error != 0)
		return omega_error_set(error, OMEGA_SANDBOX_E_SYSTEM,
		    word->error, "the command cannot be supervised: %s",
		    strerror(word->error));
	if (word->fault.kind != 0)
		return omega_fault_tell(&word->fault, setup, error);
	return omega_fault_tell_end(NULL, error);
}

/* Make a supervisor, which starts it. As hear_start. */
static int
start(struct omega_setup *setup, struct omega_supervisor *told,
    struct omega_supervised *supervised, struct omega_supervisor_word *word,
    struct omega_sandbox_error *error)
{
	struct omega_supervisor_made made = {.group = 0};
	int pair[2] = {-1, -1};
	int ret;

	told->host_pid = getpid();
	ret = omega_channel_make(pair, &told->host);
	if (ret < 0)
		return omega_error_set(error, OMEGA_SANDBOX_E_SYSTEM, -ret,
		    "no supervisor can be started: %s", strerror(-ret));
	told->ours = pair[0];
	told->control = pair[1];
	told->setup = setup;
	supervised->control = pair[0];
	ret = omega_supervisor_start(told, &made, error);
	close_it(&told->control);
	close_it(&told->host);
	if (ret < 0) {
		close_it(&supervised->control);
	} else {
		supervised->supervisor = made.clone.pid;
		supervised->supervisor_fd = made.clone.pidfd;
		supervised->is_first = made.is_first;
		ret = hear_start(supervised, setup, word, error);
		if (ret < 0)
			omega_supervise_drop(supervised);
	}
	supervised->group = made.group != 0 ? made.group : (uint64_t)word->pid;
	if (ret < 0)
		omega_supervise_leave(setup->launch, supervised);
	return ret;
}

static int
start_setup(struct omega_setup *setup, struct omega_supervisor *told,
    struct omega_supervised *supervised, struct omega_sandbox_error *error)
{
	struct omega_supervisor_word word = {.kind = 0};
	int ret;

	ret = start(setup, told, supervised, &word, error);
	if (ret < 0 && word.kind == OMEGA_SUPERVISOR_FAILED &&
	    word.error == 0 && word.fault.kind == OMEGA_INNER_DIRECTORY &&
	    omega_setup_leave_dir(setup, word.fault.error))
		ret = start(setup, told, supervised, &word, error);
	if (ret < 0)
		return ret;
	memcpy(supervised->left, setup->left, strlen(setup->left) + 1);
	memcpy(supervised->stdio, setup->fds.ours, sizeof(supervised->stdio));
	setup->fds.ours[0] = setup->fds.ours[1] = setup->fds.ours[2] = -1;
	return 0;
}

int
omega_supervise_start(const struct omega_launch *launch,
    const struct omega_command *command, uint64_t timeout_ms, uint64_t grace_ms,
    bool is_telling, struct omega_supervised *supervised,
    struct omega_sandbox_error *error)
{
	struct omega_supervisor told = {.timeout_ms = timeout_ms,
	    .grace_ms = grace_ms,
	    .is_telling = is_telling};
	struct omega_setup setup;
	bool is_available = true;
	const char *how = NULL;
	int saved = errno;
	int cancel;
	int ret;

	*supervised = (struct omega_supervised){.supervisor_fd = -1,
	    .control = -1,
	    .pidfd = -1,
	    .stdio = {-1, -1, -1}};
	if (launch->pids.outside == NULL)
		how = omega_supervisor_how(&is_available);
	if (!is_available || !omega_end_is_available())
		return omega_error_set(error, OMEGA_SANDBOX_E_UNAVAILABLE, 0,
		    "not started: nothing could end it with all of its "
		    "processes: %s",
		    is_available ? omega_end_needs() : how);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	ret = omega_setup_make(&setup, launch, command, true, error);
	if (ret == 0) {
		/* It may kill the supervisor before we have heard of it. */
		setup.inner.is_tied = true;
		setup.inner.group = (int32_t)getpgrp();
		ret = start_setup(&setup, &told, supervised, error);
		omega_setup_drop(&setup);
	}
	pthread_setcancelstate(cancel, NULL);
	errno = saved;
	return ret;
}

int
omega_supervise_hear(const struct omega_supervised *supervised,
    struct omega_supervisor_word *word)
{
	return omega_channel_read(supervised->control, false, word);
}

int
omega_supervise_lost(const struct omega_supervised *supervised,
    struct omega_sandbox_error *error)
{
	omega_supervise_kill(supervised);
	if (supervised->is_first)
		return omega_error_set(error, OMEGA_SANDBOX_E_STATUS_LOST,
		    EPIPE,
		    "process %d was killed with all that it has started, and "
		    "how it ended is not known",
		    (int)supervised->pid);
	return omega_error_set(error, OMEGA_SANDBOX_E_STATUS_LOST, EPIPE,
	    "the supervisor of process %d was killed; the process was ended, "
	    "but others that it has started may still run",
	    (int)supervised->pid);
}

void
omega_supervise_leave(const struct omega_launch *launch,
    const struct omega_supervised *supervised)
{
	if (launch->group_fd >= 0 && supervised->group != 0)
		omega_cgroup_leave(launch->group_fd, supervised->group);
}

void
omega_supervise_cancel(const struct omega_supervised *supervised)
{
	omega_channel_cancel(supervised->control);
}

void
omega_supervise_continue(const struct omega_supervised *supervised)
{
	omega_end_signal(supervised->pidfd, supervised->pid, SIGCONT);
}

void
omega_supervise_wake(const struct omega_supervised *supervised)
{
	omega_end_signal(
	    supervised->supervisor_fd, supervised->supervisor, SIGCONT);
}

void
omega_supervise_kill(const struct omega_supervised *supervised)
{
	omega_end_signal(
	    supervised->supervisor_fd, supervised->supervisor, SIGKILL);
	omega_end_signal(supervised->pidfd, supervised->pid, SIGKILL);
}

void
omega_supervise_drop(struct omega_supervised *supervised)
{
	int i;

	/* A copy of our end may be open in a process forked meanwhile. */
	if (supervised->control >= 0)
		omega_supervise_cancel(supervised);
	close_it(&supervised->control);
	if (supervised->supervisor_fd >= 0)
		reap(supervised);
	close_it(&supervised->supervisor_fd);
	close_it(&supervised->pidfd);
	for (i = 0; i < 3; i++)
		close_it(&supervised->stdio[i]);
}
