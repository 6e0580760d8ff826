/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * supervise.c - see supervise.h.
 */

#include "config.h"

#include "run/supervise.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "error.h"
#include "run/cgroup.h"
#include "run/channel.h"
#include "run/clone.h"
#include "run/end.h"
#include "run/fault.h"
#include "run/spawn.h"

/* A supervisor that has not said a word for so long may have been stopped, and
 * after so many times it is given up. */
#define START_MS 2000
#define MAX_WAKES 60
#define END_MS 100

const char *
omega_supervise_how(bool *is_available)
{
	return omega_supervisor_how(is_available);
}

static void
close_it(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void
be_supervisor(const void *told)
{
	omega_supervisor_run(told);
}

/* It has said all it had to say, or is to end everything: wherever somebody has
 * stopped it on the way, it goes on. */
static void
reap(const struct omega_supervised *supervised)
{
	while (omega_end_wait(supervised->supervisor_fd, END_MS) == 0)
		omega_supervise_wake(supervised);
	omega_channel_reap(supervised->supervisor_fd, supervised->supervisor);
}

/* The first word: has the command been started? 0, or a code. */
static int
hear_start(struct omega_supervised *supervised, struct omega_setup *setup,
    struct omega_supervisor_word *word, struct omega_sandbox_error *error)
{
	struct pollfd set = {.fd = supervised->control, .events = POLLIN};
	int wakes = 0;

	/* The command may be faster, and may have stopped it already. */
	while (poll(&set, 1, START_MS) <= 0)
		if (++wakes > MAX_WAKES)
			omega_supervise_kill(supervised);
		else
			omega_supervise_wake(supervised);
	if (omega_channel_read(
		supervised->control, true, word, &supervised->pidfd) < 0)
		return omega_error_set(error, OMEGA_SANDBOX_E_SYSTEM, EPIPE,
		    "the supervisor of the command was killed before it was "
		    "started");
	if (word->kind == OMEGA_SUPERVISOR_STARTED) {
		supervised->pid = word->pid;
		return 0;
	}
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
	struct omega_clone made;
	int pair[2] = {-1, -1};
	int ret;

	told->host_pid = getpid();
	ret = omega_channel_open_host(&told->host);
	if (ret == 0)
		ret = omega_channel_make(pair);
	if (ret < 0) {
		close_it(&told->host);
		return omega_error_set(error, OMEGA_SANDBOX_E_SYSTEM, -ret,
		    "no supervisor can be started: %s", strerror(-ret));
	}
	told->control = pair[1];
	told->setup = setup;
	supervised->control = pair[0];
	made = omega_clone_copy(be_supervisor, told);
	close_it(&pair[1]);
	close_it(&told->host);
	if (made.pid < 0) {
		close_it(&supervised->control);
		return omega_error_set(error, OMEGA_SANDBOX_E_SYSTEM, -made.pid,
		    "no supervisor can be started: %s", strerror(-made.pid));
	}
	supervised->supervisor = made.pid;
	supervised->supervisor_fd = made.pidfd;
	ret = hear_start(supervised, setup, word, error);
	if (ret < 0)
		omega_supervise_drop(supervised);
	return ret;
}

/* One that was not started may have got as far as to make its group. */
static void
leave_group(
    const struct omega_setup *setup, const struct omega_supervisor_word *word)
{
	if (word->kind == OMEGA_SUPERVISOR_FAILED && word->pid > 0 &&
	    setup->launch->group_fd >= 0)
		omega_cgroup_leave(setup->launch->group_fd, word->pid);
}

static int
start_setup(struct omega_setup *setup, struct omega_supervisor *told,
    struct omega_supervised *supervised, struct omega_sandbox_error *error)
{
	struct omega_supervisor_word word = {.kind = 0};
	int ret;

	ret = start(setup, told, supervised, &word, error);
	leave_group(setup, &word);
	if (ret < 0 && word.kind == OMEGA_SUPERVISOR_FAILED &&
	    word.error == 0 && word.fault.kind == OMEGA_INNER_DIRECTORY &&
	    omega_setup_leave_dir(setup, word.fault.error)) {
		ret = start(setup, told, supervised, &word, error);
		leave_group(setup, &word);
	}
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
	bool is_available;
	const char *how = omega_supervise_how(&is_available);
	int saved = errno;
	int cancel;
	int ret;

	*supervised = (struct omega_supervised){.supervisor_fd = -1,
	    .control = -1,
	    .pidfd = -1,
	    .stdio = {-1, -1, -1}};
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
	return omega_channel_read(supervised->control, false, word, NULL);
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
