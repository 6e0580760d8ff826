/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * reals.c - attempts on the real protected places, in a form that does no
 * harm when it works: nothing is written, truncated, moved or removed. New
 * names are in makes.c.
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
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <omega/sandbox.h>

/*
 * Call fn for each sample until one works; what worked is told. Otherwise the
 * last error.
 */
static int
each_sample(struct attempt_input *in,
    int (*fn)(struct attempt_input *in, const char *path, dev_t dev, ino_t ino))
{
	const char *at = in->extra;
	char path[PATH_MAX];
	int error = ENODATA;

	while (*at != '\0') {
		unsigned long long dev = strtoull(at, NULL, 10);
		const char *colon = strchr(at, ':');
		const char *equals = strchr(at, '=');
		size_t len;

		if (colon == NULL || equals == NULL)
			return EINVAL;
		len = strcspn(equals + 1, "\n");
		if (len >= sizeof(path))
			return ENAMETOOLONG;
		memcpy(path, equals + 1, len);
		path[len] = '\0';
		error = fn(
		    in, path, (dev_t)dev, (ino_t)strtoull(colon + 1, NULL, 10));
		if (error == 0) {
			snprintf(
			    in->detail, sizeof(in->detail), "%.250s", path);
			return 0;
		}
		at = equals + 1 + len;
		at += *at == '\n';
	}
	return error;
}

static int
is_same(int fd, dev_t dev, ino_t ino)
{
	struct stat st;

	if (fd < 0)
		return errno;
	if (fstat(fd, &st) != 0)
		return errno;
	return st.st_dev == dev && st.st_ino == ino ? 0 : ENODATA;
}

