/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * init.c - the program omega-sandbox-init: sees to the end of a command and of
 * all that it starts. See run/supervisor.h for what it is told.
 *
 * As the first process of a pid namespace it starts the command, takes leave
 * of those that lose their parents, and when it ends, so does everything there,
 * by the kernel's own doing. It is confined as the command is, and what the
 * command can do to it is to have it killed.
 *
 * Where there can be no such namespace it is outside, inherits every process
 * that loses its parent, and ends them one by one (tree.c).
 *
 * Nothing of a C library is used: it is there at once, and small.
 */

#include "config.h"

#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <linux/limits.h> /* clang alone has none of it */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "child/calls.h"
#include "child/inner.h"
#include "child/raw.h"
#include "init/init.h"
#include "run/supervisor.h"

/* Between two looks at what is being ended one by one, and how long nothing
 * may have come of it. */
#define PAUSE_MS 5
#define PATIENCE_MS 3000

/* How long the kernel may take to end what was killed, before it is told
 * without us. */
#define KILL_MS 500

/* How long everything is stopped before it is killed, and how many are taken
 * leave of before anything else is looked at. */
#define STOP_MS 500
#define MAX_REAPED 128

enum why { RUNNING, ALONE, TIME_OVER, CANCELLED, HOST_GONE };

enum event { CHILD = 0x1, WORD = 0x2, HOST = 0x4 };

struct watch watch;

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

/* A host that does not listen any more is gone, which is seen elsewhere. */
static void
say(uint32_t kind, int flags)
{
	struct iovec part = {
	    .iov_base = &watch.word, .iov_len = sizeof(watch.word)};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

	watch.word.kind = kind;
	omega_raw(SYS_sendmsg, watch.control, ARG(&message),
	    MSG_NOSIGNAL | flags, 0, 0);
}

static long
add_event(int fd, uint32_t what)
{
	/* What the host does is told once: it may be gone for long. */
	struct epoll_event event = {
	    .events = EPOLLIN | (what == CHILD ? 0 : (uint32_t)EPOLLET),
	    .data.u32 = what};

	return omega_raw(
	    SYS_epoll_ctl, watch.events, EPOLL_CTL_ADD, fd, ARG(&event), 0);
}

static void
close_at_exec(int fd)
{
	if (fd >= 0)
		omega_raw(SYS_fcntl, fd, F_SETFD, FD_CLOEXEC, 0, 0);
}

/* A host that was killed with words unread leaves an error before its own. */
static long
read_orders(void)
{
	long ret;
	int i;

	for (i = 0; i < 2; i++) {
		ret = omega_raw(SYS_read, watch.control, ARG(&watch.orders),
		    sizeof(watch.orders), 0, 0);
		if (ret != -ECONNRESET)
			break;
	}
	if (ret == sizeof(watch.orders))
		return 0;
	return ret < 0 ? ret : -EPROTO;
}

/* All that will ever be opened: the command may take our right to open more.
 * 0 or a negative errno. */
static long
open_own(void)
{
	unsigned long set[16 / sizeof(unsigned long)] = {0};
	long ret;

	close_at_exec(watch.control);
	if (!watch.is_first) {
		ret = omega_tree_open(&watch.tree);
		if (ret < 0)
			return ret;
	}
	ret = read_orders();
	if (ret < 0)
		return ret;
	close_at_exec(watch.orders.host);
	close_at_exec(watch.orders.group);
	set[0] = 1UL << (SIGCHLD - 1);
	ret = omega_raw(SYS_signalfd4, -1, ARG(set), OMEGA_RAW_SIGSET,
	    SFD_NONBLOCK | SFD_CLOEXEC, 0);
	watch.children = (int)ret;
	if (ret >= 0)
		ret = omega_raw(SYS_epoll_create1, EPOLL_CLOEXEC, 0, 0, 0, 0);
	watch.events = (int)ret;
	if (ret >= 0)
		ret = add_event(watch.children, CHILD);
	if (ret >= 0)
		ret = add_event(watch.control, WORD);
	if (ret >= 0)
		ret = add_event(watch.orders.host, HOST);
	return ret < 0 ? ret : 0;
}

static void
close_between(long first, long last)
{
	if (first > last ||
	    omega_raw(SYS_close_range, first, last, 0, 0, 0) == 0)
		return;
	for (; first <= last && first < 1 << 16; first++)
		omega_raw(SYS_close, first, 0, 0, 0, 0);
}

/* What is the command's is nothing to us, and would stay open. */
static void
close_others(void)
{
	const int own[] = {watch.control, watch.orders.host, watch.children,
	    watch.events, watch.is_first ? -1 : watch.tree.proc,
	    watch.is_first ? -1 : watch.orders.group};
	long first = 0;
	long next;
	size_t i;

	do {
		next = (long)~0U >> 1;
		for (i = 0; i < sizeof(own) / sizeof(own[0]); i++)
			if (own[i] >= first && own[i] < next)
				next = own[i];
		close_between(first, next - 1);
		first = next + 1;
	} while (next != (long)~0U >> 1);
	omega_raw(SYS_chdir, ARG("/"), 0, 0, 0, 0);
}

