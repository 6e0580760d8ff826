/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * witness.c - the child's part: see witness.h.
 *
 * Between clone and exec: no function of a library is called here, which a
 * test looks at the object file for. The parent's part is in
 * witness-parent.c.
 */

#include "config.h"

#include "run/witness.h"

#include <sys/stat.h>
#include <fcntl.h>
#include <limits.h>

#include "run/raw.h"

#define ARG(pointer) ((long)(pointer))

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif
#ifndef SYS_faccessat2
#define SYS_faccessat2 439
#endif

/* Nothing waits, becomes our terminal, or outlives exec. */
#define OPEN_FLAGS (O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

struct entry { /* of getdents64(2) */
	uint64_t inode;
	int64_t offset;
	unsigned short size;
	unsigned char type;
	char name[];
};

OMEGA_PLAIN static long
open_path(const struct omega_witness_try *try, long flags)
{
	return omega_raw(
	    SYS_openat, AT_FDCWD, ARG(try->path), flags | OPEN_FLAGS, 0600, 0);
}

OMEGA_PLAIN static void
close_it(long fd)
{
	omega_raw(SYS_close, fd, 0, 0, 0, 0);
}

/* Errors that say nothing about what is allowed. */
OMEGA_PLAIN static bool
is_untried(long error)
{
	return error == -EMFILE || error == -ENFILE || error == -ENOMEM ||
	       error == -EINTR;
}

OMEGA_PLAIN static uint32_t
not_possible(long ret, int32_t *error)
{
	if (!is_untried(ret))
		return OMEGA_WITNESS_HELD;
	*error = (int32_t)-ret;
	return OMEGA_WITNESS_UNTRIED;
}

OMEGA_PLAIN static long
look(long fd, const char *path, struct statx *st)
{
	return omega_raw(SYS_statx, fd, ARG(path),
	    AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT,
	    STATX_BASIC_STATS | STATX_BTIME, ARG(st));
}

OMEGA_PLAIN static bool
is_on_device(const struct omega_witness_try *try, const struct statx *st)
{
	return st->stx_dev_major == try->object.major &&
	       st->stx_dev_minor == try->object.minor;
}

/* Numbers are used again by file systems; times of birth are not. */
OMEGA_PLAIN static bool
is_itself(const struct omega_witness_try *try, const struct statx *st)
{
	if (try->object.inode == 0 || st->stx_ino != try->object.inode ||
	    !is_on_device(try, st))
		return false;
	return try->object.birth == 0 || (st->stx_mask & STATX_BTIME) == 0 ||
	       (st->stx_btime.tv_sec == try->object.birth &&
		   st->stx_btime.tv_nsec == try->object.birth_nsec);
}

