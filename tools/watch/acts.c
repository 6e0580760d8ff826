/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * acts.c - see watch.h. One table says which argument of which call is a name,
 * and what the call does with it.
 */

#include "config.h"

#include "watch/watch.h"

#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#ifndef SYS_faccessat2
#define SYS_faccessat2 439
#endif
#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

enum does {
	OPENS, /* what the flags say */
	OPENS_HOW, /* what struct open_how says */
	CREATES, /* creat(2) */
	EXECUTES,
	ENTERS,
	LOOKS, /* at what is there, not into it */
	CHANGES, /* what is there */
	CHANGES_LINK, /* without following it */
	MAKES,
	REMOVES,
	MOVES, /* from the first name to the second */
	LINKS,
	CONNECTS
};

#define NONE (-1)

/* Numbers of arguments; dir NONE: from the current directory. */
static const struct known {
	long number;
	signed char does;
	signed char dir;
	signed char name;
	signed char more; /* flags, struct open_how, or the second directory */
	signed char second; /* name */
} known_calls[] = {
    {SYS_openat, OPENS, 0, 1, 2, NONE},
    {SYS_openat2, OPENS_HOW, 0, 1, 2, NONE},
    {SYS_execve, EXECUTES, NONE, 0, NONE, NONE},
    {SYS_execveat, EXECUTES, 0, 1, NONE, NONE},
    {SYS_unlinkat, REMOVES, 0, 1, NONE, NONE},
    {SYS_mkdirat, MAKES, 0, 1, NONE, NONE},
    {SYS_mknodat, MAKES, 0, 1, NONE, NONE},
#ifdef SYS_renameat
    {SYS_renameat, MOVES, 0, 1, 2, 3},
#endif
    {SYS_renameat2, MOVES, 0, 1, 2, 3},
    {SYS_linkat, LINKS, 0, 1, 2, 3},
    {SYS_symlinkat, MAKES, 1, 2, NONE, NONE},
    {SYS_truncate, CHANGES, NONE, 0, NONE, NONE},
    {SYS_chdir, ENTERS, NONE, 0, NONE, NONE},
    {SYS_fchmodat, CHANGES, 0, 1, NONE, NONE},
    {SYS_fchmodat2, CHANGES, 0, 1, NONE, NONE},
    {SYS_fchownat, CHANGES, 0, 1, NONE, NONE},
    {SYS_utimensat, CHANGES, 0, 1, NONE, NONE},
    {SYS_setxattr, CHANGES, NONE, 0, NONE, NONE},
    {SYS_lsetxattr, CHANGES_LINK, NONE, 0, NONE, NONE},
    {SYS_removexattr, CHANGES, NONE, 0, NONE, NONE},
    {SYS_lremovexattr, CHANGES_LINK, NONE, 0, NONE, NONE},
    {SYS_newfstatat, LOOKS, 0, 1, NONE, NONE},
    {SYS_statx, LOOKS, 0, 1, NONE, NONE},
    {SYS_faccessat, LOOKS, 0, 1, NONE, NONE},
    {SYS_faccessat2, LOOKS, 0, 1, NONE, NONE},
    {SYS_readlinkat, LOOKS, 0, 1, NONE, NONE},
    {SYS_connect, CONNECTS, NONE, 1, 2, NONE},
    {SYS_sendto, CONNECTS, NONE, 4, 5, NONE},
#ifdef SYS_open
    {SYS_open, OPENS, NONE, 0, 1, NONE},
    {SYS_creat, CREATES, NONE, 0, NONE, NONE},
    {SYS_unlink, REMOVES, NONE, 0, NONE, NONE},
    {SYS_rmdir, REMOVES, NONE, 0, NONE, NONE},
    {SYS_mkdir, MAKES, NONE, 0, NONE, NONE},
    {SYS_mknod, MAKES, NONE, 0, NONE, NONE},
    {SYS_rename, MOVES, NONE, 0, NONE, 1},
    {SYS_link, LINKS, NONE, 0, NONE, 1},
    {SYS_symlink, MAKES, NONE, 1, NONE, NONE},
    {SYS_chmod, CHANGES, NONE, 0, NONE, NONE},
    {SYS_chown, CHANGES, NONE, 0, NONE, NONE},
    {SYS_lchown, CHANGES_LINK, NONE, 0, NONE, NONE},
    {SYS_utime, CHANGES, NONE, 0, NONE, NONE},
    {SYS_utimes, CHANGES, NONE, 0, NONE, NONE},
    {SYS_futimesat, CHANGES, 0, 1, NONE, NONE},
    {SYS_stat, LOOKS, NONE, 0, NONE, NONE},
    {SYS_lstat, LOOKS, NONE, 0, NONE, NONE},
    {SYS_access, LOOKS, NONE, 0, NONE, NONE},
    {SYS_readlink, LOOKS, NONE, 0, NONE, NONE},
#endif
};

