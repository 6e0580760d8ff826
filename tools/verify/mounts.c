/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * mounts.c - ways to peel off what is mounted in front of a protected place,
 * or to walk around it. Each does what it can and then looks for the secret.
 *
 * Nothing is mounted but in a mount namespace of the attempt's own, so that
 * the host keeps its mounts whatever the sandbox lets through.
 */

#include "config.h"

#include "attempt.h"

#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <omega/sandbox.h>

#ifndef SYS_open_tree
#define SYS_open_tree 428
#define SYS_move_mount 429
#endif
#define CLONE_TREE 1 /* OPEN_TREE_CLONE */
#define CLONE_ALL 0x8000 /* AT_RECURSIVE */
#define FROM_EMPTY 4 /* MOVE_MOUNT_F_EMPTY_PATH */

static void
put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, text, strlen(text)) < 0)
		errno = 0;
	close(fd);
}

/* Is this the sandbox's own namespace, so that the host keeps its mounts? */
static bool
is_apart(const struct attempt_input *in)
{
	char name[64] = "";

	return in->host_mounts[0] != '\0' &&
	       readlink("/proc/self/ns/mnt", name, sizeof(name) - 1) > 0 &&
	       strcmp(name, in->host_mounts) != 0;
}

/* A mount namespace that is not the host's: a new one, or the sandbox's. 0,
 * or an errno: then nothing is mounted. */
static int
enter(const struct attempt_input *in)
{
	int error;

	unsigned uid = geteuid();
	unsigned gid = getegid();
	char map[64];

	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0) {
		put("/proc/self/setgroups", "deny");
		snprintf(map, sizeof(map), "0 %u 1", uid);
		put("/proc/self/uid_map", map);
		snprintf(map, sizeof(map), "0 %u 1", gid);
		put("/proc/self/gid_map", map);
	} else if (unshare(CLONE_NEWNS) != 0) {
		error = errno;
		if (!is_apart(in))
			return error;
	}
	mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
	return 0;
}

/* Take away whatever is mounted in the scene. */
static void
peel(const struct attempt_input *in)
{
	const char *paths[] = {in->file, in->target, in->data_dir, in->home};
	size_t i;
	int round;

	for (round = 0; round < 2; round++)
		for (i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
			umount2(paths[i], 0);
			umount2(paths[i], MNT_DETACH);
		}
	mount(NULL, in->target, NULL, MS_REMOUNT | MS_BIND, NULL);
	chmod(in->target, 0777);
}

/* in->file as seen below other instead of below in->data_dir. */
static int
read_below(const struct attempt_input *in, const char *other)
{
	size_t len = strlen(in->data_dir);

	if (strncmp(in->file, in->data_dir, len) != 0)
		return EXDEV;
	return attempt_read_token(in, ATTEMPT_JOIN(other, in->file + len + 1));
}

ATTEMPT(unmount)
{
	peel(in);
	return attempt_read_token(in, in->file);
}

ATTEMPT(unmount_nested)
{
	int error = enter(in);

	peel(in);
	return attempt_read_token(in, in->file) == 0 ? 0
	       : error != 0			     ? error
						     : ENODATA;
}

ATTEMPT(bind_nested)
{
	char mnt[PATH_MAX + 8];
	int error = enter(in);

	snprintf(mnt, sizeof(mnt), "%s/mnt", in->free);
	if (error != 0)
		return error;
	if (mount(in->data_dir, mnt, NULL, MS_BIND, NULL) != 0)
		return errno;
	return read_below(in, mnt);
}

ATTEMPT(bind_all_nested)
{
	struct attempt_input at = *in;
	int error = enter(in);

	if (error != 0)
		return error;
	snprintf(at.home, sizeof(at.home), "%.4000s/mnt", in->free);
	if (mount(in->data_dir, at.home, NULL, MS_BIND | MS_REC, NULL) != 0)
		return errno;
	umount2(ATTEMPT_JOIN(at.home, "data"), MNT_DETACH);
	umount2(ATTEMPT_JOIN(at.home, "config.toml"), MNT_DETACH);
	return read_below(in, at.home);
}

ATTEMPT(tree_nested)
{
	int error = enter(in);
	int tree;

	if (error != 0)
		return error;
	tree = (int)syscall(SYS_open_tree, AT_FDCWD, in->data_dir, CLONE_TREE);
	if (tree < 0)
		return errno;
	if (strncmp(in->file, in->data_dir, strlen(in->data_dir)) != 0)
		return EXDEV;
	return attempt_read_token_fd(
	    in, openat(tree, in->file + strlen(in->data_dir) + 1, O_RDONLY));
}

