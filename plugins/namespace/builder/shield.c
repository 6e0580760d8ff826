/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * shield.c - see mounts.h.
 *
 * The covered directory stays open, so its entries are taken from there one
 * by one and put into the tmpfs in front of it. That is then made read-only,
 * what stands in it is not. A protected entry that is absent cannot be made,
 * and one the host replaces is not seen.
 */

#include "mounts.h"

#include <sys/stat.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "calls.h"

#define MOUNT_ROOT 0x2000u /* STATX_ATTR_MOUNT_ROOT */

static int
copy_link(struct mounts *mounts, int dir, int front, const char *name)
{
	char target[PATH_MAX];
	ssize_t len;

	len = readlinkat(dir, name, target, sizeof(target) - 1);
	if (len < 0)
		return mounts_fail(mounts, "readlink", name);
	target[len] = '\0';
	if (symlinkat(target, front, name) != 0)
		return mounts_fail(mounts, "symlink", name);
	return 0;
}

/* Something to mount an entry on. */
static int
make_place(struct mounts *mounts, int front, const char *name, int is_dir)
{
	if ((is_dir ? mkdirat(front, name, 0)
		    : mknodat(front, name, S_IFREG, 0)) != 0)
		return mounts_fail(mounts, "create", name);
	return 0;
}

/* An entry that is left out: nothing of mode 000, nobody's. */
static int
leave_out(struct mounts *mounts, int front, const char *name, int is_dir)
{
	int ret;

	ret = make_place(mounts, front, name, is_dir);
	if (ret == 0 &&
	    fchownat(front, name, mounts->owner, mounts->group, 0) != 0)
		ret = mounts_fail(mounts, "chown", name);
	return ret;
}

/*
 * Show an entry of dir, with all below it, in the directory front is open on,
 * as name; if it is there. With keeps_nodes modes and owners of what is not
 * mounted by itself are kept.
 */
static int
show(struct mounts *mounts, int dir, const char *entry, int front,
    const char *name, int keeps_nodes)
{
	struct statx at;
	int is_dir;
	int mount;
	int ret;

	if (statx(dir, entry, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, STATX_TYPE,
		&at) != 0)
		return errno == ENOENT ? 0 : mounts_fail(mounts, "stat", entry);
	if (S_ISLNK(at.stx_mode))
		return copy_link(mounts, dir, front, name);
	is_dir = S_ISDIR(at.stx_mode);
	ret = make_place(mounts, front, name, is_dir);
	if (ret < 0)
		return ret;
	mount = calls_open_tree(dir, entry,
	    CALLS_CLONE | CALLS_CLOEXEC | CALLS_RECURSIVE | CALLS_NOFOLLOW);
	if (mount < 0)
		return mounts_fail(mounts, "open_tree", name);
	if (keeps_nodes && (!is_dir || (at.stx_attributes & MOUNT_ROOT) == 0))
		ret = mounts_add(mounts, mount, CALLS_READ_ONLY, 0, 0, name);
	if (ret == 0 &&
	    calls_move_mount(mount, "", front, name, CALLS_FROM_EMPTY) != 0)
		ret = mounts_fail(mounts, "move_mount", name);
	close(mount);
	return ret;
}

static int
bring_over(struct mounts *mounts, int dir, int front, const char *name)
{
	if (strcmp(name, REQUEST_DATA) == 0)
		return leave_out(mounts, front, name, 1);
	if (strcmp(name, REQUEST_CONFIG) == 0)
		return leave_out(mounts, front, name, 0);
	return show(mounts, dir, name, front, name, 0);
}

/* Let the directory in front look like the one behind it. */
static int
dress(struct mounts *mounts, int dir, int front, const char *path)
{
	struct stat st;

	if (fstat(dir, &st) != 0)
		return mounts_fail(mounts, "fstat", path);
	/* An owner who is unknown here cannot be given; then it is ours. */
	if (fchownat(front, "", st.st_uid, st.st_gid, AT_EMPTY_PATH) != 0 &&
	    errno != EINVAL && errno != EPERM)
		return mounts_fail(mounts, "chown", path);
	if (fchmodat(front, ".", st.st_mode & 07777, 0) != 0)
		return mounts_fail(mounts, "chmod", path);
	return 0;
}

static int
bring_all(struct mounts *mounts, int dir, int front, const char *path)
{
	struct dirent *entry;
	DIR *stream = NULL;
	int ret = 0;
	int fd;

	fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		stream = fdopendir(fd);
	if (stream == NULL)
		return mounts_fail(mounts, "opendir", path);
	while (ret == 0 && (errno = 0, entry = readdir(stream)) != NULL) {
		const char *name = entry->d_name;

		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
			continue;
		ret = bring_over(mounts, dir, front, name);
	}
	if (ret == 0 && errno != 0)
		ret = mounts_fail(mounts, "readdir", path);
	/* A fault may name an entry: the stream stays. */
	return ret == 0 ? dress(mounts, dir, front, path) : ret;
}