/* How much could be read; a name may end right before what is not there. */
static ssize_t
read_memory(pid_t pid, uint64_t at, void *to, size_t len)
{
	size_t first = 4096 - at % 4096;
	struct iovec ours = {to, len};
	struct iovec theirs[2];

	if (first > len)
		first = len;
	theirs[0] = (struct iovec){(void *)(uintptr_t)at, first};
	theirs[1] =
	    (struct iovec){(void *)(uintptr_t)(at + first), len - first};
	return process_vm_readv(pid, &ours, 1, theirs, len > first ? 2 : 1, 0);
}

/* The directory a name is taken from, with a slash behind it. */
static bool
read_dir(pid_t pid, int dir, char *path, size_t size)
{
	char link[64];
	ssize_t len;

	if (dir == AT_FDCWD)
		snprintf(link, sizeof(link), "/proc/%d/cwd", (int)pid);
	else
		snprintf(link, sizeof(link), "/proc/%d/fd/%d", (int)pid, dir);
	len = readlink(link, path, size - 2);
	if (len <= 0 || path[0] != '/')
		return false;
	if (path[len - 1] != '/')
		path[len++] = '/';
	path[len] = '\0';
	return true;
}

/* "//", "/./" and a slash at the end say nothing; ".." stays, since what is
 * before it may be a link. */
static void
tidy(char *path)
{
	const char *from = path;
	char *to = path;

	while (*from != '\0') {
		while (from[0] == '/' &&
		       (from[1] == '/' ||
			   (from[1] == '.' &&
			       (from[2] == '/' || from[2] == '\0'))))
			from += from[1] == '/' ? 1 : 2;
		if (*from != '\0')
			*to++ = *from++;
	}
	if (to > path + 1 && to[-1] == '/')
		to--;
	if (to == path)
		*to++ = '/';
	*to = '\0';
}

/* What the name in argument `name` is. 1; 0: none, or a strange one; -1. */
static int
read_path(pid_t pid, const struct seccomp_data *call, int dir, int name,
    char path[PATH_MAX])
{
	char text[PATH_MAX];
	size_t used = 0;
	ssize_t len = read_memory(pid, call->args[name], text, sizeof(text));

	if (len <= 0)
		return errno == EFAULT ? 0 : -1;
	if (memchr(text, '\0', (size_t)len) == NULL || text[0] == '\0')
		return 0;
	if (text[0] != '/') {
		if (!read_dir(pid,
			dir == NONE ? AT_FDCWD : (int)call->args[dir], path,
			PATH_MAX))
			return 0;
		used = strlen(path);
	}
	if (used + strlen(text) >= PATH_MAX)
		return 0;
	memcpy(path + used, text, strlen(text) + 1);
	tidy(path);
	return 1;
}

