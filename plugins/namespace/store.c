/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * store.c - see store.h.
 *
 * A part of a file system can only be taken out (open_tree) while it is
 * attached somewhere. So the store is attached for a moment, over /proc: that
 * exists wherever the builder works, and it is reached by descriptor anyway.
 */

#include "store.h"

#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "calls.h"

#define STORE_PLACE "/proc"
#define STORE_DIR "dir"
#define STORE_FILE "file"
#define MAX_TRIES 250 /* five seconds */

/* A detached mount of one entry of the store, read-only. */
static int
take_out(struct mounts *mounts, int store, const char *name, const char *path)
{
	int mount;
	int ret;

	mount = calls_open_tree(store, name, CALLS_CLONE | CALLS_CLOEXEC);
	if (mount < 0)
		return mounts_fail(mounts, "open_tree", path);
	ret =
	    mounts_add(mounts, mount, CALLS_READ_ONLY, CALLS_PRIVATE, 0, path);
	if (ret < 0) {
		close(mount);
		return ret;
	}
	return mount;
}

static int
make_masks(struct mounts *mounts, int store)
{
	int fd;

	if (mkdirat(store, STORE_DIR, 0) != 0)
		return mounts_fail(mounts, "mkdir", STORE_DIR);
	fd = openat(
	    store, STORE_FILE, O_CREAT | O_EXCL | O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return mounts_fail(mounts, "create", STORE_FILE);
	close(fd);
	if (fchownat(store, STORE_DIR, mounts->owner, mounts->group, 0) != 0 ||
	    fchownat(store, STORE_FILE, mounts->owner, mounts->group, 0) != 0)
		return mounts_fail(mounts, "chown", STORE_FILE);
	mounts->empty_dir = take_out(mounts, store, STORE_DIR, "");
	if (mounts->empty_dir < 0)
		return mounts->empty_dir;
	mounts->empty_file = take_out(mounts, store, STORE_FILE, "");
	return mounts->empty_file < 0 ? mounts->empty_file : 0;
}

static int
pour(struct mounts *mounts, int from, int to, const char *path)
{
	char buffer[4096];
	size_t total = 0;
	ssize_t n;

	while ((n = read(from, buffer, sizeof(buffer))) > 0) {
		total += (size_t)n;
		if (total > REQUEST_MAX_COPY) {
			errno = EFBIG;
			return mounts_fail(mounts, "copy", path);
		}
		if (write(to, buffer, (size_t)n) != n)
			return mounts_fail(mounts, "copy", path);
	}
	return n < 0 ? mounts_fail(mounts, "copy", path) : 0;
}

static int
open_source(
    struct mounts *mounts, const struct request_op *op, const char *path)
{
	struct calls_how how = {
	    .flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
	    .resolve = CALLS_NO_SYMLINKS};
	const struct timespec moment = {.tv_nsec = 20000000};
	struct stat st;
	int tries;
	int fd;

	/* Another program's lease may be on it; it is asked to let go. */
	for (tries = 0; tries < MAX_TRIES; tries++) {
		fd = calls_openat2(AT_FDCWD, path, &how);
		if (fd >= 0 || errno != EWOULDBLOCK)
			break;
		nanosleep(&moment, NULL);
	}
	if (fd < 0)
		return mounts_fail(mounts, "open", path);
	if (fstat(fd, &st) == 0) {
		if (S_ISREG(st.st_mode) && st.st_dev == op->device &&
		    st.st_ino == op->inode)
			return fd;
		errno = ESTALE;
	}
	close(fd);
	return mounts_fail(mounts, "compare", path);
}

/* The content of path in a file of the store, then out of it. */
static int
make_copy(struct mounts *mounts, int store, const struct request_op *op,
    const char *path, uint32_t number)
{
	char name[16];
	int from;
	int to;
	int ret;

	snprintf(name, sizeof(name), "%u", (unsigned)number);
	from = open_source(mounts, op, path);
	if (from < 0)
		return from;
	to = openat(store, name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0444);
	if (to < 0) {
		ret = mounts_fail(mounts, "create", path);
	} else {
		ret = pour(mounts, from, to, path);
		close(to);
	}
	close(from);
	return ret < 0 ? ret : take_out(mounts, store, name, path);
}

int
store_make(struct mounts *mounts, const struct request_op *ops, uint32_t count,
    const char *texts, int *copies)
{
	uint32_t i;
	int place;
	int store;
	int ret;

	store =
	    mounts_new_tmpfs(mounts, CALLS_NOSUID | CALLS_NODEV | CALLS_NOEXEC);
	if (store < 0)
		return store;
	place = mounts_open(mounts, STORE_PLACE);
	if (place < 0) {
		close(store);
		return place;
	}
	ret = mounts_attach(mounts, store, place, STORE_PLACE);
	if (ret == 0)
		ret = make_masks(mounts, store);
	for (i = 0; ret == 0 && i < count; i++) {
		if (ops[i].type != REQUEST_COPY)
			continue;
		copies[i] =
		    make_copy(mounts, store, &ops[i], texts + ops[i].path, i);
		ret = copies[i] < 0 ? copies[i] : 0;
	}
	if (ret == 0 && calls_umount(STORE_PLACE) != 0)
		ret = mounts_fail(mounts, "umount", STORE_PLACE);
	close(place);
	close(store);
	return ret;
}
