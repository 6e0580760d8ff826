/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * calls-darwin.c - see calls.h.
 *
 * macOS promises its system calls by the names of the C library only, and
 * these functions are no more than that. A child here always has memory of
 * its own.
 */

#include "config.h"

#include "child/calls.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <libproc.h>
#include <signal.h>
#include <unistd.h>

static int
result(int ret)
{
	return ret < 0 ? -errno : ret;
}

int
omega_calls_look_at(int fd)
{
	struct stat st;
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fstat(fd, &st) != 0)
		return -errno;
	if (S_ISDIR(st.st_mode))
		return OMEGA_CALLS_DIRECTORY;
	/* Opened for events: /dev/fd would open it for more. */
	return (flags & O_EVTONLY) != 0 ? OMEGA_CALLS_PATH : OMEGA_CALLS_FINE;
}

void
omega_calls_reset_signals(uint64_t which)
{
	struct sigaction action = {.sa_handler = SIG_DFL};
	int i;

	for (i = 1; i < NSIG; i++)
		if (i != SIGKILL && i != SIGSTOP && (which >> (i - 1) & 1) != 0)
			sigaction(i, &action, NULL);
}

void
omega_calls_ignore_signals(uint64_t which)
{
	struct sigaction action = {.sa_handler = SIG_IGN};
	int i;

	for (i = 1; i < NSIG; i++)
		if (i != SIGKILL && i != SIGSTOP && (which >> (i - 1) & 1) != 0)
			sigaction(i, &action, NULL);
}

void
omega_calls_block_signals(uint64_t which)
{
	sigset_t set;
	int i;

	sigemptyset(&set);
	for (i = 1; i < NSIG; i++)
		if ((which >> (i - 1) & 1) != 0)
			sigaddset(&set, i);
	sigprocmask(SIG_SETMASK, &set, NULL);
}

void
omega_calls_enter_group(int32_t group)
{
	if (setpgid(0, group) != 0)
		setpgid(0, 0);
}

int
omega_calls_come_forward(int terminal)
{
	return result(tcsetpgrp(terminal, getpgrp()));
}

int
omega_calls_new_session(void)
{
	return setsid() < 0 ? -errno : 0;
}

int
omega_calls_enter(const char *dir)
{
	return result(chdir(dir));
}

bool
omega_calls_has_close_range(void)
{
	return false;
}

int
omega_calls_open_list(void)
{
	return -1;
}

/*
 * Asked for a list without a place to put it, the kernel answers with the
 * size of one for the whole table of descriptors and a little more: nothing
 * is open beyond. A limit that was lowered closes nothing.
 */
int
omega_calls_close_others(bool has_close_range, int list)
{
	int size = proc_pidinfo(getpid(), PROC_PIDLISTFDS, 0, NULL, 0);
	int end = size / (int)sizeof(struct proc_fdinfo);
	int fd;

	(void)has_close_range;
	(void)list;
	if (size <= 0)
		return errno != 0 ? -errno : -EMFILE;
	for (fd = 3; fd < end; fd++)
		if (fcntl(fd, F_SETFD, FD_CLOEXEC) != 0 && errno != EBADF)
			return -errno;
	return 0;
}

int
omega_calls_place(int from, int to)
{
	int ret = from == to ? fcntl(from, F_SETFD, 0) : dup2(from, to);

	return ret < 0 ? -errno : 0;
}

int
omega_calls_limit(int resource, uint64_t most)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit) != 0)
		return -errno;
	if (limit.rlim_max > most)
		limit.rlim_max = most;
	if (limit.rlim_cur > limit.rlim_max)
		limit.rlim_cur = limit.rlim_max;
	return result(setrlimit(resource, &limit));
}

/* There is no privilege to be given up. */
int
omega_calls_keep_limits(void)
{
	return 0;
}

const char *
omega_calls_limit_lacks(int resource)
{
	if (resource == RLIMIT_AS)
		return "macOS takes a limit on memory and does not hold it "
		       "(RLIMIT_AS)";
	return NULL;
}

/* Nobody is given another process here but a debugger the system trusts, and
 * a refusal of our own would outlive exec. */
void
omega_calls_hide(void)
{
}

/* The supervisor and the host see to it: supervisor-darwin.c. */
bool
omega_calls_tie(int32_t parent)
{
	(void)parent;
	return true;
}

long
omega_calls_write(int fd, const void *bytes, size_t len)
{
	ssize_t done = write(fd, bytes, len);

	return done < 0 ? -errno : done;
}

int
omega_calls_exec(const char *program, char *const argv[], char *const env[])
{
	return result(execve(program, argv, env));
}

int
omega_calls_exec_open(int fd, char *const argv[], char *const env[])
{
	(void)fd;
	(void)argv;
	(void)env;
	return -ENOTSUP;
}

bool
omega_calls_exists(const char *path)
{
	return access(path, F_OK) == 0;
}

bool
omega_calls_is_about_file(int error_number)
{
	switch (error_number) {
	case EACCES:
	case EBADARCH:
	case EBADEXEC:
	case EBADMACHO:
	case EINVAL:
	case EISDIR:
	case ELOOP:
	case ENOEXEC:
	case EPERM:
	case ETXTBSY:
		return true;
	default:
		return false;
	}
}

_Noreturn void
omega_calls_exit(int status)
{
	_exit(status);
}
