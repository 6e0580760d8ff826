/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * reals.c - attempts on the real protected places, in a form that does no
 * harm when it works: nothing is written, truncated, moved or removed. New
 * names are in changes.c.
 *
 * Identity decides: a file counts as reached only when it is the very file the
 * tool saw outside (device and inode), not when a mask can be opened.
 */

#include "config.h"

#include "attempt.h"

#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <sys/xattr.h>

#define ABSENT_ATTRIBUTE "user.omega-verify-absent"

/* What is done with each sample. */
struct act {
	int (*fn)(
	    struct attempt_input *in, const struct attempt_sample *sample);
	struct attempt_opening opening; /* if it is opened */
};

ATTEMPT(each)
{
	const struct act *act = in->how;

	return attempt_each(in, act->fn);
}

static bool
is_sample(const struct stat *st, const struct attempt_sample *sample)
{
	return st->st_dev == sample->dev && st->st_ino == sample->ino;
}

static int
is_same(int fd, const struct attempt_sample *sample)
{
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0)
		return errno;
	return is_sample(&st, sample) ? 0 : ENODATA;
}

static int
open_one(struct attempt_input *in, const struct attempt_sample *sample)
{
	const struct act *act = in->how;
	int fd = attempt_open(in, &act->opening, sample->path);
	int error = is_same(fd, sample);

	if (fd >= 0)
		close(fd);
	return error;
}

/*
 * To a length no file may have: that it is too long is told, last of all, only
 * to who might change the length. Not where somebody who changes a file takes
 * its rights away.
 */
static int
truncate_one(struct attempt_input *in, const struct attempt_sample *sample)
{
	struct rlimit before;
	struct rlimit none;
	struct stat st;
	int error;

	(void)in;
	if (stat(sample->path, &st) != 0)
		return errno;
	if (!is_sample(&st, sample) || !S_ISREG(st.st_mode) ||
	    (st.st_mode & (S_ISUID | S_ISGID)) != 0 ||
	    getxattr(sample->path, "security.capability", NULL, 0) >= 0)
		return ENODATA;
	if (getrlimit(RLIMIT_FSIZE, &before) != 0)
		return errno;
	none = before;
	none.rlim_cur = 0;
	signal(SIGXFSZ, SIG_IGN);
	if (setrlimit(RLIMIT_FSIZE, &none) != 0)
		return errno;
	error = attempt_reached(truncate(sample->path, LLONG_MAX), EFBIG);
	setrlimit(RLIMIT_FSIZE, &before);
	signal(SIGXFSZ, SIG_DFL);
	return error;
}

/* An attribute that is not there: told so only to who might remove it. */
static int
touch_attribute(struct attempt_input *in, const struct attempt_sample *sample)
{
	(void)in;
	return attempt_reached(
	    removexattr(sample->path, ABSENT_ATTRIBUTE), ENODATA);
}

ATTEMPT_IS(attribute_of_directory,
    attempt_reached(removexattr(in->target, ABSENT_ATTRIBUTE), ENODATA))

/* Where there may be no attributes, in memory only: the mode it has. */
static int
touch_mode(struct attempt_input *in, const struct attempt_sample *sample)
{
	struct statfs fs;
	struct stat st;

	(void)in;
	if (statfs(sample->path, &fs) != 0 || stat(sample->path, &st) != 0)
		return errno;
	if (fs.f_type != PROC_SUPER_MAGIC && fs.f_type != SYSFS_MAGIC &&
	    fs.f_type != TMPFS_MAGIC)
		return EOPNOTSUPP;
	/* A name is enough where none was seen. */
	if (sample->ino != 0 && !is_sample(&st, sample))
		return ENODATA;
	return attempt_result(chmod(sample->path, st.st_mode & 07777));
}

ATTEMPT(mode_of_directory)
{
	struct attempt_sample sample = {.ino = 0};

	snprintf(sample.path, sizeof(sample.path), "%s", in->target);
	return touch_mode(in, &sample);
}

