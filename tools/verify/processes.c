/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * processes.c - ways to get at a process outside: signals, limits, tracing,
 * memory. It is one of the tool's own, made to be attacked.
 */

#include "config.h"

#include "attempt.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sched.h>
#include <time.h>

#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif

ATTEMPT_IS(signal_none, attempt_result(kill(in->outside, 0)))
ATTEMPT_IS(signal_plain, attempt_result(kill(in->outside, SIGUSR1)))
ATTEMPT_IS(signal_thread,
    attempt_result(syscall(SYS_tgkill, in->outside, in->outside, SIGUSR1)))
ATTEMPT_IS(signal_queued,
    attempt_result(sigqueue(in->outside, SIGUSR1,
	(union sigval){.sival_int = 1})))
ATTEMPT_IS(signal_group, attempt_result(kill(-in->outside, SIGUSR1)))

ATTEMPT(signal_descriptor)
{
	int fd = (int)syscall(SYS_pidfd_open, in->outside, 0);

	if (fd < 0)
		return errno;
	return attempt_result(
	    syscall(SYS_pidfd_send_signal, fd, SIGUSR1, NULL, 0));
}

/* Let the kernel send it: readiness of a pipe of our own. Whether it came
 * is seen by the tool. */
ATTEMPT(signal_by_pipe)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0 ||
	    fcntl(ends[0], F_SETSIG, SIGUSR1) != 0 ||
	    fcntl(ends[0], F_SETOWN, in->outside) != 0 ||
	    fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK) != 0 ||
	    write(ends[1], "x", 1) != 1)
		return errno;
	return ENODATA;
}

/*
 * Whoever leads the session of a terminal gets SIGHUP when root hangs it up;
 * in a session of one's own there is nobody. In a child: a leader of a group
 * cannot have one.
 */
ATTEMPT(hang_up)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(setsid() < 0 || vhangup() != 0 ? errno : 0);
	return attempt_wait(pid);
}

/* The limit it has already. */
ATTEMPT(set_limit)
{
	struct rlimit limit;

	if (prlimit(in->outside, RLIMIT_CORE, NULL, &limit) != 0)
		return errno;
	return attempt_result(prlimit(in->outside, RLIMIT_CORE, &limit, NULL));
}

static int
let_go(const struct attempt_input *in, long ret)
{
	int status;

	if (ret != 0)
		return errno;
	waitpid(in->outside, &status, __WALL);
	ptrace(PTRACE_DETACH, in->outside, NULL, NULL);
	return 0;
}

ATTEMPT_IS(attach, let_go(in, ptrace(PTRACE_ATTACH, in->outside, NULL, NULL)))

ATTEMPT(seize)
{
	if (ptrace(PTRACE_SEIZE, in->outside, NULL, NULL) != 0)
		return errno;
	return let_go(in, ptrace(PTRACE_INTERRUPT, in->outside, NULL, NULL));
}

ATTEMPT_IS(memory_file,
    attempt_result(open(ATTEMPT_PROC(in, "mem"), O_RDWR | O_CLOEXEC)))

ATTEMPT(memory_map)
{
	int fd = open(ATTEMPT_PROC(in, "maps"), O_RDONLY | O_CLOEXEC);
	char text[64];

	if (fd < 0)
		return errno;
	return read(fd, text, sizeof(text)) > 0 ? 0 : EACCES;
}

ATTEMPT_IS(other_root,
    attempt_result(open(ATTEMPT_PROC(in, "root/."), O_RDONLY | O_DIRECTORY |
	O_CLOEXEC)))

/* Where the token is in the process outside. */
static void *
address_of(const struct attempt_input *in)
{
	return (void *)(uintptr_t)strtoull(in->extra, NULL, 16);
}

ATTEMPT(read_memory)
{
	char text[128] = "";
	struct iovec from = {address_of(in), strlen(in->token)};
	struct iovec to = {text, sizeof(text) - 1};

	if (process_vm_readv(in->outside, &to, 1, &from, 1, 0) < 0)
		return errno;
	return strncmp(text, in->token, strlen(in->token)) == 0 ? 0 : ENODATA;
}

ATTEMPT(write_memory)
{
	char text[] = "X";
	struct iovec from = {text, 1};
	struct iovec to = {address_of(in), 1};

	return attempt_result(
	    process_vm_writev(in->outside, &from, 1, &to, 1, 0));
}

ATTEMPT(take_descriptor)
{
	int fd = (int)syscall(SYS_pidfd_open, in->outside, 0);

	if (fd < 0)
		return errno;
	return attempt_result(syscall(SYS_pidfd_getfd, fd, ATTEMPT_FD_DIR, 0));
}

static int
watch(uint64_t event, pid_t pid, int processor)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = event;
	attr.exclude_kernel = 1;
	return attempt_result(
	    syscall(SYS_perf_event_open, &attr, pid, processor, -1, 0));
}

ATTEMPT_IS(watch_counters, watch(PERF_COUNT_SW_TASK_CLOCK, in->outside, -1))

/* Whoever runs on this processor, by what it does there. */
ATTEMPT_IS(watch_processor, watch(PERF_COUNT_SW_CPU_CLOCK, -1, 0))

/* A child for whoever started us, who gets a signal when it ends. */
static int
end_at_once(long pid)
{
	if (pid == 0)
		_exit(0);
	return attempt_result(pid);
}

ATTEMPT_IS(child_for_parent,
    end_at_once(syscall(SYS_clone, CLONE_PARENT, NULL, NULL, NULL, NULL)))

ATTEMPT(child_for_parent_new_way)
{
	uint64_t args[8] = {CLONE_PARENT};

	return end_at_once(syscall(SYS_clone3, args, sizeof(args)));
}