/* False: nothing is done with what it leads to. */
static bool
take_flags(uint64_t flags, struct watch_act *act)
{
	const uint64_t way = flags & O_ACCMODE;

	if ((flags & O_PATH) != 0)
		return false;
	act->access = way == O_RDONLY ? OMEGA_SANDBOX_READ
		      : way == O_WRONLY
			  ? OMEGA_SANDBOX_WRITE
			  : OMEGA_SANDBOX_READ | OMEGA_SANDBOX_WRITE;
	if ((flags & O_TRUNC) != 0)
		act->access |= OMEGA_SANDBOX_WRITE;
	act->is_new = (flags & O_CREAT) != 0;
	return true;
}

static bool
take_call(pid_t pid, const struct seccomp_data *call, const struct known *known,
    struct watch_act *act)
{
	uint64_t flags = 0;

	act->access = OMEGA_SANDBOX_WRITE;
	switch ((enum does)known->does) {
	case OPENS:
		return take_flags(call->args[known->more], act);
	case OPENS_HOW:
		return read_memory(pid, call->args[known->more], &flags,
			   sizeof(flags)) == sizeof(flags) &&
		       take_flags(flags, act);
	case CREATES:
		return take_flags(O_WRONLY | O_CREAT | O_TRUNC, act);
	case EXECUTES:
		act->access = OMEGA_SANDBOX_EXECUTE;
		break;
	case ENTERS:
	case LOOKS:
		act->is_look = true;
		/* fallthrough */
	case LINKS:
		act->access = OMEGA_SANDBOX_READ;
		break;
	case MAKES:
		act->is_new = act->is_made = true;
		act->is_name = true;
#ifdef SYS_mkdir
		act->is_dir = call->nr == SYS_mkdir;
#endif
		act->is_dir |= call->nr == SYS_mkdirat;
		break;
	case CHANGES_LINK:
	case REMOVES:
	case MOVES:
		act->is_name = true;
		break;
	default:
		break;
	}
	return true;
}

/* An address, or the path of a socket. */
static int
read_address(pid_t pid, const struct seccomp_data *call,
    const struct known *known, struct watch_act *act,
    struct sockaddr_storage *address)
{
	const struct sockaddr_un *local = (const struct sockaddr_un *)address;
	uint64_t len = call->args[known->more];

	memset(address, 0, sizeof(*address));
	if (call->args[known->name] == 0 || len < sizeof(sa_family_t))
		return 0;
	if (len >= sizeof(*address))
		len = sizeof(*address) - 1;
	if (read_memory(pid, call->args[known->name], address, (size_t)len) < 0)
		return errno == EFAULT ? 0 : -1;
	act->access = 0;
	if (address->ss_family == AF_UNIX && local->sun_path[0] == '/') {
		snprintf(act->path, sizeof(act->path), "%s", local->sun_path);
		return 1;
	}
	act->address = address;
	return address->ss_family == AF_INET || address->ss_family == AF_INET6;
}

int
acts_read(pid_t pid, const struct seccomp_data *call, struct watch_act acts[2],
    struct sockaddr_storage *address)
{
	const struct known *known = known_calls;
	int ret;
	int i;

	while ((long)call->nr != known->number)
		if (++known ==
		    known_calls + sizeof(known_calls) / sizeof(known_calls[0]))
			return 0;
	for (i = 0; i < 2; i++) {
		acts[i].pid = pid;
		acts[i].access = 0;
		acts[i].is_name = acts[i].is_new = acts[i].is_made = false;
		acts[i].is_look = acts[i].is_dir = false;
		acts[i].path[0] = '\0';
		acts[i].address = NULL;
	}
	if (known->does == CONNECTS)
		return read_address(pid, call, known, &acts[0], address);
	if (!take_call(pid, call, known, &acts[0]))
		return 0;
	ret = read_path(pid, call, known->dir, known->name, acts[0].path);
	if (ret <= 0 || known->second == NONE)
		return ret;
	acts[1].access = OMEGA_SANDBOX_WRITE;
	acts[1].is_name = acts[1].is_new = true;
	acts[1].is_made = known->does == LINKS;
	ret = read_path(pid, call, known->more, known->second, acts[1].path);
	return ret < 0 ? -1 : 1 + ret;
}
