/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * escapes-outside.c - processes outside.
 */

#include "escapes.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Address 0 is not there: the check for permission comes before. */
TRICK(vm_read)
{
	char byte;
	struct iovec here = {&byte, 1};
	struct iovec there = {NULL, 1};

	(void)dir;
	return escapes_reached(
	    process_vm_readv(escapes_pid(arg), &here, 1, &there, 1, 0), EFAULT);
}

TRICK(vm_write)
{
	char byte = 0;
	struct iovec here = {&byte, 1};
	struct iovec there = {NULL, 1};

	(void)dir;
	return escapes_reached(
	    process_vm_writev(escapes_pid(arg), &here, 1, &there, 1, 0),
	    EFAULT);
}

TRICK(seize)
{
	(void)dir;
	return escapes_result(
	    ptrace(PTRACE_SEIZE, escapes_pid(arg), NULL, NULL));
}

TRICK(read_environment)
{
	char path[64];

	(void)dir;
	snprintf(path, sizeof(path), "/proc/%d/environ", escapes_pid(arg));
	return escapes_result(open(path, O_RDONLY));
}

TRICK(read_map)
{
	char path[64];

	(void)dir;
	snprintf(path, sizeof(path), "/proc/%d/maps", escapes_pid(arg));
	return escapes_result(open(path, O_RDONLY));
}

TRICK(signal_kill)
{
	(void)dir;
	return escapes_result(kill(escapes_pid(arg), SIGCONT));
}

TRICK(signal_thread)
{
	(void)dir;
	return escapes_result(
	    syscall(SYS_tgkill, escapes_pid(arg), escapes_pid(arg), SIGCONT));
}

TRICK(signal_pidfd)
{
	int fd = (int)syscall(434, escapes_pid(arg), 0);

	(void)dir;
	if (fd < 0)
		return errno;
	return escapes_result(syscall(424, fd, SIGCONT, NULL, 0));
}

TRICK(signal_group)
{
	(void)dir;
	/* We are allowed to signal ourselves. */
	if (getpgrp() != getpid() && setpgid(0, 0) != 0)
		return errno;
	return escapes_result(killpg(getpgid(escapes_pid(arg)), 0));
}

/* How it is, and whether it will end as soon as it gets a processor. */
static char
state_of(pid_t pid, bool *is_doomed)
{
	unsigned long long pending = 0;
	char state = 'X';
	char path[64];
	char line[256];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	*is_doomed = false;
	file = fopen(path, "re");
	if (file == NULL)
		return state;
	while (fgets(line, sizeof(line), file) != NULL)
		if (sscanf(line, "State: %c", &state) != 1)
			sscanf(line, "SigPnd: %llx", &pending);
	fclose(file);
	*is_doomed = (pending >> (SIGKILL - 1) & 1) != 0;
	return state;
}

/* Who sleeps was not killed: that wakes at once. */
static bool
is_killed(pid_t pid)
{
	bool is_doomed;
	char state;

	while ((state = state_of(pid, &is_doomed)) != 'Z' && state != 'X') {
		if (is_doomed)
			return true;
		if (state == 'S' || state == 'T')
			return false;
		usleep(1000);
	}
	return true;
}

/* The kernel sends it, on behalf of the owner of a descriptor. */
TRICK(signal_by_owner)
{
	int pair[2];

	(void)dir;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0 ||
	    fcntl(pair[0], F_SETOWN, escapes_pid(arg)) != 0 ||
	    fcntl(pair[0], F_SETSIG, SIGKILL) != 0 ||
	    fcntl(pair[0], F_SETFL, O_ASYNC) != 0)
		return errno;
	if (write(pair[1], "x", 1) != 1)
		return errno;
	return is_killed(escapes_pid(arg)) ? 0 : EPERM;
}

/* Without processor time the kernel would kill it. */
TRICK(limit_other)
{
	struct rlimit limit = {4096, 4096};

	(void)dir;
	return escapes_result(
	    prlimit(escapes_pid(arg), RLIMIT_CORE, &limit, NULL));
}

TRICK(join_by_pidfd)
{
	int fd = (int)syscall(434, escapes_pid(arg), 0);

	if (fd < 0)
		return errno;
	if (setns(fd, CLONE_NEWUSER | CLONE_NEWNS) != 0 &&
	    setns(fd, CLONE_NEWNS) != 0)
		errno = 0;
	return attempts_read_secret(escapes_in(dir, DB));
}

/* Do we have the same memory? Whoever may ask could also trace. */
TRICK(compare_other)
{
	(void)dir;
	return escapes_result(
	    syscall(SYS_kcmp, getpid(), escapes_pid(arg), 1, 0, 0));
}

TRICK(move_other)
{
	(void)dir;
	return escapes_result(
	    syscall(SYS_move_pages, escapes_pid(arg), 0L, NULL, NULL, NULL, 0));
}

