/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * inner-linux.c - see inner.h.
 *
 * As in inner.c, no function of a library is called here.
 */

#include "config.h"

#include "child/inner.h"

#include <sys/stat.h>
#include <sys/vfs.h>
#include <fcntl.h>
#include <limits.h>

#include "child/raw.h"

#define READ_ONLY 1 /* ST_RDONLY */

/* What open(2) is told again; the rest was for the first time only. */
#define KEPT_FLAGS \
	(O_ACCMODE | O_APPEND | O_NONBLOCK | O_SYNC | O_DSYNC | O_DIRECT)

OMEGA_PLAIN static long
look_at(long fd, struct statx *st)
{
	return omega_raw(SYS_statx, fd, ARG(""),
	    AT_EMPTY_PATH | AT_STATX_DONT_SYNC,
	    STATX_TYPE | STATX_INO | STATX_UID, ARG(st));
}

OMEGA_PLAIN static bool
is_read_only(long fd)
{
	struct statfs at;

	return omega_raw(SYS_fstatfs, fd, ARG(&at), 0, 0, 0) == 0 &&
	       (at.f_flags & READ_ONLY) != 0;
}

OMEGA_PLAIN static bool
is_same(long fd, const struct statx *st)
{
	struct statx other;

	return look_at(fd, &other) == 0 && other.stx_ino == st->stx_ino &&
	       other.stx_dev_major == st->stx_dev_major &&
	       other.stx_dev_minor == st->stx_dev_minor;
}

/* The name the file had when it was opened, if it has one. */
OMEGA_PLAIN static bool
find_name(int fd, char *name, size_t size)
{
	char link[32] = "/proc/self/fd/";
	long len;

	*omega_raw_print(link + 14, (uint64_t)fd) = '\0';
	len = omega_raw(
	    SYS_readlinkat, AT_FDCWD, ARG(link), ARG(name), (long)size, 0);
	if (len <= 0 || (size_t)len >= size || name[0] != '/')
		return false;
	name[len] = '\0';
	return true;
}

/* Does the name lead to this very file, and is it on a read-only mount? */
OMEGA_PLAIN static bool
leads_to(const char *name, const struct statx *st, bool *is_kept)
{
	bool is_here;
	long fd;

	*is_kept = false;
	fd = omega_raw(SYS_openat, AT_FDCWD, ARG(name),
	    O_PATH | O_NOFOLLOW | O_CLOEXEC, 0, 0);
	if (fd < 0)
		return false;
	is_here = is_same(fd, st);
	*is_kept = is_here && is_read_only(fd);
	omega_raw(SYS_close, fd, 0, 0, 0, 0);
	return is_here;
}

OMEGA_PLAIN static bool
may_write(int fd)
{
	long flags = omega_raw(SYS_fcntl, fd, F_GETFL, 0, 0, 0);

	return flags < 0 || (flags & O_ACCMODE) != O_RDONLY;
}

OMEGA_PLAIN static long
open_again(int old, const char *name, const struct statx *st)
{
	long flags = omega_raw(SYS_fcntl, old, F_GETFL, 0, 0, 0);
	long at = omega_raw(SYS_lseek, old, 0, 1, 0, 0); /* SEEK_CUR */
	long fd;

	if (flags < 0)
		return flags;
	fd = omega_raw(SYS_openat, AT_FDCWD, ARG(name),
	    (flags & KEPT_FLAGS) | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC, 0, 0);
	/* Who has neither the file nor a right to it can change nothing. */
	if (fd == -EACCES &&
	    st->stx_uid != (uint32_t)omega_raw(SYS_geteuid, 0, 0, 0, 0, 0))
		return old;
	if (fd < 0)
		return fd;
	if (!is_same(fd, st))
		return -ESTALE;
	if (at > 0)
		omega_raw(SYS_lseek, fd, at, 0, 0, 0); /* SEEK_SET */
	return fd;
}

OMEGA_PLAIN static long
refuse(uint32_t *refusal, uint32_t kind)
{
	*refusal = kind;
	return -EROFS;
}

/* The descriptor to use: the old one or a new one, or a negative errno. */
OMEGA_PLAIN static long
renew(
    const struct omega_inner *inner, int fd, bool was_named, uint32_t *refusal)
{
	char name[PATH_MAX];
	struct statx st;
	bool is_kept;
	bool is_here;
	long ret;

	ret = look_at(fd, &st);
	if (ret < 0)
		return ret;
	if (!S_ISREG(st.stx_mode) && !S_ISCHR(st.stx_mode) &&
	    !S_ISBLK(st.stx_mode))
		return fd;
	if (is_read_only(fd) || !find_name(fd, name, sizeof(name)))
		return fd;
	if (S_ISREG(st.stx_mode) && may_write(fd) &&
	    omega_inner_covers(inner->closed, inner->closed_count, name))
		return refuse(refusal, OMEGA_INNER_FD_IS_KEPT);
	is_here = leads_to(name, &st, &is_kept);
	if (is_kept) {
		ret = open_again(fd, name, &st);
		return ret == -EROFS ? refuse(refusal, OMEGA_INNER_FD_IS_KEPT)
				     : ret;
	}
	if (!is_here && (was_named || omega_inner_covers(inner->hidden,
					  inner->hidden_count, name)))
		return refuse(refusal, OMEGA_INNER_FD_IS_HIDDEN);
	return fd;
}

/* Where nothing is hidden there is nothing to find out. */
OMEGA_PLAIN uint64_t
omega_inner_look(const struct omega_inner *inner)
{
	char name[PATH_MAX];
	uint64_t named = 0;
	struct statx st;
	bool is_kept;
	size_t i;

	for (i = 0; inner->hidden_count > 0 && i < inner->fd_count && i < 64;
	     i++) {
		const int fd = inner->fds[i].from;

		if (inner->fds[i].is_renewed && look_at(fd, &st) == 0 &&
		    S_ISREG(st.stx_mode) && find_name(fd, name, sizeof(name)) &&
		    leads_to(name, &st, &is_kept))
			named |= UINT64_C(1) << i;
	}
	return named;
}

OMEGA_PLAIN int
omega_inner_renew(
    const struct omega_inner *inner, uint64_t named, size_t *index)
{
	const struct omega_inner_fd *fd;
	uint32_t refusal = 0;
	size_t i;
	long ret;

	for (i = 0; i < inner->fd_count; i++) {
		fd = &inner->fds[i];
		*index = i;
		if (!fd->is_renewed)
			continue;
		ret = renew(inner, fd->from,
		    i < 64 && (named & UINT64_C(1) << i) != 0, &refusal);
		if (ret < 0)
			return refusal != 0 ? (int)refusal : (int)ret;
		if (ret == fd->from)
			continue;
		/* The table is the child's own. */
		ret = omega_raw(SYS_dup3, ret, fd->from,
		    fd->is_in_place ? 0 : O_CLOEXEC, 0, 0);
		if (ret < 0)
			return (int)ret;
	}
	return 0;
}