static int
device_ioctl(struct attempt_input *in, const struct attempt_sample *sample)
{
	int fd =
	    open(sample->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int error = is_same(fd, sample);
	int sector = 0;
	struct stat st;

	(void)in;
	if (error == 0 && (fstat(fd, &st) != 0 || !S_ISBLK(st.st_mode)))
		error = ENODATA;
	if (error == 0)
		error = attempt_result(ioctl(fd, BLKIOMIN, &sector));
	if (fd >= 0)
		close(fd);
	return error;
}

/* A node of our own for a device that is there. */
static int
device_by_node(struct attempt_input *in, const struct attempt_sample *sample)
{
	char *node = ATTEMPT_JOIN(in->free, "node");
	struct stat st;
	int error;
	int fd;

	if (stat(sample->path, &st) != 0 || !S_ISBLK(st.st_mode))
		return ENODATA;
	unlink(node);
	if (mknod(node, S_IFBLK | 0600, st.st_rdev) != 0)
		return errno;
	fd = open(node, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
	error = attempt_result(fd);
	if (fd >= 0)
		close(fd);
	unlink(node);
	return error;
}

/* One that was there already; who could not make one may not do so here. */
ATTEMPT(device_by_other_node)
{
	const char *node = ATTEMPT_JOIN(in->free, "node");
	struct stat st;
	int fd;

	if (in->extra[0] == '\0') {
		if (mknod(node, S_IFBLK | 0600, makedev(7, 0)) != 0)
			return errno;
		unlink(node);
		return ENODATA;
	}
	fd = open(in->extra, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st) != 0)
		return errno;
	return S_ISBLK(st.st_mode) ? 0 : ENODATA;
}

ATTEMPT_IS(list, attempt_list(opendir(in->target), NULL))

static int
read_by_name(struct attempt_input *in, const struct attempt_sample *sample)
{
	return attempt_read_token(
	    in, in->type == 'd' ? ATTEMPT_JOIN(sample->path, ATTEMPT_SECRET)
				: sample->path);
}

/*
 * The directories above cannot be removed because they are full, which does no
 * harm. Who is told so could have renamed them; what is mounted is busy.
 */
ATTEMPT(remove_above)
{
	char path[PATH_MAX];
	char *slash;
	int error = EBUSY;

	snprintf(path, sizeof(path), "%s", in->target);
	while ((slash = strrchr(path, '/')) != NULL && slash != path) {
		*slash = '\0';
		error = attempt_reached(rmdir(path), ENOTEMPTY);
		if (error == 0) {
			snprintf(
			    in->detail, sizeof(in->detail), "%.250s", path);
			return 0;
		}
	}
	return error;
}

#define SAMPLES ATTEMPT_REAL | ATTEMPT_THERE | ATTEMPT_SYSTEM, ATTEMPT_SAMPLES
#define SYSTEM ATTEMPT_REAL | ATTEMPT_SYSTEM
#define DIRECTORY ATTEMPT_REAL | ATTEMPT_DIR, ATTEMPT_PLAIN, NULL
#define ANY_DIRECTORY ATTEMPT_DIR | SYSTEM, ATTEMPT_PLAIN, NULL
#define ANYWHERE ATTEMPT_COPY | ATTEMPT_THERE | SYSTEM, ATTEMPT_PLAIN, NULL
#define TO_READ "path", READ, SAMPLES
#define TO_WRITE "path", WRITE, SAMPLES
#define DEVICES "path", WRITE, SYSTEM, ATTEMPT_DEVICES
#define TO_CHANGE "metadata", CHANGE
#define DO(fn) (&(const struct act){fn, {ATTEMPT_BY_NAME, 0}})
#define OPEN(way, flags)      \
	(&(const struct act){ \
	    open_one, {ATTEMPT_BY_##way, (flags) | O_NONBLOCK | O_NOCTTY}})

const struct attempt attempt_reals[] = {
    {"read", TO_READ, OPEN(NAME, O_RDONLY), each},
    {"by /proc/self/root", TO_READ, OPEN(OWN_ROOT, O_RDONLY), each},
    {"by /proc/PID/root", TO_READ, OPEN(OTHER_ROOT, O_RDONLY), each},
    {"by a symbolic link", TO_READ, OPEN(LINK, O_RDONLY), each},
    {"list", "path", LIST, DIRECTORY, list},
    {"open for writing", TO_WRITE, OPEN(NAME, O_WRONLY), each},
    {"the same by /proc/self/root", TO_WRITE, OPEN(OWN_ROOT, O_WRONLY), each},
    {"the same by /proc/PID/root", TO_WRITE, OPEN(OTHER_ROOT, O_WRONLY), each},
    {"truncate", TO_WRITE, DO(truncate_one), each},
    {"open devices for writing", DEVICES, OPEN(NAME, O_WRONLY), each},
    {"ioctl of devices", DEVICES, DO(device_ioctl), each},
    {"devices by nodes of its own", DEVICES, DO(device_by_node), each},
    {"a device by a node elsewhere", "aliases", ALL, SYSTEM, ATTEMPT_NODE, NULL,
	device_by_other_node},
    {"rmdir of what it is in", "path", RENAME, ANYWHERE, remove_above},
    {"remove an attribute", TO_CHANGE, SAMPLES, DO(touch_attribute), each},
    {"chmod in memory", TO_CHANGE, SAMPLES, DO(touch_mode), each},
    {"chmod of the directory in memory", TO_CHANGE, ANY_DIRECTORY,
	mode_of_directory},
    {"chmod by another name of it", TO_CHANGE, SYSTEM, ATTEMPT_NAMES,
	DO(touch_mode), each},
    {"read by another name it has", "aliases", ALL,
	ATTEMPT_COPY | ATTEMPT_THERE, ATTEMPT_NAMES, DO(read_by_name), each},
    {"remove one of the directory", TO_CHANGE, ANY_DIRECTORY,
	attribute_of_directory},
    ATTEMPT_END,
};
