/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * supervisor-linux.c - see supervisor.h.
 *
 * A copy of a process with threads: system calls, and those functions of the
 * start that are no more than that.
 *
 * That nothing is left is known from wait(2) alone: whatever descends from us
 * has a parent that does, or is our child. As long as we have a child there is
 * something to end, and when there is none, there is nothing.
 */

#include "config.h"

#include "run/supervisor.h"

#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

#include "run/cgroup.h"
#include "run/raw.h"
#include "run/spawn.h"
#include "run/tree.h"

#define ARG(pointer) ((long)(pointer))

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

/* Where the descriptors that stay are put. */
enum { CONTROL, HOST, CHILDREN, PROC, GROUP, KEPT };

/* Between two looks at what is being ended, and how long nothing may have
 * come of it. */
#define PAUSE_MS 5
#define PATIENCE_MS 3000

/* How often in a row everything is stopped before it is killed. */
#define MAX_STOPS 32

enum why { RUNNING, ALONE, TIME_OVER, CANCELLED, HOST_GONE };

struct watch {
	const struct omega_supervisor *told;
	struct omega_supervisor_word word;
	struct omega_tree tree;
	long own[KEPT];
	bool has_ended; /* the command itself */
	bool has_none; /* no process is left */
	uint32_t reaped;
};

const char *
omega_supervisor_how(bool *is_available)
{
	int ret = omega_tree_is_available();

	*is_available = ret == 0;
	if (ret == 0)
		return "a supervisor that inherits every process of it "
		       "(subreaper)";
	if (ret == -ESRCH)
		return "the /proc here belongs to another pid namespace";
	return "its processes cannot be listed: /proc is not mounted, or the "
	       "kernel was built without CONFIG_PROC_CHILDREN";
}

static _Noreturn void
leave(void)
{
	for (;;)
		omega_raw(SYS_exit_group, 0, 0, 0, 0, 0);
}

static uint64_t
now_ms(void)
{
	struct {
		int64_t seconds;
		int64_t nanoseconds;
	} now = {0, 0};

	/* All systems of 64 bits; the others have a call of their own. */
#ifdef SYS_clock_gettime64
	omega_raw(SYS_clock_gettime64, CLOCK_MONOTONIC, ARG(&now), 0, 0, 0);
#else
	omega_raw(SYS_clock_gettime, CLOCK_MONOTONIC, ARG(&now), 0, 0, 0);
#endif
	return (uint64_t)now.seconds * 1000 +
	       (uint64_t)now.nanoseconds / 1000000;
}

/* With a descriptor, or -1. A host that does not listen any more is one that
 * is gone, which is seen elsewhere. */
static void
say(int control, const struct omega_supervisor_word *word, int fd)
{
	struct iovec part = {
	    .iov_base = (void *)(uintptr_t)word, .iov_len = sizeof(*word)};
	_Alignas(struct cmsghdr) char space[CMSG_SPACE(sizeof(int))] = {0};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	struct cmsghdr *header;

	if (fd >= 0) {
		message.msg_control = space;
		message.msg_controllen = sizeof(space);
		header = (struct cmsghdr *)(void *)space;
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(sizeof(int));
		*(int *)(void *)CMSG_DATA(header) = fd;
	}
	omega_raw(SYS_sendmsg, control, ARG(&message), MSG_NOSIGNAL, 0, 0);
}

/* Ignored by the host, it would take our children from us. */
static void
hear_children(void)
{
	unsigned long action[8] = {0, 0, 0, 0, 0, 0, 0, 0};

	omega_raw(
	    SYS_rt_sigaction, SIGCHLD, ARG(action), 0, OMEGA_RAW_SIGSET, 0);
}

static long
open_children(void)
{
	uint64_t only = UINT64_C(1) << (SIGCHLD - 1);
	unsigned long set[16 / sizeof(unsigned long)] = {0};

	set[0] = (unsigned long)only;
	return omega_raw(SYS_signalfd4, -1, ARG(set), OMEGA_RAW_SIGSET,
	    O_NONBLOCK | O_CLOEXEC, 0);
}

static void
close_from(long first)
{
	struct {
		uint64_t soft;
		uint64_t hard;
	} limit = {0, 0};
	uint64_t end = 1 << 20;

	if (omega_raw(SYS_close_range, first, (long)~0U, 0, 0, 0) == 0)
		return;
	omega_raw(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, ARG(&limit), 0);
	if (limit.hard > end && limit.hard < 1 << 24)
		end = limit.hard;
	for (; (uint64_t)first < end; first++)
		omega_raw(SYS_close, first, 0, 0, 0, 0);
}

/* Open what is needed, out of the way of the numbers it will have. Before the
 * start: afterwards nothing may fail any more. */
