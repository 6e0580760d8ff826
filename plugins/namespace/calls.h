/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * calls.h - the mount calls of Linux 5.12 and later, with our own numbers:
 * distribution headers lack some, and <linux/mount.h> and <sys/mount.h>
 * cannot both be included with glibc 2.36.
 */

#ifndef NAMESPACE_CALLS_H
#define NAMESPACE_CALLS_H

#include <sys/syscall.h>
#include <stdint.h>
#include <unistd.h>

#ifndef SYS_open_tree
#define SYS_open_tree 428
#endif
#ifndef SYS_move_mount
#define SYS_move_mount 429
#endif
#ifndef SYS_fsopen
#define SYS_fsopen 430
#endif
#ifndef SYS_fsconfig
#define SYS_fsconfig 431
#endif
#ifndef SYS_fsmount
#define SYS_fsmount 432
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif

#define CALLS_CLONE 0x1u /* OPEN_TREE_CLONE */
#define CALLS_CLOEXEC 02000000u /* OPEN_TREE_CLOEXEC */
#define CALLS_RECURSIVE 0x8000u /* AT_RECURSIVE */
#define CALLS_EMPTY_PATH 0x1000u /* AT_EMPTY_PATH */
#define CALLS_NOFOLLOW 0x100u /* AT_SYMLINK_NOFOLLOW */
#define CALLS_FROM_EMPTY 0x4u /* MOVE_MOUNT_F_EMPTY_PATH */
#define CALLS_TO_EMPTY 0x40u /* MOVE_MOUNT_T_EMPTY_PATH */
#define CALLS_FSOPEN_CLOEXEC 0x1u
#define CALLS_FSMOUNT_CLOEXEC 0x1u
#define CALLS_CONFIG_STRING 1u
#define CALLS_CONFIG_CREATE 6u
#define CALLS_NO_SYMLINKS 0x04u /* RESOLVE_NO_SYMLINKS */

#define CALLS_READ_ONLY 0x1u /* MOUNT_ATTR_* */
#define CALLS_NOSUID 0x2u
#define CALLS_NODEV 0x4u
#define CALLS_NOEXEC 0x8u

#define CALLS_PRIVATE (1u << 18) /* MS_PRIVATE */
#define CALLS_SLAVE (1u << 19) /* MS_SLAVE */

struct calls_attr {
	uint64_t set;
	uint64_t clear;
	uint64_t propagation;
	uint64_t user_fd;
};

/* Each returns what the system call does: -1 and errno on failure. */

static inline int
calls_open_tree(int dir, const char *path, unsigned flags)
{
	return (int)syscall(SYS_open_tree, dir, path, flags);
}

static inline int
calls_move_mount(
    int from_dir, const char *from, int to_dir, const char *to, unsigned flags)
{
	return (int)syscall(SYS_move_mount, from_dir, from, to_dir, to, flags);
}

static inline int
calls_setattr(
    int dir, const char *path, unsigned flags, const struct calls_attr *attr)
{
	return (int)syscall(
	    SYS_mount_setattr, dir, path, flags, attr, sizeof(*attr));
}

static inline int
calls_fsconfig(int fd, unsigned command, const char *key, const char *value)
{
	return (int)syscall(SYS_fsconfig, fd, command, key, value, 0);
}

#endif
