/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * witness-linux.c - see witness.h. No function of a library is called here,
 * which a test looks at the object file for.
 */

#include "config.h"

#include "child/witness.h"

#include <sys/stat.h>
#include <fcntl.h>
#include <limits.h>

#include "child/raw.h"

OMEGA_PLAIN int
omega_touch_open(const char *path, int flags)
{
	return (int)omega_raw(SYS_openat, AT_FDCWD, ARG(path),
	    flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600, 0);
}

OMEGA_PLAIN void
omega_touch_close(int fd)
{
	omega_raw(SYS_close, fd, 0, 0, 0, 0);
}

OMEGA_PLAIN int
omega_touch_look(int dir, const char *path, struct omega_touch_seen *seen)
{
	struct statx st;
	long ret;

	ret = omega_raw(SYS_statx, dir, ARG(path),
	    AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT,
	    STATX_BASIC_STATS | STATX_BTIME, ARG(&st));
	if (ret < 0)
		return (int)ret;
	seen->object.major = st.stx_dev_major;
	seen->object.minor = st.stx_dev_minor;
	seen->object.inode = st.stx_ino;
	seen->object.mode = st.stx_mode;
	seen->object.birth = 0;
	seen->object.birth_nsec = 0;
	if ((st.stx_mask & STATX_BTIME) != 0) {
		seen->object.birth = st.stx_btime.tv_sec;
		seen->object.birth_nsec = st.stx_btime.tv_nsec;
	}
	seen->size = st.stx_size;
	return 0;
}

OMEGA_PLAIN bool
omega_touch_has_content(int fd)
{
	char byte;

	return omega_raw(SYS_read, fd, ARG(&byte), 1, 0, 0) > 0;
}

OMEGA_PLAIN static bool
is_dot(const char *name)
{
	return name[0] == '.' &&
	       (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

OMEGA_PLAIN bool
omega_touch_has_names(int fd)
{
	_Alignas(struct omega_raw_entry) char buffer[512];
	const struct omega_raw_entry *entry;
	long len;
	long at;

	len = omega_raw(SYS_getdents64, fd, ARG(buffer), sizeof(buffer), 0, 0);
	for (at = 0; at < len; at += entry->size) {
		entry =
		    (const struct omega_raw_entry *)(const void *)(buffer + at);
		if (!is_dot(entry->name))
			return true;
	}
	return false;
}

/* A file that never has a name. */
OMEGA_PLAIN int
omega_touch_create(const char *dir)
{
	int fd = omega_touch_open(dir, O_TMPFILE | O_WRONLY);

	if (fd < 0)
		return fd;
	omega_touch_close(fd);
	return 0;
}

/* Kernels and filters that do not know the call say ENOSYS or EPERM. */
OMEGA_PLAIN int
omega_touch_may_create(const char *dir)
{
	long ret = omega_raw(
	    SYS_faccessat2, AT_FDCWD, ARG(dir), W_OK | X_OK, AT_EACCESS, 0);

	return ret == -ENOSYS || ret == -EPERM ? 0 : (int)ret;
}

OMEGA_PLAIN int
omega_touch_make(const char *path)
{
	return (int)omega_raw(SYS_mkdirat, AT_FDCWD, ARG(path), 0700, 0, 0);
}

OMEGA_PLAIN void
omega_touch_remove(const char *path)
{
	omega_raw(SYS_unlinkat, AT_FDCWD, ARG(path), AT_REMOVEDIR, 0, 0);
}

/* "There is no such attribute" comes after "you may not". */
OMEGA_PLAIN bool
omega_touch_change(const char *path)
{
	return omega_raw(SYS_lremovexattr, ARG(path),
		   ARG("user.omega-sandbox.witness"), 0, 0, 0) == -ENODATA;
}

/* 0: not to be seen from here. */
OMEGA_PLAIN static long
get_parent(void)
{
	return omega_raw(SYS_getppid, 0, 0, 0, 0, 0);
}

OMEGA_PLAIN bool
omega_touch_signal(void)
{
	long parent = get_parent();

	return parent > 0 && omega_raw(SYS_kill, parent, 0, 0, 0, 0) == 0;
}

/*
 * Who may attach to a process may take its descriptors; that there is none of
 * this number is said only then. Its memory in /proc would not do: a child
 * that shares memory with its parent is never asked for the right to it.
 */
OMEGA_PLAIN int
omega_touch_trace(void)
{
	long parent = get_parent();
	long pidfd;
	long ret;

	if (parent <= 0)
		return 0;
	pidfd = omega_raw(SYS_pidfd_open, parent, 0, 0, 0, 0);
	if (pidfd < 0)
		return (int)pidfd;
	ret = omega_raw(SYS_pidfd_getfd, pidfd, INT_MAX, 0, 0, 0);
	omega_touch_close((int)pidfd);
	return ret == -EBADF;
}