TRICK(list_mapped_files)
{
	char path[64];
	const struct dirent *entry;
	DIR *stream;

	(void)dir;
	snprintf(path, sizeof(path), "/proc/%d/map_files", escapes_pid(arg));
	stream = opendir(path);
	if (stream == NULL)
		return errno;
	do {
		errno = 0;
		entry = readdir(stream);
	} while (entry != NULL && entry->d_name[0] == '.');
	return escapes_result(entry == NULL ? -1 : 0);
}

TRICK(read_page_map)
{
	char path[64];

	(void)dir;
	snprintf(path, sizeof(path), "/proc/%d/pagemap", escapes_pid(arg));
	return escapes_result(open(path, O_RDONLY));
}

/* From Linux 6.11 on a pidfd gives the namespaces of its process. */
TRICK(namespace_by_pidfd)
{
	int fd = (int)syscall(434, escapes_pid(arg), 0);

	(void)dir;
	return fd < 0 ? errno : escapes_result(ioctl(fd, 0xff03, 0));
}

TRICK(watch_other)
{
	struct perf_event_attr attributes;

	(void)dir;
	memset(&attributes, 0, sizeof(attributes));
	attributes.type = PERF_TYPE_SOFTWARE;
	attributes.size = sizeof(attributes);
	attributes.config = PERF_COUNT_SW_TASK_CLOCK;
	attributes.exclude_kernel = 1;
	return escapes_result(syscall(
	    SYS_perf_event_open, &attributes, escapes_pid(arg), -1, -1, 0));
}

/* On every processor in turn, whoever runs there; where the kernel allows it
 * to users, it is up to us. */
TRICK(watch_everybody)
{
	struct perf_event_attr attributes;

	UNUSED;
	memset(&attributes, 0, sizeof(attributes));
	attributes.type = PERF_TYPE_SOFTWARE;
	attributes.size = sizeof(attributes);
	attributes.config = PERF_COUNT_SW_CPU_CLOCK;
	attributes.exclude_kernel = 1;
	return escapes_result(
	    syscall(SYS_perf_event_open, &attributes, -1, 0, -1, 0));
}

/* Hang up the caller's terminal; in a session of one's own nobody is hurt. */
TRICK(hang_up)
{
	pid_t pid = fork();
	int status = 0;

	UNUSED;
	if (pid == 0)
		_exit(setsid() < 0 || vhangup() != 0 ? errno : 0);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return errno;
	return WEXITSTATUS(status);
}

/* A child for whoever started us: it has not asked for it, and its signal
 * comes to it. */
TRICK(child_for_parent)
{
	long pid = syscall(SYS_clone, CLONE_PARENT, NULL, NULL, NULL, NULL);

	UNUSED;
	if (pid == 0)
		_exit(0);
	return escapes_result(pid);
}

TRICK(child_for_parent_new_way)
{
	uint64_t args[8] = {CLONE_PARENT};
	long pid = syscall(435, args, sizeof(args));

	UNUSED;
	if (pid == 0)
		_exit(0);
	return escapes_result(pid);
}

/* Whoever opens the file waits; bits above are for the filter to overlook. */
static int
take_lease(long command)
{
	int fd = memfd_create("lease", MFD_CLOEXEC);
	int result;

	if (fd < 0)
		return errno;
	result = escapes_result(syscall(SYS_fcntl, fd, command, F_RDLCK));
	close(fd);
	return result;
}

TRICK(lease)
{
	UNUSED;
	return take_lease(F_SETLEASE);
}

TRICK(lease_with_upper_bits)
{
	UNUSED;
	return take_lease(F_SETLEASE | (long)0x7eadbeef00000000);
}

const struct attempt escapes_outside[] = {
    {"process_vm_readv", BOTH, vm_read},
    {"process_vm_writev", BOTH, vm_write},
    {"PTRACE_SEIZE", BOTH, seize},
    {"/proc/PID/environ", BOTH, read_environment},
    {"/proc/PID/maps", BOTH, read_map},
    {"kill", BOTH, signal_kill},
    {"tgkill", BOTH, signal_thread},
    {"pidfd_send_signal", BOTH, signal_pidfd},
    {"killpg", BOTH, signal_group},
    {"signal by F_SETOWN", BOTH, signal_by_owner},
    {"vhangup", ROOT, hang_up},
    {"prlimit", BOTH, limit_other},
    {"setns by a pidfd", BOTH, join_by_pidfd},
    {"kcmp", MAYBE, compare_other},
    {"move_pages", MAYBE, move_other},
    {"/proc/PID/map_files", BOTH, list_mapped_files},
    {"/proc/PID/pagemap", MAYBE, read_page_map},
    {"namespace by a pidfd", MAYBE, namespace_by_pidfd},
    {"perf_event_open", MAYBE, watch_other},
    {"perf_event_open of a processor", MAYBE, watch_everybody},
    {"child for the parent", BOTH, child_for_parent},
    {"child for the parent by clone3", MAYBE, child_for_parent_new_way},
    {"lease on a file", BOTH, lease},
    {"lease with upper bits", BOTH, lease_with_upper_bits},
    {NULL, BOTH, NULL},
};
