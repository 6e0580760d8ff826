/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * child.c - the child object: see child.h.
 *
 * Only one thread can collect a process, but several may ask how it ended:
 * the answer is taken and kept under a lock. Nobody waits with the lock held,
 * so a signal can always be sent meanwhile.
 */

#include "config.h"

#include "run/child.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/sized.h"
#include "base/system.h"
#include "child/end.h"
#include "launch/cgroup.h"

/* How long to sleep when a child has ended and cannot be asked yet. */
#define PAUSE_MS 1

struct omega_sandbox_child {
	pid_t pid;
	int pidfd;
	bool is_protected;
	omega_child_ended *on_end; /* NULL: nobody asks, or was told */
	void *on_end_arg;
	pthread_mutex_t lock; /* for all below */
	int stdio[3];
	int group_fd; /* where its control group is, or -1 */
	int state; /* as omega_end_ask: 1, 0, or -ENODATA */
	struct omega_end end;
};

struct omega_sandbox_child *
omega_child_new(void)
{
	struct omega_sandbox_child *child = calloc(1, sizeof(*child));

	if (child == NULL)
		return NULL;
	if (pthread_mutex_init(&child->lock, NULL) != 0) {
		free(child);
		return NULL;
	}
	child->pidfd = -1;
	child->group_fd = -1;
	child->stdio[0] = child->stdio[1] = child->stdio[2] = -1;
	return child;
}

void
omega_child_adopt(struct omega_sandbox_child *child,
    const struct omega_spawned *spawned, bool is_protected)
{
	child->pid = spawned->pid;
	child->pidfd = spawned->pidfd;
	child->group_fd = spawned->group_fd;
	memcpy(child->stdio, spawned->stdio, sizeof(child->stdio));
	child->is_protected = is_protected;
}

pid_t
omega_child_pid(const struct omega_sandbox_child *child)
{
	return child->pid;
}

int
omega_child_fd(const struct omega_sandbox_child *child)
{
	return child->pidfd;
}

int
omega_child_take_stdio(struct omega_sandbox_child *child, int which)
{
	int fd;

	if (which < 0 || which > 2)
		return -1;
	pthread_mutex_lock(&child->lock);
	fd = child->stdio[which];
	child->stdio[which] = -1;
	pthread_mutex_unlock(&child->lock);
	return fd;
}

/* Its control group has served. */
static void
leave_group(struct omega_sandbox_child *child)
{
	if (child->group_fd < 0)
		return;
	omega_cgroup_leave(child->group_fd, child->pid);
	close(child->group_fd);
	child->group_fd = -1;
}

/* The answer so far; what was learnt once stays. */
static int
ask(struct omega_sandbox_child *child, struct omega_end *end)
{
	int cancel;
	int ret;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	pthread_mutex_lock(&child->lock);
	if (child->state == 0) {
		ret = omega_end_ask(child->pidfd, child->pid, &child->end);
		if (ret == 1 || ret == -ENODATA)
			child->state = ret;
		if (child->state != 0)
			leave_group(child);
	} else {
		ret = child->state;
	}
	*end = child->end;
	pthread_mutex_unlock(&child->lock);
	pthread_setcancelstate(cancel, NULL);
	return ret;
}

static void
give_end(const struct omega_sandbox_child *child, const struct omega_end *end,
    struct omega_sandbox_outcome *given)
{
	struct omega_sandbox_outcome full = OMEGA_SANDBOX_OUTCOME_INIT;

	if (given == NULL || given->size < sizeof(given->size))
		return;
	full.status = end->status;
	full.signal = end->signal;
	full.is_protected = child->is_protected;
	full.is_core_dumped = end->is_core_dumped;
	full.out.bytes = full.err.bytes = (const uint8_t *)"";
	omega_sized_give(given, &full, sizeof(full));
}

void
omega_child_on_end(
    struct omega_sandbox_child *child, omega_child_ended *fn, void *arg)
{
	child->on_end = fn;
	child->on_end_arg = arg;
}