OMEGA_PLAIN static bool
is_dot(const char *name)
{
	return name[0] == '.' &&
	       (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

/* Any name but the two every directory has? */
OMEGA_PLAIN static bool
has_names(long fd)
{
	_Alignas(struct entry) char buffer[512];
	const struct entry *entry;
	long len;
	long at;

	len = omega_raw(SYS_getdents64, fd, ARG(buffer), sizeof(buffer), 0, 0);
	for (at = 0; at < len; at += entry->size) {
		entry = (const struct entry *)(const void *)(buffer + at);
		if (!is_dot(entry->name))
			return true;
	}
	return false;
}

OMEGA_PLAIN static uint32_t
try_read(const struct omega_witness_try *try, int32_t *error)
{
	uint32_t finding = OMEGA_WITNESS_HELD;
	struct statx st;
	char byte;
	long fd;
	long ret;

	fd = open_path(try, O_RDONLY);
	if (fd < 0)
		return not_possible(fd, error);
	ret = look(fd, "", &st);
	if (ret < 0) {
		*error = (int32_t)-ret;
		finding = OMEGA_WITNESS_UNTRIED;
	} else if (is_itself(try, &st)) {
		finding = OMEGA_WITNESS_ITSELF;
	} else if (S_ISDIR(st.stx_mode)) {
		if (has_names(fd))
			finding = OMEGA_WITNESS_NAMES;
	} else if (S_ISREG(st.stx_mode)) {
		if (omega_raw(SYS_read, fd, ARG(&byte), 1, 0, 0) > 0)
			finding = OMEGA_WITNESS_CONTENT;
	}
	close_it(fd);
	return finding;
}

OMEGA_PLAIN static uint32_t
try_write(const struct omega_witness_try *try, int32_t *error)
{
	uint32_t finding = OMEGA_WITNESS_HELD;
	struct statx st;
	long fd;
	long ret;

	fd = open_path(try, O_WRONLY);
	if (fd < 0)
		return not_possible(fd, error);
	ret = look(fd, "", &st);
	if (try->is_any) {
		finding = OMEGA_WITNESS_DONE;
	} else if (ret < 0) {
		*error = (int32_t)-ret;
		finding = OMEGA_WITNESS_UNTRIED;
	} else if (is_itself(try, &st)) {
		finding = OMEGA_WITNESS_ITSELF;
	} else if (S_ISREG(st.stx_mode) && st.stx_size > 0 &&
		   is_on_device(try, &st)) {
		finding = OMEGA_WITNESS_CONTENT;
	}
	close_it(fd);
	return finding;
}

/* On another device it is not the host's directory that was written to. The
 * directory is asked, since overlays give files another device. */
OMEGA_PLAIN static uint32_t
try_create(const struct omega_witness_try *try, int32_t *error)
{
	uint32_t finding = OMEGA_WITNESS_HELD;
	struct statx st;
	long fd;
	long ret;

	fd = open_path(try, O_TMPFILE | O_WRONLY);
	if (fd < 0)
		return not_possible(fd, error);
	ret = look(AT_FDCWD, try->path, &st);
	if (ret < 0) {
		*error = (int32_t)-ret;
		finding = OMEGA_WITNESS_UNTRIED;
	} else if (is_on_device(try, &st)) {
		finding = OMEGA_WITNESS_DONE;
	}
	close_it(fd);
	return finding;
}

/*
 * A directory, because removing one never removes what somebody else has put
 * there meanwhile. On another device than the host's parent directory it is
 * not on the host.
 */
OMEGA_PLAIN static uint32_t
try_make(const struct omega_witness_try *try, int32_t *error)
{
	uint32_t finding = OMEGA_WITNESS_DONE;
	struct statx st;
	long ret;

	ret = omega_raw(SYS_mkdirat, AT_FDCWD, ARG(try->path), 0700, 0, 0);
	if (ret < 0)
		return not_possible(ret, error);
	if (look(AT_FDCWD, try->path, &st) == 0 && !is_on_device(try, &st))
		finding = OMEGA_WITNESS_HELD;
	omega_raw(SYS_unlinkat, AT_FDCWD, ARG(try->path), AT_REMOVEDIR, 0, 0);
	return finding;
}

/* "There is no such attribute" comes after "you may not". */
OMEGA_PLAIN static uint32_t
try_change(const struct omega_witness_try *try)
{
	struct statx st;

	if (omega_raw(SYS_lremovexattr, ARG(try->path),
		ARG("user.omega-sandbox.witness"), 0, 0, 0) != -ENODATA)
		return OMEGA_WITNESS_HELD;
	if (look(AT_FDCWD, try->path, &st) < 0 || !is_itself(try, &st))
		return OMEGA_WITNESS_HELD;
	return OMEGA_WITNESS_ITSELF;
}

/* The parent is outside, whoever it is; 0: not to be seen from here. */
OMEGA_PLAIN static long
get_parent(void)
{
	return omega_raw(SYS_getppid, 0, 0, 0, 0, 0);
}

OMEGA_PLAIN static uint32_t
try_signal(void)
{
	long parent = get_parent();

	if (parent > 0 && omega_raw(SYS_kill, parent, 0, 0, 0, 0) == 0)
		return OMEGA_WITNESS_DONE;
	return OMEGA_WITNESS_HELD;
}

/*
 * Who may attach to a process may take its descriptors; that there is none of
 * this number is said only then. Its memory in /proc would not do: a child
 * that shares memory with its parent is never asked for the right to it.
 */
OMEGA_PLAIN static uint32_t
try_trace(int32_t *error)
{
	long parent = get_parent();
	long pidfd;
	long ret;

	if (parent <= 0)
		return OMEGA_WITNESS_HELD;
	pidfd = omega_raw(SYS_pidfd_open, parent, 0, 0, 0, 0);
	if (pidfd < 0)
		return not_possible(pidfd, error);
	ret = omega_raw(SYS_pidfd_getfd, pidfd, INT_MAX, 0, 0, 0);
	close_it(pidfd);
	return ret == -EBADF ? OMEGA_WITNESS_DONE : OMEGA_WITNESS_HELD;
}

OMEGA_PLAIN static uint32_t
try_allowed(const struct omega_witness_try *try, long flags, int32_t *error)
{
	long fd = open_path(try, flags);

	if (fd >= 0) {
		close_it(fd);
		return OMEGA_WITNESS_HELD;
	}
	*error = (int32_t)-fd;
	return is_untried(fd) ? OMEGA_WITNESS_UNTRIED : OMEGA_WITNESS_BROKEN;
}

/*
 * Making a file, even one without a name, costs as much as all the rest; so
 * only the first start does, and the others ask.
 */
OMEGA_PLAIN static uint32_t
try_can_create(const struct omega_witness_try *try, size_t turn, int32_t *error)
{
	long ret;

	if (turn == 0)
		return try_allowed(try, O_TMPFILE | O_WRONLY, error);
	ret = omega_raw(SYS_faccessat2, AT_FDCWD, ARG(try->path), W_OK | X_OK,
	    AT_EACCESS, 0);
	/* Kernels and filters that do not know the call say these. */
	if (ret == 0 || ret == -ENOSYS || ret == -EPERM)
		return OMEGA_WITNESS_HELD;
	*error = (int32_t)-ret;
	return is_untried(ret) ? OMEGA_WITNESS_UNTRIED : OMEGA_WITNESS_BROKEN;
}

OMEGA_PLAIN static uint32_t
try_one(const struct omega_witness_try *try, size_t turn, int32_t *error)
{
	/* No switch: its table would be a relocation to write to. */
	if (try->how == OMEGA_WITNESS_READ)
		return try_read(try, error);
	if (try->how == OMEGA_WITNESS_WRITE)
		return try_write(try, error);
	if (try->how == OMEGA_WITNESS_CREATE)
		return try_create(try, error);
	if (try->how == OMEGA_WITNESS_MAKE)
		return try_make(try, error);
	if (try->how == OMEGA_WITNESS_CHANGE)
		return try_change(try);
	if (try->how == OMEGA_WITNESS_SIGNAL)
		return try_signal();
	if (try->how == OMEGA_WITNESS_TRACE)
		return try_trace(error);
	if (try->how == OMEGA_WITNESS_CAN_LIST)
		return try_allowed(try, O_RDONLY | O_DIRECTORY, error);
	if (try->how == OMEGA_WITNESS_CAN_WRITE)
		return try_allowed(try, O_WRONLY, error);
	if (try->how == OMEGA_WITNESS_CAN_CREATE)
		return try_can_create(try, turn, error);
	*error = EINVAL;
	return OMEGA_WITNESS_UNTRIED;
}

OMEGA_PLAIN static bool
is_wrong(const struct omega_witness *witness, size_t turn, size_t i,
    struct omega_witness_found *found)
{
	found->index = (uint32_t)i;
	found->error = 0;
	found->finding = try_one(&witness->tries[i], turn, &found->error);
	return found->finding != OMEGA_WITNESS_HELD;
}

OMEGA_PLAIN void
omega_witness_run(const struct omega_witness *witness, size_t turn,
    struct omega_witness_found *found)
{
	size_t listed = witness->count - witness->fixed;
	size_t stride =
	    (listed + OMEGA_WITNESS_LISTED - 1) / OMEGA_WITNESS_LISTED;
	size_t i;

	found->finding = OMEGA_WITNESS_HELD;
	for (i = 0; i < witness->fixed; i++)
		if (is_wrong(witness, turn, i, found))
			return;
	if (listed == 0)
		return;
	for (i = witness->fixed + turn % stride; i < witness->count;
	     i += stride)
		if (is_wrong(witness, turn, i, found))
			return;
}
