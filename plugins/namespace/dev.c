/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * dev.c - see dev.h.
 *
 * Nodes of devices are anywhere: every chroot has a /dev. They work in /dev
 * only. A flag once set cannot always be taken back, so that is copied before,
 * and its entries are shown from the copy in a tmpfs on top of it.
 */

#include "dev.h"

#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "calls.h"
#include "shield.h"

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
	int ret = 0;

	if (mkdirat(front, "pts", 0755) != 0 ||
	    symlinkat("pts/ptmx", front, "ptmx") != 0)
		return mounts_fail(mounts, "mkdir", REQUEST_PTS);
	pts = mounts_new(mounts, "devpts", "ptmxmode", "0666",
	    CALLS_NOSUID | CALLS_NOEXEC);
	if (pts < 0)
		return pts;
	if (calls_move_mount(pts, "", front, "pts", CALLS_FROM_EMPTY) != 0)
		ret = mounts_fail(mounts, "move_mount", REQUEST_PTS);
	close(pts);
	return ret;
}

/* A terminal of the host has its only name here. */
static int
show_terminal(struct mounts *mounts, int dev, int front, const char *name)
{
	struct stat st;

	if (fstatat(front, TERMINAL, &st, AT_SYMLINK_NOFOLLOW) == 0)
		return 0;
	return shield_show(mounts, dev, name, front, TERMINAL, 1);
}

static int
fill(struct mounts *mounts, int dev, int front, const struct request_op *ops,
    uint32_t count, const char *texts)
{
	uint32_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < count; i++) {
		const char *name =
		    texts + ops[i].path + strlen(REQUEST_DEV "/");

		if (ops[i].type != REQUEST_SHOW)
			continue;
		if (strncmp(name, "pts/", 4) == 0) {
			ret = show_terminal(mounts, dev, front, name);
			continue;
		}
		ret = make_way(mounts, front, name);
		if (ret == 0)
			ret = shield_show(mounts, dev, name, front, name, 1);
	}
	return ret == 0 ? make_terminals(mounts, front) : ret;
}

/* Put a directory of our own before the one dev is open on. */
static int
cover(struct mounts *mounts, int dev, const struct request_op *ops,
    uint32_t count, const char *texts)
{
	int front;
	int ret;

	front = mounts_new_tmpfs(
	    mounts, CALLS_NOSUID | CALLS_NODEV | CALLS_NOEXEC);
	if (front < 0)
		return front;
	ret = mounts_attach(mounts, front, dev, REQUEST_DEV);
	if (ret == 0)
		ret = fill(mounts, dev, front, ops, count, texts);
	if (ret == 0)
		ret = mounts_add(
		    mounts, front, CALLS_READ_ONLY, 0, 0, REQUEST_DEV);
	close(front);
	return ret;
}

/* All other mounts are without devices; dev is the detached copy of /dev. */
static int
replace(struct mounts *mounts, int dev, const struct request_op *ops,
    uint32_t count, const char *texts)
{
	uint32_t i;
	int place;
	int ret;

	place = mounts_open(mounts, REQUEST_DEV);
	if (place < 0)
		return place;
	ret = mounts_attach(mounts, dev, place, REQUEST_DEV);
	close(place);
	for (i = 0; ret == 0 && i < count; i++) {
		if (ops[i].type != REQUEST_DEVICES)
			continue;
		place = mounts_open_op(mounts, &ops[i], REQUEST_DEV);
		if (place < 0)
			return place;
		close(place);
		ret = cover(mounts, dev, ops, count, texts);
		mounts->has_dev = 1;
	}
	return ret;
}

int
dev_make(struct mounts *mounts, const struct request_op *ops, uint32_t count,
    const char *texts)
{
	struct calls_attr nodev = {.set = CALLS_NODEV};
	int ret = 0;
	int dev;

	dev = calls_open_tree(AT_FDCWD, REQUEST_DEV,
	    CALLS_CLONE | CALLS_CLOEXEC | CALLS_RECURSIVE);
	if (dev < 0 && errno != ENOENT)
		return mounts_fail(mounts, "open_tree", REQUEST_DEV);
	if (calls_setattr(AT_FDCWD, "/", CALLS_RECURSIVE, &nodev) != 0)
		ret = mounts_fail(mounts, "mount_setattr", "/");
	if (ret == 0 && dev >= 0)
		ret = replace(mounts, dev, ops, count, texts);
	if (dev >= 0)
		close(dev);
	return ret;
}
