/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * mounts.c - see mounts.h.
 */

#include "mounts.h"

#include <sys/inotify.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <omega/sandbox-plugin.h>

#include "calls.h"

int
mounts_fail_with(
    struct mounts *mounts, int error, const char *what, const char *path)
{
	mounts->fault.what = what;
	mounts->fault.path = path;
	return error == 0 ? -EIO : error;
}

int
mounts_fail(struct mounts *mounts, const char *what, const char *path)
{
	return mounts_fail_with(mounts, -errno, what, path);
}

int
mounts_open(struct mounts *mounts, const char *path)
{
	const struct {
		uint64_t flags;
		uint64_t mode;
		uint64_t resolve;
	} how = {O_PATH | O_NOFOLLOW | O_CLOEXEC, 0, CALLS_NO_SYMLINKS};
	int fd;

	fd = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
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
		mounts->mode = st.st_mode;
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

	fd = (int)syscall(SYS_fsopen, type, CALLS_FSOPEN_CLOEXEC);
	if (fd < 0)
		return mounts_fail(mounts, "fsopen", type);
	if (calls_fsconfig(fd, CALLS_CONFIG_STRING, "source", REQUEST_SOURCE) ==
		0 &&
	    calls_fsconfig(fd, CALLS_CONFIG_STRING, option, value) == 0 &&
	    calls_fsconfig(fd, CALLS_CONFIG_CREATE, NULL, NULL) == 0)
		mount =
		    (int)syscall(SYS_fsmount, fd, CALLS_FSMOUNT_CLOEXEC, attr);
	if (mount < 0)
		mount = mounts_fail(mounts, "fsmount", type);
	close(fd);
	return mount;
}

