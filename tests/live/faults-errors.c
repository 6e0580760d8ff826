/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * faults-errors.c - see faults-errors.h.
 */

#include "faults-errors.h"

#include <sys/syscall.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "harness.h"

#define SYS_OPENAT2 437
#define SHORT (-1) /* less than was asked for */
#define NONE (-2) /* the call's own way to say no: brk(2) */
#define MAX_ERRORS 6
#define LOADER_LENGTH 832 /* the C library's loader reads so much of a file */

struct kind {
	int errors[MAX_ERRORS]; /* to the first 0 */
	bool is_late; /* it is done nevertheless */
};

static const struct kind never = {{0}, false};
static const struct kind names = {{EACCES, ENOMEM, EIO}, false};
static const struct kind opening = {
    {EACCES, EMFILE, ENOMEM, EIO, EINTR}, false};
static const struct kind opening_new = {
    {EACCES, EMFILE, EAGAIN, ENOSYS, EPERM, EINTR}, false};
static const struct kind newer_names = {{EACCES, ENOMEM, ENOSYS, EPERM}, false};
static const struct kind transfer = {{EIO, ENOMEM, EINTR, SHORT}, false};
static const struct kind loading = {{EIO, ENOMEM, SHORT}, false};
static const struct kind message = {{ENOBUFS, EPERM, EINTR}, false};
static const struct kind polling = {{ENOMEM, EPERM, EINTR}, false};
/* Somebody else in the host has collected it. */
static const struct kind waiting = {{ECHILD, EINTR}, false};
static const struct kind tables = {{EMFILE, ENFILE, EPERM, ENOMEM}, false};
static const struct kind processes = {{EAGAIN, ENOMEM, EPERM, ENOSYS}, false};
static const struct kind executing = {{EACCES, ENOMEM, EPERM, EIO}, false};
static const struct kind power = {
    {EPERM, ENOMEM, ENOSYS, EINVAL, ENOSPC, EACCES}, false};
static const struct kind memory = {{ENOMEM}, false};
static const struct kind breaking = {{NONE}, false};
static const struct kind closing = {{EIO, EINTR}, true};
static const struct kind other = {{EPERM, ENOMEM, ENOSYS}, false};

#define CALL(name, kind)                 \
	{                                \
		SYS_##name, #name, &kind \
	}
#define NEW(number, name, kind)     \
	{                           \
		number, name, &kind \
	}

static const struct {
	long number;
	const char *name;
	const struct kind *kind;
} calls[] = {
    CALL(brk, breaking),
    CALL(capget, other),
    CALL(capset, power),
    CALL(chdir, names),
    CALL(clock_nanosleep, never),
    CALL(clone, processes),
    CALL(close, closing),
    CALL(dup, tables),
    CALL(dup3, tables),
    CALL(execve, executing),
    CALL(execveat, executing),
    CALL(exit, never),
    CALL(exit_group, never),
    CALL(faccessat, names),
    CALL(fchdir, names),
    CALL(fchmod, names),
    CALL(fcntl, tables),
    CALL(fstat, names),
    CALL(fstatfs, names),
    CALL(futex, never),
    CALL(getcwd, names),
    CALL(getdents64, names),
    CALL(getegid, never),
    CALL(geteuid, never),
    CALL(getgid, never),
    CALL(getpid, never),
    CALL(getppid, never),
    CALL(getrandom, transfer),
    CALL(gettid, never),
    CALL(getuid, never),
    CALL(ioctl, other),
    CALL(lseek, names),
    CALL(mkdirat, names),
    CALL(mmap, memory),
    CALL(mount, power),
    CALL(mprotect, memory),
    CALL(munmap, memory),
    CALL(nanosleep, never),
    CALL(newfstatat, names),
    CALL(openat, opening),
    CALL(pipe2, tables),
    CALL(ppoll, polling),
    CALL(prctl, power),
    CALL(pread64, loading),
    CALL(prlimit64, other),
    CALL(read, transfer),
    CALL(readlinkat, names),
    CALL(recvfrom, message),
    CALL(recvmsg, message),
    CALL(rt_sigaction, other),
    CALL(rt_sigprocmask, never),
    CALL(rt_sigreturn, never),
    CALL(seccomp, power),
    CALL(sendmsg, message),
    CALL(sendto, message),
    CALL(set_robust_list, other),
    CALL(set_tid_address, never),
    CALL(setgid, power),
    CALL(setgroups, power),
    CALL(setns, power),
    CALL(setresgid, power),
    CALL(setresuid, power),
    CALL(setsid, power),
    CALL(setuid, power),
    CALL(socket, tables),
    CALL(socketpair, tables),
    CALL(statfs, names),
    CALL(statx, newer_names),
    CALL(umask, never),
    CALL(umount2, power),
    CALL(unshare, power),
    CALL(wait4, waiting),
    CALL(waitid, waiting),
    CALL(write, transfer),
    NEW(424, "pidfd_send_signal", other),
    NEW(428, "open_tree", power),
    NEW(429, "move_mount", power),
    NEW(430, "fsopen", power),
    NEW(431, "fsconfig", power),
    NEW(432, "fsmount", power),
    NEW(434, "pidfd_open", tables),
    NEW(435, "clone3", processes),
    NEW(436, "close_range", power),
    NEW(437, "openat2", opening_new),
    NEW(439, "faccessat2", newer_names),
    NEW(442, "mount_setattr", power),
    NEW(444, "landlock_create_ruleset", power),
    NEW(445, "landlock_add_rule", power),
    NEW(446, "landlock_restrict_self", power),
    NEW(457, "statmount", newer_names),
    NEW(458, "listmount", newer_names),
#ifdef SYS_access
    CALL(access, names),
    CALL(arch_prctl, never),
    CALL(dup2, tables),
    CALL(fork, processes),
    CALL(getdents, names),
    CALL(lstat, names),
    CALL(open, opening),
    CALL(pipe, tables),
    CALL(poll, polling),
    CALL(readlink, names),
    CALL(stat, names),
    CALL(vfork, processes),
#endif
};

bool
faults_errors_get(const struct faults_trace_call *call, int variant,
    struct faults_trace_order *order)
{
	const struct kind *kind = &other;
	size_t i;
	int error;

	for (i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (calls[i].number == call->number)
			kind = calls[i].kind;
	if (call->number == SYS_read && call->length == LOADER_LENGTH)
		kind = &loading;
	if (variant >= MAX_ERRORS || kind->errors[variant] == 0)
		return false;
	error = kind->errors[variant];
	order->process = call->process;
	order->number = call->number;
	order->index = call->index;
	order->how = kind->is_late || error == ECHILD ? FAULTS_TRACE_LATE
						      : FAULTS_TRACE_FAIL;
	order->error = error == NONE ? 0 : error;
	if (error == SHORT) {
		order->how = FAULTS_TRACE_SHORT;
		order->error = 0;
	}
	return true;
}

bool
faults_errors_is_harmless(const struct faults_trace_order *order)
{
	return order->how == FAULTS_TRACE_FAIL && order->error == EINTR &&
	       order->number != SYS_openat && order->number != SYS_OPENAT2;
}

const char *
faults_errors_how(const struct faults_trace_order *order)
{
	const char *name = strerrorname_np(order->error);

	if (order->how == FAULTS_TRACE_SHORT)
		return "short";
	return order->error == 0 || name == NULL ? "refused" : name;
}

const char *
faults_errors_name(long number)
{
	size_t i;

	for (i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (calls[i].number == number)
			return calls[i].name;
	return text("call %ld", number);
}
