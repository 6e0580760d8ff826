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
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <omega/sandbox.h>

#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_clone3
#define SYS_clone3 435
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif

ATTEMPT(signal_none)
{
	return attempt_result(kill(in->outside, 0));
}

ATTEMPT(signal_plain)
{
	return attempt_result(kill(in->outside, SIGUSR1));
}

ATTEMPT(signal_thread)
{
	return attempt_result(
	    syscall(SYS_tgkill, in->outside, in->outside, SIGUSR1));
}

ATTEMPT(signal_queued)
{
	return attempt_result(
	    sigqueue(in->outside, SIGUSR1, (union sigval){.sival_int = 1}));
}

ATTEMPT(signal_group)
{
	return attempt_result(kill(-in->outside, SIGUSR1));
}

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
	int status = 0;

	(void)in;
	if (pid == 0)
		_exit(setsid() < 0 || vhangup() != 0 ? errno : 0);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
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

ATTEMPT(attach)
{
	return let_go(in, ptrace(PTRACE_ATTACH, in->outside, NULL, NULL));
}

ATTEMPT(seize)
{
	if (ptrace(PTRACE_SEIZE, in->outside, NULL, NULL) != 0)
		return errno;
	return let_go(in, ptrace(PTRACE_INTERRUPT, in->outside, NULL, NULL));
}

static int
open_entry(const struct attempt_input *in, const char *name, int flags)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%ld/%s", (long)in->outside, name);
	return attempt_result(open(path, flags | O_CLOEXEC));
}

ATTEMPT(memory_file)
{
	return open_entry(in, "mem", O_RDWR);
}

ATTEMPT(memory_map)
{
	char text[64];
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%ld/maps", (long)in->outside);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	return read(fd, text, sizeof(text)) > 0 ? 0 : EACCES;
}

ATTEMPT(other_root)
{
	return open_entry(in, "root/.", O_RDONLY | O_DIRECTORY);
}

static struct iovec
remote(const struct attempt_input *in)
{
	struct iovec at = {
	    .iov_base = (void *)(uintptr_t)strtoull(in->extra, NULL, 16),
	    .iov_len = strlen(in->token)};

	return at;
}

ATTEMPT(read_memory)
{
	struct iovec from = remote(in);
	char text[128] = "";
	struct iovec to = {text, sizeof(text) - 1};

	if (process_vm_readv(in->outside, &to, 1, &from, 1, 0) < 0)
		return errno;
	return strncmp(text, in->token, strlen(in->token)) == 0 ? 0 : ENODATA;
}

ATTEMPT(write_memory)
{
	struct iovec to = remote(in);
	char text[] = "X";
	struct iovec from = {text, 1};

	to.iov_len = 1;
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

ATTEMPT(watch_counters)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_TASK_CLOCK;
	attr.exclude_kernel = 1;
	return attempt_result(
	    syscall(SYS_perf_event_open, &attr, in->outside, -1, -1, 0));
}

/* Whoever runs on this processor, by what it does there. */
ATTEMPT(watch_processor)
{
	struct perf_event_attr attr;

	(void)in;
	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_CPU_CLOCK;
	attr.exclude_kernel = 1;
	return attempt_result(
	    syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0));
}

/* A child for whoever started us, who gets a signal when it ends. */
static int
end_at_once(long pid)
{
	if (pid == 0)
		_exit(0);
	return attempt_result(pid);
}

ATTEMPT(child_for_parent)
{
	(void)in;
	return end_at_once(
	    syscall(SYS_clone, CLONE_PARENT, NULL, NULL, NULL, NULL));
}

ATTEMPT(child_for_parent_new_way)
{
	uint64_t args[8] = {CLONE_PARENT};

	(void)in;
	return end_at_once(syscall(SYS_clone3, args, sizeof(args)));
}