/* On a file of our own that nobody knows; another's would do as well. */
ATTEMPT(lease)
{
	int fd = memfd_create("lease", MFD_CLOEXEC);
	int result =
	    attempt_result(fd < 0 ? fd : fcntl(fd, F_SETLEASE, F_RDLCK));

	close(fd);
	return result;
}

/* ---- By what the kernel does for sessions and their terminals -------------
 *
 * At a terminal the process outside leads its session, and takes no harm.
 */

#define SEEN_SECONDS 5

/* One of the group outside: does that signal come to it? An errno. */
static int
watch_for(pid_t group, int signal, int ready)
{
	const struct timespec most = {SEEN_SECONDS, 0};
	sigset_t set;

	if (setpgid(0, group) != 0)
		return errno;
	sigemptyset(&set);
	sigaddset(&set, signal);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (write(ready, "r", 1) != 1)
		return errno;
	return sigtimedwait(&set, NULL, &most) == signal ? 0 : ENODATA;
}

/* What makes the kernel send a signal. */
struct provocation {
	int signal;
	void (*act)(pid_t group);
};

/* Does the act have the kernel send it to the group outside? */
ATTEMPT(provoke)
{
	const struct provocation *how = in->how;
	pid_t actor = -1;
	pid_t watcher;
	int ready[2];
	char byte;

	if (pipe2(ready, O_CLOEXEC) != 0)
		return errno;
	/* We may be in that group ourselves. */
	signal(SIGHUP, SIG_IGN);
	signal(SIGTTIN, SIG_IGN);
	signal(SIGTTOU, SIG_IGN);
	watcher = fork();
	if (watcher == 0)
		_exit(watch_for(in->outside, how->signal, ready[1]));
	close(ready[1]);
	if (watcher > 0 && read(ready[0], &byte, 1) == 1)
		actor = fork();
	if (actor == 0) {
		how->act(in->outside);
		_exit(0);
	}
	if (actor > 0)
		waitpid(actor, NULL, 0);
	return attempt_wait(watcher);
}

/* A stopped member of the group, whose last link to the session goes. */
static void
orphan(pid_t group)
{
	pid_t pid;

	setpgid(0, 0);
	pid = fork();
	if (pid == 0) {
		setpgid(0, group);
		raise(SIGSTOP);
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, NULL, WUNTRACED);
}

/* Put the group behind, where one of it reads. */
static void
read_behind(pid_t group)
{
	int fd = open("/dev/tty", O_RDWR | O_CLOEXEC);
	pid_t pid;
	char byte;

	setpgid(0, 0);
	if (tcsetpgrp(fd, getpgrp()) != 0)
		return;
	pid = fork();
	if (pid == 0) {
		signal(SIGTTIN, SIG_DFL);
		setpgid(0, group);
		_exit(read(fd, &byte, 1) < 0);
	}
	if (pid > 0) {
		waitpid(pid, NULL, WUNTRACED);
		kill(pid, SIGKILL);
	}
	tcsetpgrp(fd, group);
}

static void
resize(pid_t group)
{
	int fd = open("/dev/tty", O_RDWR | O_CLOEXEC);
	struct winsize size;

	(void)group;
	if (ioctl(fd, TIOCGWINSZ, &size) != 0)
		return;
	size.ws_row++;
	ioctl(fd, TIOCSWINSZ, &size);
}

#define SIGNALS "outside_signals", ALL, REAL, NULL
#define CHANGES "outside_signals", CHANGE, REAL, NULL
#define SESSION "outside_signals", ALL, ATTEMPT_REAL, ATTEMPT_TERMINAL
#define TRACE "outside_ptrace", ALL, REAL, NULL
#define MEMORY "outside_ptrace", ALL, ATTEMPT_REAL, ATTEMPT_ADDRESS, NULL
#define BY(signal, act) (&(const struct provocation){signal, act})

const struct attempt attempt_processes[] = {
    {"signal 0", SIGNALS, signal_none},
    {"kill", SIGNALS, signal_plain},
    {"tgkill", SIGNALS, signal_thread},
    {"sigqueue", SIGNALS, signal_queued},
    {"kill of the group", SIGNALS, signal_group},
    {"pidfd_send_signal", SIGNALS, signal_descriptor},
    {"F_SETOWN", SIGNALS, signal_by_pipe},
    {"an orphaned group", SESSION, BY(SIGHUP, orphan), provoke},
    {"SIGTTIN by the terminal", SESSION, BY(SIGTTIN, read_behind), provoke},
    {"SIGWINCH by the terminal", SESSION, BY(SIGWINCH, resize), provoke},
    {"vhangup", SIGNALS, hang_up},
    {"prlimit", CHANGES, set_limit},
    {"child for the parent", CHANGES, child_for_parent},
    {"child for the parent by clone3", CHANGES, child_for_parent_new_way},
    {"lease on a file", CHANGES, lease},
    {"PTRACE_ATTACH", TRACE, attach},
    {"PTRACE_SEIZE", TRACE, seize},
    {"/proc/PID/mem", TRACE, memory_file},
    {"/proc/PID/maps", TRACE, memory_map},
    {"/proc/PID/root", TRACE, other_root},
    {"process_vm_readv", MEMORY, read_memory},
    {"process_vm_writev", MEMORY, write_memory},
    {"pidfd_getfd", TRACE, take_descriptor},
    {"perf_event_open", TRACE, watch_counters},
    {"perf_event_open of a processor", "outside_ptrace", LIST, REAL, NULL,
	watch_processor},
    ATTEMPT_END,
};
