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
#include <sched.h>

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
	const unsigned uid = geteuid();
	const unsigned gid = getegid();

	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0) {
		put("/proc/self/setgroups", "deny");
		put("/proc/self/uid_map",
		    attempt_format(ATTEMPT_SPACE, "0 %u 1", uid));
		put("/proc/self/gid_map",
		    attempt_format(ATTEMPT_SPACE, "0 %u 1", gid));
	} else if (unshare(CLONE_NEWNS) != 0) {
		const int error = errno;

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

/* in->file from in->data_dir on, or NULL when it is elsewhere. */
static const char *
below_data(const struct attempt_input *in)
{
	size_t len = strlen(in->data_dir);
	bool is_there = strncmp(in->file, in->data_dir, len) == 0;

	return is_there ? in->file + len + 1 : NULL;
}

/* in->file as seen below other instead of below in->data_dir. */
static int
read_below(const struct attempt_input *in, const char *other)
{
	const char *rest = below_data(in);

	return rest == NULL ? EXDEV
			    : attempt_read_token(in, ATTEMPT_JOIN(other, rest));
}

/* Where the way there could not be taken, that is the reason. */
static int
read_after(const struct attempt_input *in, int error)
{
	if (attempt_read_token(in, in->file) == 0)
		return 0;
	return error != 0 ? error : ENODATA;
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
	return read_after(in, error);
}

/* What is tried in a mount namespace of its own, and at what. */
struct nested {
	int (*fn)(struct attempt_input *in, const char *mnt);
};

ATTEMPT(nested)
{
	const struct nested *nested = in->how;
	int error = enter(in);

	return error != 0 ? error
			  : nested->fn(in, ATTEMPT_JOIN(in->free, "mnt"));
}

static int
bind_one(struct attempt_input *in, const char *mnt)
{
	if (mount(in->data_dir, mnt, NULL, MS_BIND, NULL) != 0)
		return errno;
	return read_below(in, mnt);
}

static int
bind_all(struct attempt_input *in, const char *mnt)
{
	if (mount(in->data_dir, mnt, NULL, MS_BIND | MS_REC, NULL) != 0)
		return errno;
	umount2(ATTEMPT_JOIN(mnt, "data"), MNT_DETACH);
	umount2(ATTEMPT_JOIN(mnt, "config.toml"), MNT_DETACH);
	return read_below(in, mnt);
}

static int
clone_tree(struct attempt_input *in, const char *mnt)
{
	const char *rest = below_data(in);
	int tree =
	    (int)syscall(SYS_open_tree, AT_FDCWD, in->data_dir, CLONE_TREE);

	(void)mnt;
	if (tree < 0 || rest == NULL)
		return tree < 0 ? errno : EXDEV;
	return attempt_read_token_fd(in, openat(tree, rest, O_RDONLY));
}

/* Move the mask itself away. */
ATTEMPT(move_mask)
{
	int error = enter(in);
	int tree = (int)syscall(SYS_open_tree, AT_FDCWD, in->target, 0);

	syscall(SYS_move_mount, tree, "", AT_FDCWD,
	    ATTEMPT_JOIN(in->free, "mnt"), FROM_EMPTY);
	return read_after(in, error);
}

static int
overlay(struct attempt_input *in, const char *mnt)
{
	char options[3 * PATH_MAX];

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

static int
leave_root(struct attempt_input *in, const char *mnt)
{
	int i;

	(void)mnt;
	if (chroot(in->free) != 0)
		return errno;
	for (i = 0; i < 64; i++)
		if (chdir("..") != 0)
			break;
	return attempt_read_token_fd(
	    in, openat(AT_FDCWD, in->file + 1, O_RDONLY | O_CLOEXEC));
}

/*
 * Make a directory of the command the root, with the old one in it at /old.
 * It is there before: who has no id in the new namespace can make nothing.
 */
static int
change_root(const struct attempt_input *in)
{
	const char *mnt = ATTEMPT_JOIN(in->free, "mnt");
	const char *old = ATTEMPT_JOIN(in->free, "mnt/old");
	int error;

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
	int error = change_root(in);

	if (error != 0)
		return error;
	umount2(ATTEMPT_JOIN("/old", in->target + 1), MNT_DETACH);
	return attempt_read_token(in, ATTEMPT_JOIN("/old", in->file + 1));
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

#define PEEL "path", READ, COPY
#define BY(fn) (&(const struct nested){fn})

const struct attempt attempt_mounts[] = {
    {"umount", PEEL, NULL, unmount},
    {"umount in a nested namespace", PEEL, NULL, unmount_nested},
    {"bind in a nested namespace", PEEL, BY(bind_one), nested},
    {"recursive bind in a nested one", PEEL, BY(bind_all), nested},
    {"open_tree in a nested one", PEEL, BY(clone_tree), nested},
    {"move_mount in a nested one", PEEL, NULL, move_mask},
    {"overlay in a nested one", PEEL, BY(overlay), nested},
    {"pivot_root", PEEL, NULL, pivot},
    {"chroot", PEEL, BY(leave_root), nested},
    {"rename behind the mounts", "path", RENAME, COPY, NULL, rename_behind},
    ATTEMPT_END,
};
