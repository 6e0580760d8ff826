/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * calls-linux.c - see calls.h. No function of a library is called here, which
 * a test looks at the object file for.
 */

#include "config.h"

#include "child/calls.h"

#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>

#include "child/raw.h"

#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1U << 2)
#endif

OMEGA_PLAIN int
omega_calls_look_at(int fd)
{
	struct statx st;
	long ret = omega_raw(SYS_fcntl, fd, F_GETFL, 0, 0, 0);

	if (ret < 0)
		return (int)ret;
	if ((ret & O_PATH) != 0)
		return OMEGA_CALLS_PATH;
	if ((ret & O_ACCMODE) == O_WRONLY || (ret & O_ACCMODE) == O_RDWR)
		return OMEGA_CALLS_FINE; /* no directory is opened like this */
	ret = omega_raw(SYS_statx, fd, ARG(""),
	    AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, ARG(&st));
	if (ret < 0)
		return (int)ret;
	return S_ISDIR(st.stx_mode) ? OMEGA_CALLS_DIRECTORY : OMEGA_CALLS_FINE;
}

/* The kernel's own structure, whatever its order: the handler comes first on
 * every system we know, 0 is the default and 1 to ignore. */
OMEGA_PLAIN static void
set_action(int signal, unsigned long handler)
{
	unsigned long action[8] = {handler, 0, 0, 0, 0, 0, 0, 0};

	if (signal != SIGKILL && signal != SIGSTOP)
		omega_raw(SYS_rt_sigaction, signal, ARG(action), 0,
		    OMEGA_RAW_SIGSET, 0);
}

OMEGA_PLAIN void
omega_calls_reset_signals(uint64_t which)
{
	int i;

	for (i = 1; i < _NSIG; i++)
		if (i > 64 || (which >> (i - 1) & 1) != 0)
			set_action(i, 0);
}

OMEGA_PLAIN void
omega_calls_ignore_signals(uint64_t which)
{
	int i;

	for (i = 1; i < _NSIG && i <= 64; i++)
		if ((which >> (i - 1) & 1) != 0)
			set_action(i, 1);
}

OMEGA_PLAIN void
omega_calls_block_signals(uint64_t which)
{
	unsigned long set[16 / sizeof(unsigned long)] = {0};

	set[0] = (unsigned long)which;
	if (sizeof(set[0]) == 4)
		set[1] = (unsigned long)(which >> 32);
	omega_raw(
	    SYS_rt_sigprocmask, SIG_SETMASK, ARG(set), 0, OMEGA_RAW_SIGSET, 0);
}

OMEGA_PLAIN void
omega_calls_enter_group(int32_t group)
{
	if (omega_raw(SYS_setpgid, 0, group, 0, 0, 0) < 0)
		omega_raw(SYS_setpgid, 0, 0, 0, 0, 0);
}

OMEGA_PLAIN int
omega_calls_come_forward(int terminal)
{
	int32_t group = (int32_t)omega_raw(SYS_getpgid, 0, 0, 0, 0, 0);

	return (int)omega_raw(
	    SYS_ioctl, terminal, TIOCSPGRP, ARG(&group), 0, 0);
}

OMEGA_PLAIN int
omega_calls_new_session(void)
{
	long ret = omega_raw(SYS_setsid, 0, 0, 0, 0, 0);

	return ret < 0 ? (int)ret : 0;
}

OMEGA_PLAIN int
omega_calls_enter(const char *dir)
{
	return (int)omega_raw(SYS_chdir, ARG(dir), 0, 0, 0, 0);
}

OMEGA_PLAIN bool
omega_calls_has_close_range(void)
{
	return omega_raw(SYS_close_range, (long)~0U, (long)~0U,
		   CLOSE_RANGE_CLOEXEC, 0, 0) == 0;
}

/* /proc may be out of reach by the time it is needed. */
OMEGA_PLAIN int
omega_calls_open_list(void)
{
	return (int)omega_raw(SYS_openat, AT_FDCWD, ARG("/proc/self/fd"),
	    O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0, 0);
}

OMEGA_PLAIN static void
close_at_exec(long fd)
{
	if (fd > 2)
		omega_raw(SYS_fcntl, fd, F_SETFD, FD_CLOEXEC, 0, 0);
}

/* The descriptors listed in /proc/self/fd. */
OMEGA_PLAIN static long
close_listed(int list)
{
	_Alignas(struct omega_raw_entry) char buffer[1024];
	const struct omega_raw_entry *entry;
	long len;
	long at;

	for (;;) {
		len = omega_raw(
		    SYS_getdents64, list, ARG(buffer), sizeof(buffer), 0, 0);
		if (len <= 0)
			return len;
		for (at = 0; at < len; at += entry->size) {
			entry = (const struct omega_raw_entry *)(buffer + at);
			close_at_exec(omega_raw_number(entry->name));
		}
	}
}

struct limit { /* of prlimit64(2) */
	uint64_t soft;
	uint64_t hard;
};

/* Without a list: every number there can be. A limit that was lowered does
 * not close what is above it, hence the least bound. */
