/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * tricks.c - attempts to peel a mask off. Each does what it can and then
 * reads the secret: that is what counts.
 */

#include "attempts.h"

#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TRICK(name) static int name(const char *dir, const char *arg)

static int
secret_in(const char *dir)
{
	char path[2 * PATH_MAX];

	snprintf(path, sizeof(path), "%s/data/memory.db", dir);
	return attempts_read_secret(path);
}

static int
result(long ret)
{
	return ret < 0 ? (errno == 0 ? EIO : errno) : 0;
}

static void
put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd >= 0) {
		if (write(fd, text, strlen(text)) < 0)
			errno = 0;
		close(fd);
	}
}

/* Become root of namespaces of our own, as far as that is possible. */
static void
nest(void)
{
	unsigned uid = geteuid();
	unsigned gid = getegid();
	char map[64];

	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
		return;
	put("/proc/self/setgroups", "deny");
	snprintf(map, sizeof(map), "0 %u 1", uid);
	put("/proc/self/uid_map", map);
	snprintf(map, sizeof(map), "0 %u 1", gid);
	put("/proc/self/gid_map", map);
}

static void
peel(const char *dir)
{
	char path[2 * PATH_MAX];
	int i;

	snprintf(path, sizeof(path), "%s/data", dir);
	for (i = 0; i < 3; i++) {
		umount2(path, 0);
		umount2(path, MNT_DETACH);
		umount2(dir, MNT_DETACH);
	}
	mount(NULL, path, NULL, MS_REMOUNT | MS_BIND, NULL);
	chmod(path, 0777);
}

TRICK(umount_mask)
{
	(void)arg;
	peel(dir);
	return secret_in(dir);
}

TRICK(umount_nested)
{
	(void)arg;
	nest();
	peel(dir);
	return secret_in(dir);
}

/* Show the directory elsewhere, without what is mounted in it. */
static int
bind_elsewhere(const char *dir, unsigned long flags)
{
	mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
	mount(dir, "/mnt", NULL, MS_BIND | flags, NULL);
	return secret_in("/mnt") == 0 ? 0 : secret_in(dir);
}

TRICK(bind_nested)
{
	(void)arg;
	nest();
	return bind_elsewhere(dir, 0);
}

TRICK(bind_recursive_nested)
{
	(void)arg;
	nest();
	bind_elsewhere(dir, MS_REC);
	peel("/mnt");
	return secret_in("/mnt") == 0 ? 0 : secret_in(dir);
}

TRICK(open_tree_nested)
{
	int tree;
	int fd;

	(void)arg;
	nest();
	tree = (int)syscall(428, AT_FDCWD, dir, 1); /* OPEN_TREE_CLONE */
	fd = openat(tree, "data/memory.db", O_RDONLY);
	if (fd >= 0)
		return 0;
	/* Move the mask itself away. */
	tree = (int)syscall(428, AT_FDCWD, dir, 0);
	syscall(429, tree, "", AT_FDCWD, "/mnt", 4);
	return secret_in(dir);
}

TRICK(overlay_nested)
{
	char options[3 * PATH_MAX];
	char work[PATH_MAX + 16];

	(void)arg;
	nest();
	snprintf(work, sizeof(work), "%s/workspace", dir);
	mount("t", "/mnt", "tmpfs", 0, NULL);
	mkdir("/mnt/u", 0700);
	mkdir("/mnt/w", 0700);
	mkdir("/mnt/m", 0700);
	snprintf(options, sizeof(options),
	    "lowerdir=%s,upperdir=/mnt/u,workdir=/mnt/w", dir);
	mount("o", "/mnt/m", "overlay", 0, options);
	return secret_in("/mnt/m") == 0 ? 0 : secret_in(dir);
}

TRICK(pivot)
{
	char path[PATH_MAX];
	char old[PATH_MAX + 8];

	(void)arg;
	nest();
	snprintf(path, sizeof(path), "%s/workspace", dir);
	snprintf(old, sizeof(old), "%s/old", path);
	mkdir(old, 0700);
	mount(path, path, NULL, MS_BIND, NULL);
	if (syscall(SYS_pivot_root, path, old) != 0)
		return secret_in(dir);
	snprintf(old, sizeof(old), "/old%.*s", PATH_MAX - 8, dir);
	peel(old);
	return secret_in(old);
}

