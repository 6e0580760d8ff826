/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * inner-linux.c - see inner.h.
 *
 * As in inner.c, no function of a library is called here.
 */

#include "config.h"

#include "child/inner.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

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
	long at = S_ISREG(st->stx_mode)
		      ? omega_raw(SYS_lseek, old, 0, 1, 0, 0) /* SEEK_CUR */
		      : 0;
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

/* The null device, which many have at 0, as it is inside; or a negative errno.
 * Where it is needs no finding out. */
OMEGA_PLAIN static long
open_null(int old, const struct statx *st)
{
	if (!S_ISCHR(st->stx_mode) || st->stx_rdev_major != 1 ||
	    st->stx_rdev_minor != 3)
		return -ENODEV;
	return open_again(old, "/dev/null", st);
}

OMEGA_PLAIN static long
refuse(uint32_t *refusal, uint32_t kind)
{
	*refusal = kind;
	return -EROFS;
}

/*
 * Could one who has this descriptor change the file by opening it again, or by
 * its modes? It stays on the mount of the host.
 */
OMEGA_PLAIN static bool
is_loose(
    const struct omega_inner *inner, const char *name, const struct statx *st)
{
	bool is_kept;

	if (!leads_to(name, st, &is_kept))
		return false;
	if (omega_inner_covers(inner->hidden, inner->hidden_count, name))
		return true;
	return S_ISREG(st->stx_mode) &&
	       (inner->is_listed || omega_inner_covers(inner->closed,
					inner->closed_count, name)) &&
	       (st->stx_uid ==
		       (uint32_t)omega_raw(SYS_geteuid, 0, 0, 0, 0, 0) ||
		   omega_raw(SYS_faccessat, AT_FDCWD, ARG(name), W_OK, 0, 0) ==
		       0);
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
	ret = inner->is_made_later ? -ENODEV : open_null(fd, &st);
	if (ret >= 0)
		return ret;
	if (is_read_only(fd) || !find_name(fd, name, sizeof(name)))
		return fd;
	if (S_ISREG(st.stx_mode) && may_write(fd) &&
	    omega_inner_covers(inner->closed, inner->closed_count, name))
		return refuse(refusal, OMEGA_INNER_FD_IS_KEPT);
	if (inner->is_made_later)
		return is_loose(inner, name, &st)
			   ? refuse(refusal, OMEGA_INNER_FD_IS_HIDDEN)
			   : fd;
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

/* ---- Told, and not refused ---------------------------------------------- */

/* Distribution headers are older than the kernels they run on. */
#define NEW_LISTENER (1UL << 3)
#define WAIT_KILLABLE (1UL << 5)
#define RET_USER_NOTIF 0x7fc00000U
#define NR_OPENAT2 437
#define NR_FACCESSAT2 439
#define NR_FCHMODAT2 452

#if defined(__x86_64__)
#define OWN_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCH AUDIT_ARCH_AARCH64
#else
#define OWN_ARCH 0 /* nothing is told */
#endif

#define LOAD(field) \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define SKIP_UNLESS(value, count) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, count)
#define TELL BPF_STMT(BPF_RET | BPF_K, RET_USER_NOTIF)
#define PASS BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define TOLD(number) SKIP_UNLESS(number, 1), TELL
#define ARGUMENT(index)                    \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, \
	    offsetof(struct seccomp_data, args) + (index)*8)
/* Unless the argument has this bit. */
#define TOLD_WITHOUT(number, index, bit)         \
	SKIP_UNLESS(number, 4), ARGUMENT(index), \
	    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bit, 0, 1), PASS, TELL

/* The calls of another architecture pass untold. */
static const struct sock_filter told[] = {
    LOAD(arch),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCH, 1, 0),
    PASS,
    LOAD(nr),
    TOLD(SYS_openat),
    TOLD(SYS_execve),
    TOLD(SYS_execveat),
    TOLD(NR_OPENAT2),
    TOLD(SYS_unlinkat),
    TOLD(SYS_mkdirat),
    TOLD(SYS_mknodat),
#ifdef SYS_renameat
    TOLD(SYS_renameat),
#endif
    TOLD(SYS_renameat2),
    TOLD(SYS_linkat),
    TOLD(SYS_symlinkat),
    TOLD(SYS_truncate),
    TOLD(SYS_chdir),
    TOLD(SYS_fchmodat),
    TOLD(NR_FCHMODAT2),
    TOLD(SYS_fchownat),
    TOLD(SYS_utimensat),
    TOLD(SYS_setxattr),
    TOLD(SYS_lsetxattr),
    TOLD(SYS_removexattr),
    TOLD(SYS_lremovexattr),
    TOLD(SYS_connect),
    TOLD_WITHOUT(SYS_newfstatat, 3, AT_EMPTY_PATH),
    TOLD_WITHOUT(SYS_statx, 2, AT_EMPTY_PATH),
    TOLD(SYS_faccessat),
    TOLD(NR_FACCESSAT2),
    TOLD(SYS_readlinkat),
#ifdef SYS_open
    TOLD(SYS_open),
    TOLD(SYS_creat),
    TOLD(SYS_unlink),
    TOLD(SYS_rmdir),
    TOLD(SYS_mkdir),
    TOLD(SYS_mknod),
    TOLD(SYS_rename),
    TOLD(SYS_link),
    TOLD(SYS_symlink),
    TOLD(SYS_chmod),
    TOLD(SYS_chown),
    TOLD(SYS_lchown),
    TOLD(SYS_utime),
    TOLD(SYS_utimes),
    TOLD(SYS_futimesat),
    TOLD(SYS_stat),
    TOLD(SYS_lstat),
    TOLD(SYS_access),
    TOLD(SYS_readlink),
#endif
    /* With an address. */
    SKIP_UNLESS(SYS_sendto, 2),
    ARGUMENT(4),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1),
    PASS,
    TELL,
};

OMEGA_PLAIN static long
send_listener(int socket, long listener)
{
	char byte = 0;
	struct iovec part;
	struct msghdr message;
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int))];
	} control;

	part.iov_base = &byte;
	part.iov_len = 1;
	control.head.cmsg_len = CMSG_LEN(sizeof(int));
	control.head.cmsg_level = SOL_SOCKET;
	control.head.cmsg_type = SCM_RIGHTS;
	*(int *)(void *)CMSG_DATA(&control.head) = (int)listener;
	message.msg_name = NULL;
	message.msg_namelen = 0;
	message.msg_iov = &part;
	message.msg_iovlen = 1;
	message.msg_control = &control;
	message.msg_controllen = CMSG_LEN(sizeof(int));
	message.msg_flags = 0;
	return omega_raw(
	    SYS_sendmsg, socket, ARG(&message), MSG_NOSIGNAL, 0, 0);
}

OMEGA_PLAIN int
omega_inner_watch(int socket)
{
	struct sock_fprog program;
	long ret;

	program.len = sizeof(told) / sizeof(told[0]);
	program.filter = (struct sock_filter *)(uintptr_t)told;
	ret = omega_raw(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
	    (long)(NEW_LISTENER | WAIT_KILLABLE), ARG(&program), 0, 0);
	if (ret == -EINVAL) /* before Linux 5.19 */
		ret = omega_raw(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
		    NEW_LISTENER, ARG(&program), 0, 0);
	if (ret >= 0)
		ret = send_listener(socket, ret);
	return ret < 0 ? (int)ret : 0;
}
