/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * mounts.c - see mounts.h.
 */

#include "mounts.h"

#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "calls.h"

int
mounts_fail(struct mounts *mounts, const char *what, const char *path)
{
	int error = errno;

	mounts->fault.what = what;
	mounts->fault.path = path;
	return error == 0 ? -EIO : -error;
}

int
mounts_open(struct mounts *mounts, const char *path)
{
	struct calls_how how = {.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
	    .resolve = CALLS_NO_SYMLINKS};
	int fd;

	fd = calls_openat2(AT_FDCWD, path, &how);
	return fd < 0 ? mounts_fail(mounts, "open", path) : fd;
}

int
mounts_open_op(
    struct mounts *mounts, const struct request_op *op, const char *path)
{
	struct stat st;
	int fd;

	fd = mounts_open(mounts, path);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) == 0) {
		if ((st.st_dev == op->device && st.st_ino == op->inode) ||
		    (op->flags & REQUEST_MAY_CHANGE) != 0 ||
		    (mounts->has_dev && strcmp(path, REQUEST_DEV) == 0))
			return fd;
		errno = ESTALE;
	}
	close(fd);
	return mounts_fail(mounts, "compare", path);
}

int
mounts_new(struct mounts *mounts, const char *type, const char *option,
    const char *value, unsigned attr)
{
	int mount = -1;
	int fd;

	fd = calls_fsopen(type);
	if (fd < 0)
		return mounts_fail(mounts, "fsopen", type);
	if (calls_fsconfig(fd, CALLS_CONFIG_STRING, "source", REQUEST_SOURCE) ==
		0 &&
	    calls_fsconfig(fd, CALLS_CONFIG_STRING, option, value) == 0 &&
	    calls_fsconfig(fd, CALLS_CONFIG_CREATE, NULL, NULL) == 0)
		mount = calls_fsmount(fd, attr);
	if (mount < 0)
		mount = mounts_fail(mounts, "fsmount", type);
	close(fd);
	return mount;
}

int
mounts_new_tmpfs(struct mounts *mounts, unsigned attr)
{
	return mounts_new(mounts, "tmpfs", "mode", "0755", attr);
}

int
mounts_attach(struct mounts *mounts, int mount, int to, const char *path)
{
	if (calls_move_mount(
		mount, "", to, "", CALLS_FROM_EMPTY | CALLS_TO_EMPTY) != 0)
		return mounts_fail(mounts, "move_mount", path);
	return 0;
}

int
mounts_add(struct mounts *mounts, int mount, unsigned attr,
    unsigned propagation, int is_recursive, const char *path)
{
	struct calls_attr change = {.set = attr, .propagation = propagation};
	unsigned flags = CALLS_EMPTY_PATH;

	if (is_recursive)
		flags |= CALLS_RECURSIVE;
	if (calls_setattr(mount, "", flags, &change) != 0)
		return mounts_fail(mounts, "mount_setattr", path);
	return 0;
}

int
mounts_clone(struct mounts *mounts, int fd, const char *path)
{
	int mount;

	mount = calls_open_tree(fd, "",
	    CALLS_CLONE | CALLS_CLOEXEC | CALLS_RECURSIVE | CALLS_EMPTY_PATH);
	return mount < 0 ? mounts_fail(mounts, "open_tree", path) : mount;
}

int
mounts_pin(struct mounts *mounts, int fd, const char *path)
{
	int mount;
	int ret;

	mount = mounts_clone(mounts, fd, path);
	if (mount < 0)
		return mount;
	ret = mounts_attach(mounts, mount, fd, path);
	close(mount);
	return ret;
}

int
mounts_read_only(
    struct mounts *mounts, int fd, int is_recursive, const char *path)
{
	int mount;
	int ret;

	mount = mounts_clone(mounts, fd, path);
	if (mount < 0)
		return mount;
	/* Private: what the host mounts there later must not appear inside,
	 * where it would be writable. */
	ret = mounts_add(mounts, mount, 0, CALLS_PRIVATE, 1, path);
	if (ret == 0)
		ret = mounts_add(
		    mounts, mount, CALLS_READ_ONLY, 0, is_recursive, path);
	if (ret == 0)
		ret = mounts_attach(mounts, mount, fd, path);
	close(mount);
	return ret;
}

/*
 * A detached mask of the right kind. Kernels before 6.15 cannot copy a mount
 * that is attached nowhere, so only the first is the one made at the start.
 */
static int
take_mask(struct mounts *mounts, int is_dir)
{
	int *first = is_dir ? &mounts->empty_dir : &mounts->empty_file;
	const char *at = is_dir ? mounts->dir_at : mounts->file_at;
	int mount = *first;
	int fd;

	if (mount >= 0) {
		*first = -1;
		return mount;
	}
	fd = mounts_open(mounts, at);
	if (fd < 0)
		return fd;
	mount = calls_open_tree(
	    fd, "", CALLS_CLONE | CALLS_CLOEXEC | CALLS_EMPTY_PATH);
	if (mount < 0)
		mount = mounts_fail(mounts, "open_tree", at);
	close(fd);
	return mount;
}

static int
cover(struct mounts *mounts, int fd, int is_dir, const char *path)
{
	int mount;
	int ret;

	mount = take_mask(mounts, is_dir);
	if (mount < 0)
		return mount;
	ret = mounts_attach(mounts, mount, fd, path);
	if (ret == 0 && is_dir && mounts->dir_at == NULL)
		mounts->dir_at = path;
	if (ret == 0 && !is_dir && mounts->file_at == NULL)
		mounts->file_at = path;
	close(mount);
	return ret;
}

int
mounts_deny(struct mounts *mounts, int fd, const char *path)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return mounts_fail(mounts, "fstat", path);
	return cover(mounts, fd, S_ISDIR(st.st_mode), path);
}

/*
 * Has somebody else closed a directory on the way? What the command itself
 * could open again must not be taken for gone.
 */
static int
is_closed_by_others(const char *path)
{
	char dir[PATH_MAX];
	uid_t owner = 0;
	struct stat st;
	char *at;

	snprintf(dir, sizeof(dir), "%s", path);
	for (at = strchr(dir + 1, '/'); at != NULL; at = strchr(at + 1, '/')) {
		*at = '\0';
		if (lstat(dir, &st) != 0)
			return errno == EACCES && owner != geteuid();
		owner = st.st_uid;
		*at = '/';
	}
	return owner != geteuid();
}

int
mounts_is_gone(int ret, const char *path)
{
	return ret == -ENOENT || ret == -ENOTDIR || ret == -ELOOP ||
	       ret == -ESTALE || (ret == -EACCES && is_closed_by_others(path));
}

int
mounts_hide(struct mounts *mounts, const char *path)
{
	struct stat st;
	int ret = 0;
	int fd;

	fd = mounts_open(mounts, path);
	if (fd < 0)
		return mounts_is_gone(fd, path) ? 0 : fd;
	if (fstat(fd, &st) != 0)
		ret = mounts_fail(mounts, "fstat", path);
	else if ((S_ISSOCK(st.st_mode) || S_ISFIFO(st.st_mode)) &&
		 st.st_nlink > 0)
		ret = cover(mounts, fd, 0, path);
	close(fd);
	return ret == -ENOENT ? 0 : ret;
}
