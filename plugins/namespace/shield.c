/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * shield.c - see shield.h.
 *
 * The covered directory stays open, so its entries are taken from there one
 * by one and put into the tmpfs in front of it. That is then made read-only,
 * what stands in it is not. A protected entry that is absent cannot be made,
 * and one the host replaces is not seen.
 */

#include "shield.h"

#include <sys/stat.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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
	int fd;

	if (is_dir) {
		if (mkdirat(front, name, 0) != 0)
			return mounts_fail(mounts, "mkdir", name);
		return 0;
	}
	fd = openat(front, name, O_CREAT | O_EXCL | O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return mounts_fail(mounts, "create", name);
	close(fd);
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

int
shield_show(struct mounts *mounts, int dir, const char *entry, int front,
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
	if (keeps_nodes &&
	    (!is_dir || (at.stx_attributes & MOUNT_ROOT) == 0))
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
	return shield_show(mounts, dir, name, front, name, 0);
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
	if (stream == NULL) {
		ret = mounts_fail(mounts, "opendir", path);
		if (fd >= 0)
			close(fd);
		return ret;
	}
	while (ret == 0 && (errno = 0, entry = readdir(stream)) != NULL) {
		const char *name = entry->d_name;

		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
			continue;
		ret = bring_over(mounts, dir, front, name);
	}
	if (ret == 0 && errno != 0)
		ret = mounts_fail(mounts, "readdir", path);
	if (ret < 0 && mounts->fault.path != path)
		mounts->fault.path = path; /* the name goes with the stream */
	closedir(stream);
	return ret;
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

int
shield_make(struct mounts *mounts, int dir, const char *path)
{
	int front;
	int ret;

	front = mounts_new_tmpfs(mounts, CALLS_NOSUID | CALLS_NODEV);
	if (front < 0)
		return front;
	ret = mounts_attach(mounts, front, dir, path);
	if (ret == 0)
		ret = bring_all(mounts, dir, front, path);
	if (ret == 0)
		ret = dress(mounts, dir, front, path);
	if (ret == 0)
		ret = mounts_add(mounts, front, CALLS_READ_ONLY, 0, 0, path);
	close(front);
	return ret;
}