static int
open_own(struct watch *watch)
{
	int i;
	int ret = omega_tree_open(&watch->tree);

	if (ret < 0)
		return ret;
	watch->own[CONTROL] = watch->told->control;
	watch->own[HOST] = watch->told->host;
	watch->own[CHILDREN] = open_children();
	watch->own[PROC] = watch->tree.proc;
	watch->own[GROUP] = -1;
	for (i = 0; i < GROUP; i++) {
		if (watch->own[i] >= 0 && watch->own[i] < KEPT)
			watch->own[i] = omega_raw(SYS_fcntl, watch->own[i],
			    F_DUPFD_CLOEXEC, KEPT, 0, 0);
		if (watch->own[i] < 0)
			return (int)watch->own[i];
	}
	return 0;
}

/* Where the command has a control group: a second way to end all in it. */
static void
open_group(struct watch *watch)
{
	int dir = watch->told->setup->launch->group_fd;
	int group;

	if (dir < 0)
		return;
	group = omega_cgroup_open(dir, watch->word.pid);
	if (group >= 0)
		watch->own[GROUP] =
		    omega_raw(SYS_fcntl, group, F_DUPFD_CLOEXEC, KEPT, 0, 0);
}

/* Keep these, at the lowest numbers, and nothing else. */
static void
keep_own(struct watch *watch)
{
	int i;

	open_group(watch);
	for (i = 0; i < KEPT; i++)
		if (watch->own[i] >= 0)
			omega_raw(SYS_dup3, watch->own[i], i, O_CLOEXEC, 0, 0);
		else
			omega_raw(SYS_close, i, 0, 0, 0, 0);
	watch->tree.proc = PROC;
	close_from(KEPT);
	omega_raw(SYS_chdir, ARG("/"), 0, 0, 0, 0);
}

/* Take leave of all that have ended. */
static void
reap(struct watch *watch)
{
	struct rusage usage;
	int status = 0;
	long pid;

	for (;;) {
		pid = omega_raw(SYS_wait4, -1, ARG(&status), WNOHANG | __WALL,
		    ARG(&usage), 0);
		watch->has_none = pid == -ECHILD;
		if (pid <= 0)
			return;
		/* One that asked us to trace it has every stop told: it is let
		 * go, as in end-linux.c. */
		if (!WIFEXITED(status) && !WIFSIGNALED(status)) {
			omega_raw(SYS_ptrace, PTRACE_DETACH, pid, 0,
			    WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status),
			    0);
			continue;
		}
		watch->reaped++;
		watch->word.cpu_us +=
		    (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) *
			1000000 +
		    (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
		if ((uint64_t)usage.ru_maxrss * 1024 > watch->word.peak)
			watch->word.peak = (uint64_t)usage.ru_maxrss * 1024;
		if (pid == watch->word.pid && !watch->has_ended) {
			watch->has_ended = true;
			watch->word.wait_status = status;
		}
	}
}

/* Until a child has ended, or the host has something to say; -1: forever. */
static void
wait_for(int64_t ms, bool is_host_heard, struct pollfd set[3])
{
	struct {
		int64_t seconds;
		int64_t nanoseconds;
	} time = {ms / 1000, ms % 1000 * 1000000};
	char ignored[512];

	set[0] = (struct pollfd){.fd = CHILDREN, .events = POLLIN};
	set[1] = (struct pollfd){.fd = CONTROL, .events = POLLIN};
	set[2] = (struct pollfd){.fd = HOST, .events = POLLIN};
#ifdef SYS_ppoll_time64
	omega_raw(SYS_ppoll_time64, ARG(set), is_host_heard ? 3 : 1,
	    ms < 0 ? 0 : ARG(&time), 0, 0);
#else
	omega_raw(SYS_ppoll, ARG(set), is_host_heard ? 3 : 1,
	    ms < 0 ? 0 : ARG(&time), 0, 0);
#endif
	if (set[0].revents != 0)
		omega_raw(
		    SYS_read, CHILDREN, ARG(ignored), sizeof(ignored), 0, 0);
}

/* What has happened that calls for an end. */
static enum why
find_why(struct watch *watch, const struct pollfd set[3], uint64_t until)
{
	char word;

	if (watch->has_ended)
		return ALONE;
	if (set[2].revents != 0)
		return HOST_GONE;
	if (set[1].revents != 0)
		return omega_raw(SYS_read, CONTROL, ARG(&word), 1, 0, 0) > 0
			   ? CANCELLED
			   : HOST_GONE;
	return until != 0 && now_ms() >= until ? TIME_OVER : RUNNING;
}

/* A shell that waits for the host wants to know when the command stops. */
static void
tell_stop(struct watch *watch)
{
	struct omega_supervisor_word word = {.kind = OMEGA_SUPERVISOR_STOPPED};
	siginfo_t info;

	info.si_pid = 0;
	if (watch->told->is_telling && !watch->has_ended &&
	    omega_raw(SYS_waitid, P_PID, watch->word.pid, ARG(&info),
		WSTOPPED | WNOHANG, 0) == 0 &&
	    info.si_pid != 0 && info.si_code == CLD_STOPPED) {
		word.signal = info.si_status;
		say(CONTROL, &word, -1);
	}
}