OMEGA_PLAIN static long
close_counted(void)
{
	struct limit limit = {0, 0};
	uint64_t end = 1 << 20;
	uint64_t fd;
	long ret;

	ret = omega_raw(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, ARG(&limit), 0);
	if (ret < 0)
		return ret;
	if (limit.hard > end)
		end = limit.hard;
	if (end > 1 << 24)
		return -EMFILE; /* it would take minutes */
	for (fd = 3; fd < end; fd++)
		close_at_exec((long)fd);
	return 0;
}

OMEGA_PLAIN int
omega_calls_close_others(bool has_close_range, int list)
{
	long ret = -ENOSYS;

	if (has_close_range)
		ret = omega_raw(
		    SYS_close_range, 3, (long)~0U, CLOSE_RANGE_CLOEXEC, 0, 0);
	if (ret < 0)
		ret = list >= 0 ? close_listed(list) : close_counted();
	return (int)ret;
}

OMEGA_PLAIN int
omega_calls_place(int from, int to)
{
	long ret;

	if (from == to)
		ret = omega_raw(SYS_fcntl, from, F_SETFD, 0, 0, 0);
	else
		ret = omega_raw(SYS_dup3, from, to, 0, 0, 0);
	return ret < 0 ? (int)ret : 0;
}

OMEGA_PLAIN int
omega_calls_limit(int resource, uint64_t most)
{
	struct limit limit;
	long ret;

	ret = omega_raw(SYS_prlimit64, 0, resource, 0, ARG(&limit), 0);
	if (ret < 0)
		return (int)ret;
	if (limit.hard > most)
		limit.hard = most;
	if (limit.soft > limit.hard)
		limit.soft = limit.hard;
	return (int)omega_raw(SYS_prlimit64, 0, resource, ARG(&limit), 0, 0);
}

/* What root gets by execve is in the bounding set. Where that cannot be made
 * smaller, execve is to give nothing; others have nothing to be given. */
OMEGA_PLAIN static long
keep_off(bool is_owned)
{
	long ret =
	    omega_raw(SYS_prctl, PR_CAPBSET_DROP, CAP_SYS_RESOURCE, 0, 0, 0);

	if (ret == -EPERM)
		ret =
		    is_owned || omega_raw(SYS_geteuid, 0, 0, 0, 0, 0) == 0 ||
			    omega_raw(SYS_getuid, 0, 0, 0, 0, 0) == 0
			? omega_raw(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
			: 0;
	return ret;
}

OMEGA_PLAIN int
omega_calls_keep_limits(void)
{
	const uint32_t power = 1U << CAP_SYS_RESOURCE; /* in the first half */
	struct __user_cap_header_struct head;
	struct __user_cap_data_struct data[2];
	long ret;

	head.version = _LINUX_CAPABILITY_VERSION_3;
	head.pid = 0;
	ret = omega_raw(SYS_capget, ARG(&head), ARG(data), 0, 0, 0);
	if (ret < 0)
		return (int)ret;
	ret = keep_off((data[0].permitted & power) != 0);
	if (ret < 0 || ((data[0].permitted | data[0].inheritable) & power) == 0)
		return (int)ret;
	/* What is not permitted leaves the ambient set too. */
	data[0].effective &= ~power;
	data[0].permitted &= ~power;
	data[0].inheritable &= ~power;
	return (int)omega_raw(SYS_capset, ARG(&head), ARG(data), 0, 0, 0);
}

const char *
omega_calls_limit_lacks(int resource)
{
	(void)resource;
	return NULL;
}

OMEGA_PLAIN void
omega_calls_hide(void)
{
	omega_raw(SYS_prctl, PR_SET_DUMPABLE, 0, 0, 0, 0);
}

OMEGA_PLAIN bool
omega_calls_tie(int32_t parent)
{
	omega_raw(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	return parent == 0 || omega_raw(SYS_getppid, 0, 0, 0, 0, 0) == parent;
}

OMEGA_PLAIN long
omega_calls_write(int fd, const void *bytes, size_t len)
{
	return omega_raw(SYS_write, fd, ARG(bytes), (long)len, 0, 0);
}

OMEGA_PLAIN int
omega_calls_exec(const char *program, char *const argv[], char *const env[])
{
	return (int)omega_raw(
	    SYS_execve, ARG(program), ARG(argv), ARG(env), 0, 0);
}

OMEGA_PLAIN int
omega_calls_exec_open(int fd, char *const argv[], char *const env[])
{
	return (int)omega_raw(
	    SYS_execveat, fd, ARG(""), ARG(argv), ARG(env), AT_EMPTY_PATH);
}

OMEGA_PLAIN bool
omega_calls_exists(const char *path)
{
	return omega_raw(SYS_faccessat, AT_FDCWD, ARG(path), 0, 0, 0) == 0;
}

bool
omega_calls_is_about_file(int error_number)
{
	switch (error_number) {
	case EACCES:
	case EINVAL:
	case EISDIR:
	case ELIBBAD:
	case ELOOP:
	case ENOEXEC:
	case EPERM:
	case ETXTBSY:
		return true;
	default:
		return false;
	}
}

OMEGA_PLAIN _Noreturn void
omega_calls_exit(int status)
{
	for (;;)
		omega_raw(SYS_exit_group, status, 0, 0, 0, 0);
}