/* Move the mask itself away. */
ATTEMPT(move_mask)
{
	int error = enter(in);
	int tree;

	tree = (int)syscall(SYS_open_tree, AT_FDCWD, in->target, 0);
	syscall(SYS_move_mount, tree, "", AT_FDCWD,
	    ATTEMPT_JOIN(in->free, "mnt"), FROM_EMPTY);
	return attempt_read_token(in, in->file) == 0 ? 0
	       : error != 0			     ? error
						     : ENODATA;
}

ATTEMPT(overlay_nested)
{
	char options[3 * PATH_MAX];
	char mnt[PATH_MAX + 8];
	int error = enter(in);

	if (error != 0)
		return error;
	snprintf(mnt, sizeof(mnt), "%s/mnt", in->free);
	if (mount("none", mnt, "tmpfs", 0, NULL) != 0)
		return errno;
	mkdir(ATTEMPT_JOIN(mnt, "u"), 0700);
	mkdir(ATTEMPT_JOIN(mnt, "w"), 0700);
	mkdir(ATTEMPT_JOIN(mnt, "m"), 0700);
	snprintf(options, sizeof(options),
	    "lowerdir=%.4000s,upperdir=%.4000s/u,workdir=%.4000s/w",
	    in->data_dir, mnt, mnt);
	if (mount("none", ATTEMPT_JOIN(mnt, "m"), "overlay", 0, options) != 0)
		return errno;
	return read_below(in, ATTEMPT_JOIN(mnt, "m"));
}

/*
 * Make a directory of the command the root, with the old one in it at /old.
 * It is there before: who has no id in the new namespace can make nothing.
 */
static int
change_root(const struct attempt_input *in)
{
	char mnt[PATH_MAX + 8];
	char old[PATH_MAX + 16];
	int error;

	snprintf(mnt, sizeof(mnt), "%s/mnt", in->free);
	snprintf(old, sizeof(old), "%s/old", mnt);
	if (mkdir(old, 0700) != 0)
		return errno;
	error = enter(in);
	if (error != 0)
		return error;
	if (mount(mnt, mnt, NULL, MS_BIND, NULL) != 0 ||
	    syscall(SYS_pivot_root, mnt, old) != 0)
		return errno;
	return 0;
}

ATTEMPT(pivot)
{
	char old[2 * PATH_MAX];
	int error = change_root(in);

	if (error != 0)
		return error;
	snprintf(old, sizeof(old), "/old%s", in->target);
	umount2(old, MNT_DETACH);
	return attempt_read_token(in, ATTEMPT_JOIN("/old", in->file + 1));
}

ATTEMPT(chroot_out)
{
	int error = enter(in);
	int i;

	if (error != 0)
		return error;
	if (chroot(in->free) != 0)
		return errno;
	for (i = 0; i < 64; i++)
		if (chdir("..") != 0)
			break;
	return attempt_read_token_fd(
	    in, openat(AT_FDCWD, in->file + 1, O_RDONLY | O_CLOEXEC));
}

/*
 * A place something is mounted on cannot be renamed, in this namespace. So
 * leave all mounts behind and keep a descriptor.
 */
ATTEMPT(rename_behind)
{
	int error = change_root(in);
	int fd;

	if (error != 0)
		return error;
	fd = open(ATTEMPT_JOIN("/old", in->home + 1),
	    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || umount2("/old", MNT_DETACH) != 0)
		return errno;
	return attempt_result(
	    renameat(fd, strrchr(in->data_dir, '/') + 1, fd, "agent.moved"));
}

#define READ OMEGA_SANDBOX_FORBIDS_READ
#define RENAME OMEGA_SANDBOX_FORBIDS_RENAME
#define COPY ATTEMPT_COPY | ATTEMPT_THERE, ATTEMPT_PLAIN

const struct attempt attempt_mounts[] = {
    {"umount", "path", READ, COPY, unmount},
    {"umount in a nested namespace", "path", READ, COPY, unmount_nested},
    {"bind in a nested namespace", "path", READ, COPY, bind_nested},
    {"recursive bind in a nested one", "path", READ, COPY, bind_all_nested},
    {"open_tree in a nested one", "path", READ, COPY, tree_nested},
    {"move_mount in a nested one", "path", READ, COPY, move_mask},
    {"overlay in a nested one", "path", READ, COPY, overlay_nested},
    {"pivot_root", "path", READ, COPY, pivot},
    {"chroot", "path", READ, COPY, chroot_out},
    {"rename behind the mounts", "path", RENAME, COPY, rename_behind},
    {NULL, NULL, 0, 0, ATTEMPT_PLAIN, NULL},
};