/* Until something has to be ended. */
static enum why
watch_command(struct watch *watch)
{
	uint64_t until = watch->told->timeout_ms == 0
			     ? 0
			     : now_ms() + watch->told->timeout_ms;
	struct pollfd set[3] = {{.fd = -1}, {.fd = -1}, {.fd = -1}};
	enum why why;
	uint64_t now;
	int64_t left;

	for (;;) {
		reap(watch);
		tell_stop(watch);
		why = find_why(watch, set, until);
		if (why != RUNNING)
			return why;
		left = -1;
		if (until != 0) {
			now = now_ms();
			left = now < until ? (int64_t)(until - now) : 0;
		}
		wait_for(left, true, set);
	}
}

/* Give them the time they have. */
static void
wait_for_grace(struct watch *watch)
{
	uint64_t until = now_ms() + watch->told->grace_ms;
	struct pollfd set[3];
	uint64_t now;

	for (;;) {
		reap(watch);
		now = now_ms();
		if (watch->has_none || now >= until)
			return;
		wait_for((int64_t)(until - now), false, set);
	}
}

/*
 * Stop all of them first: of many that start one another, those that are
 * killed would only make room for more.
 */
static void
stop_all(struct watch *watch)
{
	uint32_t before = 0;
	uint32_t found;
	int i;

	for (i = 0; i < MAX_STOPS; i++) {
		found = omega_tree_signal(&watch->tree, SIGSTOP, 0);
		if (found <= before)
			return;
		before = found;
	}
}

/* Until nothing is left, or nothing comes of it. */
static void
kill_all(struct watch *watch)
{
	uint64_t since = now_ms();
	uint32_t reaped = watch->reaped;
	struct pollfd set[3];

	for (;;) {
		reap(watch);
		if (watch->has_none)
			return;
		if (reaped != watch->reaped) {
			reaped = watch->reaped;
			since = now_ms();
		}
		if (watch->own[GROUP] >= 0)
			omega_cgroup_kill(GROUP);
		if (omega_tree_signal(&watch->tree, SIGKILL, 0) == 0 &&
		    watch->tree.count > 0 && watch->own[GROUP] < 0)
			break; /* none of them is ours to end */
		if (now_ms() - since > PATIENCE_MS)
			break;
		wait_for(PAUSE_MS, false, set);
	}
	reap(watch);
	watch->word.left = watch->has_none ? 0 : watch->tree.count;
}

static void
end_all(struct watch *watch)
{
	if (watch->has_none)
		return;
	if (watch->told->grace_ms > 0) {
		omega_tree_signal(&watch->tree, SIGTERM, SIGCONT);
		wait_for_grace(watch);
		if (watch->has_none)
			return;
	}
	stop_all(watch);
	kill_all(watch);
}

/* Leave no zombie of one that was not started. */
static void
reap_failed(void)
{
	while (omega_raw(SYS_wait4, -1, 0, __WALL, 0, 0) > 0)
		;
}

static void
start(struct watch *watch)
{
	const struct omega_supervisor *told = watch->told;
	struct omega_supervisor_word *word = &watch->word;
	struct omega_clone made;

	made = omega_spawn_try(told->setup, &word->fault);
	if (made.pid > 0 && word->fault.kind == OMEGA_INNER_READY) {
		word->kind = OMEGA_SUPERVISOR_STARTED;
		word->pid = made.pid;
		say(told->control, word, made.pidfd);
		return;
	}
	word->kind = OMEGA_SUPERVISOR_FAILED;
	word->error = made.pid < 0 ? -made.pid : 0;
	word->pid = made.pid;
	if (made.pid > 0)
		reap_failed();
	say(told->control, word, -1);
	leave();
}

_Noreturn void
omega_supervisor_run(const struct omega_supervisor *told)
{
	struct watch watch = {.told = told};
	enum why why;

	hear_children();
	omega_raw(SYS_setpgid, 0, 0, 0, 0, 0);
	omega_raw(SYS_prctl, PR_SET_DUMPABLE, 0, 0, 0, 0);
	omega_raw(SYS_prctl, PR_SET_NAME, ARG("omega-supervise"), 0, 0, 0);
	watch.word.error =
	    (int32_t)-omega_raw(SYS_prctl, PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	if (watch.word.error == 0)
		watch.word.error = -open_own(&watch);
	if (watch.word.error != 0) {
		watch.word.kind = OMEGA_SUPERVISOR_FAILED;
		say(told->control, &watch.word, -1);
		leave();
	}
	start(&watch);
	keep_own(&watch);
	why = watch_command(&watch);
	watch.word.is_timed_out = why == TIME_OVER;
	watch.word.is_cancelled = why == CANCELLED;
	end_all(&watch);
	watch.word.is_unended = !watch.has_ended;
	watch.word.kind = OMEGA_SUPERVISOR_DONE;
	say(CONTROL, &watch.word, -1);
	leave();
}