/*
 * Nodes of devices are anywhere: every chroot has a /dev. They work in /dev
 * only. A flag once set cannot always be taken back, so that is copied before,
 * and its entries are shown from the copy in a tmpfs on top of it.
 */

#define TERMINAL "console"

/* The directories on the way to a name. */
static int
make_way(struct mounts *mounts, int front, const char *name)
{
	char way[PATH_MAX];
	char *slash;

	snprintf(way, sizeof(way), "%s", name);
	for (slash = strchr(way, '/'); slash != NULL;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdirat(front, way, 0755) != 0 && errno != EEXIST)
			return mounts_fail(mounts, "mkdir", name);
		*slash = '/';
	}
	return 0;
}

/*
 * Terminals of its own: those of others cannot be opened by name, and there is
 * no "pts" beside a "ptmx" that was mounted from elsewhere.
 */
static int
make_terminals(struct mounts *mounts, int front)
{
	int pts;

	if (mkdirat(front, "pts", 0755) != 0 ||
	    symlinkat("pts/ptmx", front, "ptmx") != 0)
		return mounts_fail(mounts, "mkdir", REQUEST_PTS);
	pts = mounts_new(
	    mounts, "devpts", "ptmxmode", "0666", CALLS_NOSUID | CALLS_NOEXEC);
	if (pts < 0)
		return pts;
	if (calls_move_mount(pts, "", front, "pts", CALLS_FROM_EMPTY) != 0)
		return mounts_fail(mounts, "move_mount", REQUEST_PTS);
	return 0;
}

/* A terminal of the host has its only name here. */
static int
show_terminal(struct mounts *mounts, int dev, int front, const char *name)
{
	struct stat st;

	if (fstatat(front, TERMINAL, &st, AT_SYMLINK_NOFOLLOW) == 0)
		return 0;
	return show(mounts, dev, name, front, TERMINAL, 1);
}

static int
fill(struct mounts *mounts, int dev, int front, const struct request *request)
{
	const struct request_op *op = request->ops;
	int ret = 0;

	for (; ret == 0 && op < request->ops + request->head.count; op++) {
		const char *name =
		    request->texts + op->path + strlen(REQUEST_DEV "/");

		if (op->type != REQUEST_SHOW)
			continue;
		if (strncmp(name, "pts/", 4) == 0) {
			ret = show_terminal(mounts, dev, front, name);
			continue;
		}
		ret = make_way(mounts, front, name);
		if (ret == 0)
			ret = show(mounts, dev, name, front, name, 1);
	}
	return ret == 0 ? make_terminals(mounts, front) : ret;
}

int
shield_make(struct mounts *mounts, int dir, const char *path,
    const struct request *devices)
{
	int front;
	int ret;

	front = mounts_new_tmpfs(mounts);
	if (front < 0)
		return front;
	ret = mounts_attach(mounts, front, dir, path);
	if (ret == 0)
		ret = devices != NULL ? fill(mounts, dir, front, devices)
				      : bring_all(mounts, dir, front, path);
	if (ret == 0)
		ret = mounts_add(mounts, front, CALLS_READ_ONLY, 0, 0, path);
	close(front);
	return ret;
}

int
shield_dev(struct mounts *mounts, const struct request *request)
{
	struct calls_attr nodev = {.set = CALLS_NODEV};
	const struct request_op *op = request->ops;
	int place;
	int ret;
	int dev;

	dev = calls_open_tree(AT_FDCWD, REQUEST_DEV,
	    CALLS_CLONE | CALLS_CLOEXEC | CALLS_RECURSIVE);
	if (dev < 0 && errno != ENOENT)
		return mounts_fail(mounts, "open_tree", REQUEST_DEV);
	if (calls_setattr(AT_FDCWD, "/", CALLS_RECURSIVE, &nodev) != 0)
		return mounts_fail(mounts, "mount_setattr", "/");
	if (dev < 0)
		return 0;
	place = mounts_open(mounts, REQUEST_DEV);
	if (place < 0)
		return place;
	ret = mounts_attach(mounts, dev, place, REQUEST_DEV);
	for (; ret == 0 && op < request->ops + request->head.count; op++)
		if (op->type == REQUEST_DEVICES) {
			place = mounts_open_op(mounts, op, REQUEST_DEV);
			mounts->has_dev = 1;
			ret = place < 0 ? place
					: shield_make(mounts, dev, REQUEST_DEV,
					      request);
		}
	return ret;
}