/* On a file of our own that nobody knows; another's would do as well. */
ATTEMPT(lease)
{
	int fd = memfd_create("lease", MFD_CLOEXEC);
	int result =
	    attempt_result(fd < 0 ? fd : fcntl(fd, F_SETLEASE, F_RDLCK));

	(void)in;
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

/* Does the act have the kernel send a signal to the group outside? */
static int
provoke(const struct attempt_input *in, int number, void (*act)(pid_t group))
{
	pid_t actor = -1;
	pid_t watcher;
	int ready[2];
	int status = 0;
	char byte;

	if (pipe2(ready, O_CLOEXEC) != 0)
		return errno;
	/* We may be in that group ourselves. */
	signal(SIGHUP, SIG_IGN);
	signal(SIGTTIN, SIG_IGN);
	signal(SIGTTOU, SIG_IGN);
	watcher = fork();
	if (watcher == 0)
		_exit(watch_for(in->outside, number, ready[1]));
	close(ready[1]);
	if (watcher > 0 && read(ready[0], &byte, 1) == 1)
		actor = fork();
	if (actor == 0) {
		act(in->outside);
		_exit(0);
	}
	if (actor > 0)
		waitpid(actor, NULL, 0);
	if (watcher < 0 || waitpid(watcher, &status, 0) != watcher)
		return errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
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

ATTEMPT(signal_by_orphan)
{
	return provoke(in, SIGHUP, orphan);
}

ATTEMPT(signal_by_reading)
{
	return provoke(in, SIGTTIN, read_behind);
}

ATTEMPT(signal_by_size)
{
	return provoke(in, SIGWINCH, resize);
}

#define ALL OMEGA_SANDBOX_FORBIDS_ALL
#define CHANGE OMEGA_SANDBOX_FORBIDS_CHANGE
#define LIST OMEGA_SANDBOX_FORBIDS_LIST
#define PLAIN ATTEMPT_REAL, ATTEMPT_PLAIN
#define SIGNALS "outside_signals"
#define SESSION SIGNALS, ALL, ATTEMPT_REAL, ATTEMPT_TERMINAL
#define TRACE "outside_ptrace"

const struct attempt attempt_processes[] = {
    {"signal 0", SIGNALS, ALL, PLAIN, signal_none},
    {"kill", SIGNALS, ALL, PLAIN, signal_plain},
    {"tgkill", SIGNALS, ALL, PLAIN, signal_thread},
    {"sigqueue", SIGNALS, ALL, PLAIN, signal_queued},
    {"kill of the group", SIGNALS, ALL, PLAIN, signal_group},
    {"pidfd_send_signal", SIGNALS, ALL, PLAIN, signal_descriptor},
    {"F_SETOWN", SIGNALS, ALL, PLAIN, signal_by_pipe},
    {"an orphaned group", SESSION, signal_by_orphan},
    {"SIGTTIN by the terminal", SESSION, signal_by_reading},
    {"SIGWINCH by the terminal", SESSION, signal_by_size},
    {"vhangup", SIGNALS, ALL, PLAIN, hang_up},
    {"prlimit", SIGNALS, CHANGE, PLAIN, set_limit},
    {"child for the parent", SIGNALS, CHANGE, PLAIN, child_for_parent},
    {"child for the parent by clone3", SIGNALS, CHANGE, PLAIN,
	child_for_parent_new_way},
    {"lease on a file", SIGNALS, CHANGE, PLAIN, lease},
    {"PTRACE_ATTACH", TRACE, ALL, PLAIN, attach},
    {"PTRACE_SEIZE", TRACE, ALL, PLAIN, seize},
    {"/proc/PID/mem", TRACE, ALL, PLAIN, memory_file},
    {"/proc/PID/maps", TRACE, ALL, PLAIN, memory_map},
    {"/proc/PID/root", TRACE, ALL, PLAIN, other_root},
    {"process_vm_readv", TRACE, ALL, ATTEMPT_REAL, ATTEMPT_ADDRESS,
	read_memory},
    {"process_vm_writev", TRACE, ALL, ATTEMPT_REAL, ATTEMPT_ADDRESS,
	write_memory},
    {"pidfd_getfd", TRACE, ALL, PLAIN, take_descriptor},
    {"perf_event_open", TRACE, ALL, PLAIN, watch_counters},
    {"perf_event_open of a processor", TRACE, LIST, PLAIN, watch_processor},
    {NULL, NULL, 0, 0, ATTEMPT_PLAIN, NULL},
};