/* ---- While it runs ------------------------------------------------------ */

/* Take leave of those that have ended. */
static void
reap(void)
{
	int status = 0;
	long pid;
	int i;

	watch.has_more = false;
	if (!watch.is_seen)
		return;
	for (i = 0; i < MAX_REAPED; i++) {
		pid = omega_raw(
		    SYS_wait4, -1, ARG(&status), WNOHANG | __WALL, 0, 0);
		watch.has_none = pid == -ECHILD;
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
		watch.reaped++;
		if (pid == watch.word.pid && !watch.has_ended) {
			watch.has_ended = true;
			watch.word.wait_status = status;
		}
	}
	watch.has_more = true;
}

/* Until something happens, or so long (-1: for ever). What it was: enum event;
 * whoever killed the host has ended us too. */
static unsigned
wait_for(int64_t ms)
{
	struct epoll_event list[3];
	struct signalfd_siginfo ignored;
	unsigned what = 0;
	long count;

	if (watch.has_more)
		ms = 0;
	if (ms > 3600000)
		ms = 3600000;
	count = omega_raw(SYS_epoll_pwait, watch.events, ARG(list), 3, ms, 0);
	while (--count >= 0)
		what |= list[count].data.u32;
	if ((what & CHILD) != 0)
		omega_raw(SYS_read, watch.children, ARG(&ignored),
		    sizeof(ignored), 0, 0);
	return what;
}

/* What the host has to say. */
static enum why
hear(void)
{
	char word;

	for (;;) {
		long len = omega_raw(SYS_recvfrom, watch.control, ARG(&word), 1,
		    MSG_DONTWAIT, 0);

		if (len == -EAGAIN || len == -EINTR)
			return RUNNING;
		if (len <= 0)
			return HOST_GONE;
		if (word == OMEGA_ORDERS_END)
			return CANCELLED;
		watch.is_seen = true;
	}
}

/* A shell that waits for the host wants to know when the command stops. One
 * that cannot be told has many such words to read already. */
static void
tell_stop(void)
{
	siginfo_t info;

	info.si_pid = 0;
	if (watch.orders.is_telling && watch.is_seen && !watch.has_ended &&
	    omega_raw(SYS_waitid, P_PID, watch.word.pid, ARG(&info),
		WSTOPPED | WNOHANG, 0) == 0 &&
	    info.si_pid != 0 && info.si_code == CLD_STOPPED) {
		watch.word.signal = info.si_status;
		say(OMEGA_SUPERVISOR_STOPPED, MSG_DONTWAIT);
	}
}

static int64_t
left_until(uint64_t until)
{
	uint64_t now = now_ms();

	return now < until ? (int64_t)(until - now) : 0;
}

/* Until something has to be ended. */
static enum why
watch_command(void)
{
	uint64_t until = now_ms() + watch.orders.timeout_ms;
	bool is_timed = watch.orders.timeout_ms != 0;
	enum why why = RUNNING;
	unsigned what;

	for (;;) {
		reap();
		tell_stop();
		if (watch.has_ended)
			return ALONE;
		if (is_timed && left_until(until) == 0)
			return TIME_OVER;
		what = wait_for(is_timed ? left_until(until) : -1);
		if ((what & WORD) != 0)
			why = hear();
		if ((what & HOST) != 0)
			why = HOST_GONE;
		if (why != RUNNING)
			return why;
	}
}

/* ---- The end ------------------------------------------------------------ */

static void
signal_all(int first, int second)
{
	if (!watch.is_first) {
		omega_tree_signal(&watch.tree, first, second);
		return;
	}
	omega_raw(SYS_kill, -1, first, 0, 0, 0);
	if (second != 0)
		omega_raw(SYS_kill, -1, second, 0, 0, 0);
}

/* Until none is left, so long at most, or until the host is gone. */
static void
wait_for_end(uint64_t ms)
{
	uint64_t until = now_ms() + ms;
	int64_t left;

	for (;;) {
		reap();
		left = left_until(until);
		if (watch.has_none || left == 0)
			return;
		if ((wait_for(left) & HOST) != 0 && watch.is_first)
			return;
		if (hear() == HOST_GONE && watch.is_first)
			return;
	}
}

/*
 * Stop all of them first: of many that start one another, those that are
 * killed would only make room for more. Until no more are found and none has
 * ended, which those do that only fork and leave the rest to their child.
 */
static void
stop_all(void)
{
	uint64_t until = now_ms() + STOP_MS;
	uint32_t found = 0;
	uint32_t before;
	uint32_t reaped;

	do {
		reaped = watch.reaped;
		do
			reap();
		while (watch.has_more && now_ms() < until);
		before = found;
		found = omega_tree_signal(&watch.tree, SIGSTOP, 0);
	} while (
	    (found > before || reaped != watch.reaped) && now_ms() < until);
}