static void
tell_end(struct omega_sandbox_child *child, const struct omega_end *end)
{
	struct omega_sandbox_outcome full = OMEGA_SANDBOX_OUTCOME_INIT;
	omega_child_ended *fn = child->on_end;

	if (fn == NULL)
		return;
	child->on_end = NULL;
	if (end != NULL)
		give_end(child, end, &full);
	fn(child->on_end_arg, end != NULL ? &full : NULL);
}

/* Until its descriptor says so. It can say so a moment before the kernel
 * lets us collect it, longer when somebody traces it. */
static int
wait_for(
    struct omega_sandbox_child *child, int timeout_ms, struct omega_end *end)
{
	const struct timespec pause = {0, PAUSE_MS * 1000000L};
	const int64_t until = (int64_t)omega_system_now_ms() + timeout_ms;
	int64_t left = timeout_ms;
	bool has_ended = false;
	int ret;

	for (;;) {
		ret = ask(child, end);
		if (ret != 0 || left == 0)
			return ret;
		if (has_ended)
			nanosleep(&pause, NULL);
		ret = omega_end_wait(child->pidfd, (int)left);
		if (ret == -EBADF)
			return ret;
		/* When poll(2) fails, asking now and then does as well. */
		has_ended = ret != 0;
		if (timeout_ms > 0) {
			left = until - (int64_t)omega_system_now_ms();
			if (left < 0)
				left = 0;
		}
	}
}

int
omega_child_wait(struct omega_sandbox_child *child, int timeout_ms,
    struct omega_sandbox_outcome *end, struct omega_sandbox_error *error)
{
	struct omega_end found;
	int saved = errno;
	int ret;

	if (timeout_ms < -1)
		return omega_error_set(error, OMEGA_SANDBOX_E_ARGUMENT, EINVAL,
		    "a time of %d ms cannot be waited for", timeout_ms);
	if (child->pidfd < 0)
		return omega_error_set(error, OMEGA_SANDBOX_E_STATE, ECHILD,
		    "there is no child to wait for");
	ret = wait_for(child, timeout_ms, &found);
	if (ret == 1) {
		give_end(child, &found, end);
		tell_end(child, &found);
	}
	errno = saved;
	if (ret >= 0)
		return ret;
	if (ret == -ENODATA)
		return omega_error_set(error, OMEGA_SANDBOX_E_STATUS_LOST,
		    ECHILD,
		    "how process %d ended is not known: something else in "
		    "this program has collected it",
		    (int)child->pid);
	return omega_error_set(error, OMEGA_SANDBOX_E_SYSTEM, -ret,
	    "waiting for process %d: %s", (int)child->pid, strerror(-ret));
}

int
omega_child_signal(struct omega_sandbox_child *child, int signal)
{
	int ret;

	if (signal < 0 || signal >= NSIG || child->pidfd < 0)
		return OMEGA_SANDBOX_E_ARGUMENT;
	ret = omega_end_signal(child->pidfd, child->pid, signal);
	if (ret == 0)
		return OMEGA_SANDBOX_OK;
	errno = -ret;
	return OMEGA_SANDBOX_E_SYSTEM;
}

void
omega_child_free(struct omega_sandbox_child *child)
{
	struct omega_end end;
	int saved = errno;
	int ret;
	int i;

	if (child == NULL)
		return;
	/* One that has ended leaves no zombie behind. */
	if (child->pidfd >= 0) {
		ret = ask(child, &end);
		tell_end(child, ret == 1 ? &end : NULL);
		close(child->pidfd);
	}
	if (child->group_fd >= 0)
		close(child->group_fd);
	for (i = 0; i < 3; i++)
		if (child->stdio[i] >= 0)
			close(child->stdio[i]);
	pthread_mutex_destroy(&child->lock);
	free(child);
	errno = saved;
}