int
mounts_new_tmpfs(struct mounts *mounts)
{
	return mounts_new(mounts, "tmpfs", "mode", "0755",
	    CALLS_NOSUID | CALLS_NODEV | CALLS_NOEXEC);
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
mounts_pin(struct mounts *mounts, int fd, uint32_t type, const char *path)
{
	const int is_top = type == REQUEST_READ_ONLY_TOP;
	int mount;
	int ret = 0;

	mount = mounts_clone(mounts, fd, path);
	if (mount < 0)
		return mount;
	/* Private: what the host mounts there later must not appear inside,
	 * where it would be writable. */
	if (type == REQUEST_READ_ONLY || is_top)
		ret = mounts_add(mounts, mount, is_top ? 0 : CALLS_READ_ONLY,
		    CALLS_PRIVATE, 1, path);
	if (ret == 0 && is_top)
		ret = mounts_add(mounts, mount, CALLS_READ_ONLY, 0, 0, path);
	if (ret == 0)
		ret = mounts_attach(mounts, mount, fd, path);
	close(mount);
	return ret;
}

/* Kernels before 6.15 cannot copy a mount that is attached nowhere, so the
 * first mask of its kind is the one that was made at the start. */
int
mounts_deny(struct mounts *mounts, int fd, const char *path)
{
	const int is_dir = S_ISDIR(mounts->mode);
	const int first = mounts->masks[is_dir];
	int mount = first;
	int ret;

	if (mounts->is_used[is_dir])
		mount = calls_open_tree(
		    first, "", CALLS_CLONE | CALLS_CLOEXEC | CALLS_EMPTY_PATH);
	if (mount < 0)
		return mounts_fail(mounts, "open_tree", path);
	ret = mounts_attach(mounts, mount, fd, path);
	if (mount != first)
		close(mount);
	else if (ret == 0)
		mounts->is_used[is_dir] = 1;
	return ret;
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

/*
 * A part of a file system can only be taken out (open_tree) while it is
 * attached somewhere. So the store is attached for a moment, over /proc: that
 * exists wherever the builder works, and it is reached by descriptor anyway.
 */

#define STORE_PLACE "/proc"
#define STORE_DIR "dir"
#define STORE_FILE "file"
#define MAX_TRIES 250 /* five seconds */

/* A detached mount of one entry of the store, read-only. */
static int
take_out(struct mounts *mounts, int store, const char *name, const char *path)
{
	int mount = calls_open_tree(store, name, CALLS_CLONE | CALLS_CLOEXEC);
	int ret;

	if (mount < 0)
		return mounts_fail(mounts, "open_tree", path);
	ret =
	    mounts_add(mounts, mount, CALLS_READ_ONLY, CALLS_PRIVATE, 0, path);
	return ret < 0 ? ret : mount;
}

static int
make_masks(struct mounts *mounts, int store)
{
	const uid_t uid = mounts->owner;
	const gid_t gid = mounts->group;

	if (mkdirat(store, STORE_DIR, 0) != 0 ||
	    mknodat(store, STORE_FILE, S_IFREG, 0) != 0 ||
	    fchownat(store, STORE_DIR, uid, gid, 0) != 0 ||
	    fchownat(store, STORE_FILE, uid, gid, 0) != 0)
		return mounts_fail(mounts, "create", STORE_FILE);
	mounts->masks[1] = take_out(mounts, store, STORE_DIR, "");
	if (mounts->masks[1] < 0)
		return mounts->masks[1];
	mounts->masks[0] = take_out(mounts, store, STORE_FILE, "");
	return mounts->masks[0] < 0 ? mounts->masks[0] : 0;
}

static int
open_source(
    struct mounts *mounts, const struct request_op *op, const char *path)
{
	const struct timespec moment = {.tv_nsec = 20000000};
	const int place = mounts_open_op(mounts, op, path);
	int tries = MAX_TRIES;
	char name[32];
	int fd;

	if (place < 0)
		return place;
	if (!S_ISREG(mounts->mode))
		return mounts_fail_with(mounts, -ESTALE, "compare", path);
	snprintf(name, sizeof(name), "self/fd/%d", place);
	/* Another program's lease may be on it; it is asked to let go. */
	while ((fd = openat(mounts->proc, name,
		    O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)) < 0 &&
	       errno == EWOULDBLOCK && --tries > 0)
		nanosleep(&moment, NULL);
	if (fd < 0)
		fd = mounts_fail(mounts, "open", path);
	close(place);
	return fd;
}

/* What is shown instead of a file of the host's. 0, or -1 and errno. */
static int
write_own(int fd, uint32_t flags)
{
	char name[256] = "localhost";
	char text[600];
	int len;

	gethostname(name, sizeof(name) - 1);
	len = snprintf(text, sizeof(text), "%s%s%s",
	    (flags & REQUEST_FOR_SERVER) != 0
		? "nameserver " OMEGA_SANDBOX_HOSTS_OWN
	    : (flags & REQUEST_FOR_SELF) != 0
		? "127.0.0.1 localhost\n::1 localhost\n127.0.0.1 "
		: "passwd: files\ngroup: files\nshadow: files\n"
		  "hosts: files dns\nservices: files\nprotocols: files\n",
	    (flags & REQUEST_FOR_SELF) != 0 ? name : "", "\n");
	return write(fd, text, (size_t)len) == len ? 0 : -1;
}

/* The content of path in a file of the store, then out of it. */
static int
make_copy(struct mounts *mounts, int store, const struct request_op *op,
    const char *path, uint32_t number)
{
	size_t left = REQUEST_MAX_COPY + 1;
	ssize_t n = 1;
	char name[16];
	int from;
	int to;

	snprintf(name, sizeof(name), "%u", (unsigned)number);
	from = open_source(mounts, op, path);
	if (from < 0)
		return from;
	to = openat(store, name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0444);
	if (to < 0)
		return mounts_fail(mounts, "create", path);
	if ((op->flags & ~(uint32_t)(REQUEST_USE_VC | REQUEST_MAY_CHANGE)) != 0)
		n = write_own(to, op->flags);
	for (; n > 0 && left > 0; left -= n > 0 ? (size_t)n : 0)
		n = sendfile(to, from, NULL, left);
	if (n == 0 && (op->flags & REQUEST_USE_VC) != 0)
		n = write(
		    to, REQUEST_USE_VC_LINE, sizeof(REQUEST_USE_VC_LINE) - 1);
	close(from);
	close(to);
	if (left == 0)
		errno = EFBIG;
	return n < 0 || left == 0 ? mounts_fail(mounts, "copy", path)
				  : take_out(mounts, store, name, path);
}

/* A part of the tree as it is now. */
static int
take_place(struct mounts *mounts, const struct request_op *op, const char *path)
{
	int fd = mounts_open_op(mounts, op, path);
	int mount = fd < 0 ? fd : mounts_clone(mounts, fd, path);

	if (fd >= 0)
		close(fd);
	return mount;
}

/*
 * The copies are taken first and attached later: so what the host has mounted
 * read-only below a grant stays that, which taking the flag back would undo.
 */
static int
close_all(struct mounts *mounts, struct request *request)
{
	/* Private: what the host mounts later must not appear inside, where
	 * it would be writable. */
	struct calls_attr attr = {
	    .set = CALLS_READ_ONLY, .propagation = CALLS_PRIVATE};
	const struct request_op *op = request->ops;
	int *copy = request->copies;

	for (; op < request->ops + request->head.count; op++, copy++)
		if (op->type == REQUEST_WRITABLE) {
			*copy =
			    take_place(mounts, op, request->texts + op->path);
			if (*copy < 0)
				return *copy;
		}
	if (calls_setattr(AT_FDCWD, "/", CALLS_RECURSIVE, &attr) != 0)
		return mounts_fail(mounts, "mount_setattr", "/");
	return 0;
}

/* The last namespace that has a piece of the store is gone when the kernel says
 * that it is unmounted. */
static int
watch_end(struct mounts *mounts)
{
	mounts->end = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (mounts->end < 0 ||
	    inotify_add_watch(mounts->end, STORE_PLACE, IN_DELETE_SELF) < 0)
		return mounts_fail(mounts, REQUEST_LISTED, "inotify");
	return 0;
}

int
mounts_prepare(struct mounts *mounts, struct request *request)
{
	uint32_t i;
	int place;
	int store;
	int ret = 0;

	if ((request->head.flags & REQUEST_CLOSE_ALL) != 0)
		ret = close_all(mounts, request);
	if (ret < 0)
		return ret;
	store = mounts_new_tmpfs(mounts);
	if (store < 0)
		return store;
	place = mounts_open(mounts, STORE_PLACE);
	if (place < 0)
		return place;
	ret = mounts_attach(mounts, store, place, STORE_PLACE);
	if (ret == 0 && (request->head.flags & REQUEST_HOSTS) != 0)
		ret = watch_end(mounts);
	if (ret == 0)
		ret = make_masks(mounts, store);
	for (i = 0; ret == 0 && i < request->head.count; i++) {
		const struct request_op *op = &request->ops[i];

		if (op->type != REQUEST_COPY)
			continue;
		request->copies[i] =
		    make_copy(mounts, store, op, request->texts + op->path, i);
		ret = request->copies[i] < 0 ? request->copies[i] : 0;
	}
	if (ret == 0 && umount2(STORE_PLACE, MNT_DETACH) != 0)
		ret = mounts_fail(mounts, "umount", STORE_PLACE);
	return ret;
}