static int
open_and_close(const char *path, int flags, dev_t dev, ino_t ino)
{
	int fd = open(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int error = is_same(fd, dev, ino);

	if (fd >= 0)
		close(fd);
	return error;
}

static int
read_one(struct attempt_input *in, const char *path, dev_t dev, ino_t ino)
{
	(void)in;
	return open_and_close(path, O_RDONLY, dev, ino);
}

static int
read_by_own_root(
    struct attempt_input *in, const char *path, dev_t dev, ino_t ino)
{
	(void)in;
	return open_and_close(
	    ATTEMPT_JOIN("/proc/self/root", path + 1), O_RDONLY, dev, ino);
}

static int
read_by_other_root(
    struct attempt_input *in, const char *path, dev_t dev, ino_t ino)
{
	char root[64];

	snprintf(root, sizeof(root), "/proc/%ld/root", (long)in->outside);
	return open_and_close(ATTEMPT_JOIN(root, path + 1), O_RDONLY, dev, ino);
}

static int
read_by_link(struct attempt_input *in, const char *path, dev_t dev, ino_t ino)
{
	char *link = ATTEMPT_JOIN(in->free, "real-link");

	unlink(link);
	if (symlink(path, link) != 0)
		return errno;
	return open_and_close(link, O_RDONLY, dev, ino);
}

static int
write_one(struct attempt_input *in, const char *path, dev_t dev, ino_t ino)
{
	(void)in;
	return open_and_close(path, O_WRONLY, dev, ino);
}

static int
write_by_own_root(
    struct attempt_input *in, const char *path, dev_t dev, ino_t ino)
{
	(void)in;
	return open_and_close(
	    ATTEMPT_JOIN("/proc/self/root", path + 1), O_WRONLY, dev, ino);
}

static int
write_by_other_root(
    struct attempt_input *in, const char *path, dev_t dev, ino_t ino)
{
	char root[64];

	snprintf(root, sizeof(root), "/proc/%ld/root", (long)in->outside);
	return open_and_close(ATTEMPT_JOIN(root, path + 1), O_WRONLY, dev, ino);
}

/*
 * To a length no file may have: that it is too long is told, last of all, only
 * to who might change the length. Not where somebody who changes a file takes
 * its rights away.
 */
static int
truncate_one(struct attempt_input *in, const char *path, dev_t dev, ino_t ino)
{
	struct rlimit before;
	struct rlimit none;
	struct stat st;
	int error;

	(void)in;
	if (stat(path, &st) != 0)
		return errno;
	if (st.st_dev != dev || st.st_ino != ino || !S_ISREG(st.st_mode) ||
	    (st.st_mode & (S_ISUID | S_ISGID)) != 0 ||
	    getxattr(path, "security.capability", NULL, 0) >= 0)
		return ENODATA;
	if (getrlimit(RLIMIT_FSIZE, &before) != 0)
		return errno;
	none = before;
	none.rlim_cur = 0;
	signal(SIGXFSZ, SIG_IGN);
	if (setrlimit(RLIMIT_FSIZE, &none) != 0)
		return errno;
	error = attempt_reached(truncate(path, LLONG_MAX), EFBIG);
	setrlimit(RLIMIT_FSIZE, &before);
	signal(SIGXFSZ, SIG_DFL);
	return error;
}

/* An attribute that is not there: told so only to who might remove it. */
static int
touch_attribute(
    struct attempt_input *in, const char *path, dev_t dev, ino_t ino)
{
	(void)in;
	(void)dev;
	(void)ino;
	return attempt_reached(
	    removexattr(path, "user.omega-verify-absent"), ENODATA);
}

/* Where there may be no attributes, in memory only: the mode it has. */
static int
touch_mode(struct attempt_input *in, const char *path, dev_t dev, ino_t ino)
{
	struct statfs fs;
	struct stat st;

	(void)in;
	if (statfs(path, &fs) != 0 || stat(path, &st) != 0)
		return errno;
	if (fs.f_type != PROC_SUPER_MAGIC && fs.f_type != SYSFS_MAGIC &&
	    fs.f_type != TMPFS_MAGIC)
		return EOPNOTSUPP;
	if (ino != 0 && (st.st_dev != dev || st.st_ino != ino))
		return ENODATA;
	return attempt_result(chmod(path, st.st_mode & 07777));
}

ATTEMPT(mode_of_directory)
{
	return touch_mode(in, in->target, 0, 0);
}

ATTEMPT(mode_samples)
{
	return each_sample(in, touch_mode);
}

ATTEMPT(read_samples)
{
	return each_sample(in, read_one);
}

ATTEMPT(own_root_samples)
{
	return each_sample(in, read_by_own_root);
}

ATTEMPT(other_root_samples)
{
	return each_sample(in, read_by_other_root);
}

ATTEMPT(link_samples)
{
	return each_sample(in, read_by_link);
}

ATTEMPT(write_samples)
{
	return each_sample(in, write_one);
}

ATTEMPT(write_samples_by_own_root)
{
	return each_sample(in, write_by_own_root);
}

ATTEMPT(write_samples_by_other_root)
{
	return each_sample(in, write_by_other_root);
}

ATTEMPT(truncate_samples)
{
	return each_sample(in, truncate_one);
}

ATTEMPT(attribute_samples)
{
	return each_sample(in, touch_attribute);
}

ATTEMPT(attribute_of_directory)
{
	return attempt_reached(
	    removexattr(in->target, "user.omega-verify-absent"), ENODATA);
}

static int
device_ioctl(struct attempt_input *in, const char *path, dev_t dev, ino_t ino)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int error = is_same(fd, dev, ino);
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

ATTEMPT(device_ioctls)
{
	return each_sample(in, device_ioctl);
}

/* A node of our own for a device that is there. */
static int
device_by_node(struct attempt_input *in, const char *path, dev_t dev, ino_t ino)
{
	char *node = ATTEMPT_JOIN(in->free, "node");
	struct stat st;
	int error;
	int fd;

	(void)dev;
	(void)ino;
	if (stat(path, &st) != 0 || !S_ISBLK(st.st_mode))
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

ATTEMPT(devices_by_nodes)
{
	return each_sample(in, device_by_node);
}

/* One that was there already; who could not make one may not do so here. */
ATTEMPT(device_by_other_node)
{
	struct stat st;
	int fd;

	if (in->extra[0] == '\0') {
		const char *node = ATTEMPT_JOIN(in->free, "node");

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

ATTEMPT(list)
{
	DIR *stream = opendir(in->target);
	struct dirent *entry;

	if (stream == NULL)
		return errno;
	while ((entry = readdir(stream)) != NULL)
		if (strcmp(entry->d_name, ".") != 0 &&
		    strcmp(entry->d_name, "..") != 0)
			return 0;
	return ENODATA;
}

static int
touch_mode_of(struct attempt_input *in, const char *path)
{
	return touch_mode(in, path, 0, 0);
}

ATTEMPT(mode_by_names)
{
	return attempt_each_name(in, touch_mode_of);
}

static int
read_by_name(struct attempt_input *in, const char *path)
{
	return attempt_read_token(
	    in, in->type == 'd' ? ATTEMPT_JOIN(path, ATTEMPT_SECRET) : path);
}

ATTEMPT(read_by_names)
{
	return attempt_each_name(in, read_by_name);
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

#define READ OMEGA_SANDBOX_FORBIDS_READ
#define LIST OMEGA_SANDBOX_FORBIDS_LIST
#define WRITE OMEGA_SANDBOX_FORBIDS_WRITE
#define RENAME OMEGA_SANDBOX_FORBIDS_RENAME
#define CHANGE OMEGA_SANDBOX_FORBIDS_CHANGE
#define SAMPLES ATTEMPT_REAL | ATTEMPT_THERE | ATTEMPT_SYSTEM, ATTEMPT_SAMPLES
#define DEVICES ATTEMPT_REAL | ATTEMPT_SYSTEM, ATTEMPT_DEVICES
#define DIRECTORY ATTEMPT_REAL | ATTEMPT_DIR, ATTEMPT_PLAIN
#define ANY_DIRECTORY ATTEMPT_REAL | ATTEMPT_DIR | ATTEMPT_SYSTEM, ATTEMPT_PLAIN
#define NAMES ATTEMPT_REAL | ATTEMPT_SYSTEM, ATTEMPT_NAMES

const struct attempt attempt_reals[] = {
    {"read", "path", READ, SAMPLES, read_samples},
    {"by /proc/self/root", "path", READ, SAMPLES, own_root_samples},
    {"by /proc/PID/root", "path", READ, SAMPLES, other_root_samples},
    {"by a symbolic link", "path", READ, SAMPLES, link_samples},
    {"list", "path", LIST, DIRECTORY, list},
    {"open for writing", "path", WRITE, SAMPLES, write_samples},
    {"the same by /proc/self/root", "path", WRITE, SAMPLES,
	write_samples_by_own_root},
    {"the same by /proc/PID/root", "path", WRITE, SAMPLES,
	write_samples_by_other_root},
    {"truncate", "path", WRITE, SAMPLES, truncate_samples},
    {"open devices for writing", "path", WRITE, DEVICES, write_samples},
    {"ioctl of devices", "path", WRITE, DEVICES, device_ioctls},
    {"devices by nodes of its own", "path", WRITE, DEVICES, devices_by_nodes},
    {"a device by a node elsewhere", "aliases", OMEGA_SANDBOX_FORBIDS_ALL,
	ATTEMPT_REAL | ATTEMPT_SYSTEM, ATTEMPT_NODE, device_by_other_node},
    {"rmdir of what it is in", "path", RENAME,
	ATTEMPT_COPY | ATTEMPT_REAL | ATTEMPT_THERE | ATTEMPT_SYSTEM,
	ATTEMPT_PLAIN, remove_above},
    {"remove an attribute", "metadata", CHANGE, SAMPLES, attribute_samples},
    {"chmod in memory", "metadata", CHANGE, SAMPLES, mode_samples},
    {"chmod of the directory in memory", "metadata", CHANGE, ANY_DIRECTORY,
	mode_of_directory},
    {"chmod by another name of it", "metadata", CHANGE, NAMES, mode_by_names},
    {"read by another name it has", "aliases", OMEGA_SANDBOX_FORBIDS_ALL,
	ATTEMPT_COPY | ATTEMPT_THERE, ATTEMPT_NAMES, read_by_names},
    {"remove one of the directory", "metadata", CHANGE, ANY_DIRECTORY,
	attribute_of_directory},
    {NULL, NULL, 0, 0, ATTEMPT_PLAIN, NULL},
};