/* Where the command has a control group: a second way to end all in it. */
static void
kill_group(void)
{
	long fd;

	if (watch.orders.group < 0)
		return;
	fd = omega_raw(SYS_openat, watch.orders.group, ARG("cgroup.kill"),
	    O_WRONLY | O_CLOEXEC, 0, 0);
	if (fd < 0)
		return;
	omega_raw(SYS_write, fd, ARG("1"), 1, 0, 0);
	omega_raw(SYS_close, fd, 0, 0, 0, 0);
}

/* One by one, until nothing is left, or nothing comes of it. */
static void
kill_each(void)
{
	uint64_t since = now_ms();
	uint32_t reaped = watch.reaped;

	stop_all();
	for (;;) {
		reap();
		if (watch.has_none)
			return;
		if (reaped != watch.reaped) {
			reaped = watch.reaped;
			since = now_ms();
		}
		kill_group();
		if (omega_tree_signal(&watch.tree, SIGKILL, 0) == 0 &&
		    watch.tree.living > 0 && watch.orders.group < 0)
			break; /* none of them is ours to end */
		if (now_ms() - since > PATIENCE_MS)
			break;
		wait_for(PAUSE_MS);
		hear();
	}
	reap();
	watch.word.left = watch.has_none ? 0 : watch.tree.living;
}

static void
end_all(void)
{
	watch.is_seen = true;
	reap();
	if (!watch.has_none && watch.orders.grace_ms > 0) {
		signal_all(SIGTERM, SIGCONT);
		wait_for_end(watch.orders.grace_ms);
	}
	if (watch.has_none)
		return;
	if (!watch.is_first) {
		kill_each();
		return;
	}
	omega_raw(SYS_kill, -1, SIGKILL, 0, 0, 0);
	wait_for_end(KILL_MS);
	watch.word.left = !watch.has_none;
}

static uint64_t
us_of(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * 1000000 + (uint64_t)time->tv_usec;
}

/* What it cost, as far as it was taken leave of. */
static void
add_cost(void)
{
	struct rusage usage;

	if (omega_raw(SYS_getrusage, RUSAGE_CHILDREN, ARG(&usage), 0, 0, 0) < 0)
		return;
	watch.word.cpu_us = us_of(&usage.ru_utime) + us_of(&usage.ru_stime);
	watch.word.peak = (uint64_t)usage.ru_maxrss * 1024;
}

static _Noreturn void
run(int argc, char **argv, char **env)
{
	enum why why;
	long ret;

	if (argc < 4)
		omega_calls_exit(2);
	omega_raw(SYS_prctl, PR_SET_DUMPABLE, 0, 0, 0, 0);
	watch.argv = argv;
	watch.env = env;
	watch.control = (int)omega_raw_number(argv[1]);
	watch.word.pid = (int32_t)omega_raw_number(argv[2]);
	watch.is_first = watch.word.pid < 0;
	ret = open_own();
	/* What is sent to all must reach none but its own. */
	if (ret == 0 && watch.is_first &&
	    omega_raw(SYS_getpid, 0, 0, 0, 0, 0) != 1)
		ret = -EPERM;
	if (ret < 0) {
		if (!watch.is_first)
			kill_each();
		command_fail(OMEGA_INNER_INIT, 0, ret);
	}
	if (watch.is_first)
		command_start();
	else
		watch.orders.group = (int32_t)omega_raw_number(argv[3]);
	say(OMEGA_SUPERVISOR_STARTED, 0);
	close_others();
	why = watch_command();
	if (why == HOST_GONE && watch.is_first)
		omega_calls_exit(0);
	watch.word.is_timed_out = why == TIME_OVER;
	watch.word.is_cancelled = why == CANCELLED;
	end_all();
	add_cost();
	watch.word.is_unended = !watch.has_ended;
	say(OMEGA_SUPERVISOR_DONE, 0);
	omega_calls_exit(0);
}

#ifdef INIT_WITHOUT_LIBC

/* The compiler may ask for these. */
void *memset(void *to, int byte, size_t len);
void *memcpy(void *restrict to, const void *restrict from, size_t len);

void *
memset(void *to, int byte, size_t len)
{
	volatile char *at = to;

	while (len-- > 0)
		*at++ = (char)byte;
	return to;
}

void *
memcpy(void *restrict to, const void *restrict from, size_t len)
{
	volatile char *at = to;
	const char *source = from;

	while (len-- > 0)
		*at++ = *source++;
	return to;
}

/* The stack as the kernel has made it. */
_Noreturn void init_start(long *stack);

_Noreturn void
init_start(long *stack)
{
	char **argv = (char **)(stack + 1);

	run((int)stack[0], argv, argv + stack[0] + 1);
}

#else

int
main(int argc, char **argv, char **env)
{
	run(argc, argv, env);
}

#endif