TRICK(chroot_out)
{
	char path[2 * PATH_MAX];

	(void)arg;
	nest();
	snprintf(path, sizeof(path), "%s/workspace", dir);
	if (chroot(path) == 0) {
		int i;

		for (i = 0; i < 64; i++)
			if (chdir("..") != 0)
				break;
		if (chroot(".") != 0)
			return errno;
	}
	return secret_in(dir);
}

TRICK(join_outside)
{
	char path[64];
	int fd;

	snprintf(
	    path, sizeof(path), "/proc/%ld/ns/user", strtol(arg, NULL, 10));
	fd = open(path, O_RDONLY);
	setns(fd, 0);
	snprintf(path, sizeof(path), "/proc/%ld/ns/mnt", strtol(arg, NULL, 10));
	fd = open(path, O_RDONLY);
	setns(fd, 0);
	return secret_in(dir);
}

TRICK(join_init)
{
	(void)arg;
	return join_outside(dir, "1");
}

/*
 * A place something is mounted on cannot be renamed, in this namespace. So
 * leave the mounts behind and keep a descriptor.
 */
TRICK(rename_behind)
{
	char home[PATH_MAX];
	char other[PATH_MAX];
	char *name;
	int fd;

	(void)arg;
	snprintf(home, sizeof(home), "%s", dir);
	name = strrchr(home, '/');
	*name++ = '\0';
	nest();
	fd = open(home, O_RDONLY | O_DIRECTORY);
	mount("t", "/mnt", "tmpfs", 0, NULL);
	mkdir("/mnt/old", 0700);
	if (syscall(SYS_pivot_root, "/mnt", "/mnt/old") == 0)
		umount2("/old", MNT_DETACH);
	snprintf(other, sizeof(other), "%.200s-moved", name);
	return result(renameat(fd, name, fd, other));
}

/* By the handle of the file; arg behind a comma is type and bytes. */
TRICK(by_handle)
{
	union {
		struct file_handle head;
		char space[sizeof(struct file_handle) + MAX_HANDLE_SZ];
	} handle;
	const char *at = strchr(arg, ',');
	char text[64] = "";
	unsigned i;
	int mount_fd = open(dir, O_RDONLY | O_DIRECTORY);
	int fd;

	if (at == NULL || sscanf(at, ",%d,%u", &handle.head.handle_type,
			      &handle.head.handle_bytes) != 2)
		return EINVAL;
	at = strrchr(arg, ',') + 1;
	for (i = 0; i < handle.head.handle_bytes; i++) {
		unsigned byte;

		sscanf(at + 2 * i, "%2x", &byte);
		handle.head.f_handle[i] = (unsigned char)byte;
	}
	fd = open_by_handle_at(mount_fd, &handle.head, O_RDONLY);
	if (fd < 0)
		return errno;
	return read(fd, text, sizeof(text) - 1) > 0 ? 0 : EIO;
}

#define BOTH ATTEMPTS_ATTACK, 0
#define ROOT ATTEMPTS_ATTACK, 1
const struct attempt attempts_on_mounts[] = {
    {"umount", BOTH, umount_mask},
    {"umount in a nested namespace", BOTH, umount_nested},
    {"bind in a nested namespace", BOTH, bind_nested},
    {"recursive bind in a nested one", BOTH, bind_recursive_nested},
    {"open_tree in a nested one", BOTH, open_tree_nested},
    {"overlay in a nested one", BOTH, overlay_nested},
    {"pivot_root", BOTH, pivot},
    {"chroot", BOTH, chroot_out},
    {"rename behind the mounts", BOTH, rename_behind},
    {"setns to a process outside", BOTH, join_outside},
    {"setns to init", BOTH, join_init},
    {"open_by_handle_at", ROOT, by_handle},
    {NULL, BOTH, NULL},
};
