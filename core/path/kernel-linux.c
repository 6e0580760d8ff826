/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * kernel-linux.c - path questions put to Linux: openat2, statx, /proc.
 *
 * Works from Linux 4.11 on. Where openat2 is missing or forbidden by a filter
 * the path is walked name by name.
 */

#include "config.h"

#include "path/kernel.h"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "path/text.h"

/* Our own numbers: headers of the oldest system we build on lack some. */
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#define RESOLVE_NO_XDEV_FLAG 0x01
#define RESOLVE_NO_SYMLINKS_FLAG 0x04
#define STATX_MNT_ID_FLAG 0x1000u
#define IOC_GETFLAGS _IOR('f', 1, long)
#define CASEFOLD_FLAG 0x40000000
#define EXT4_TYPE 0xef53UL
#define F2FS_TYPE 0xf2f52010UL
#define TMPFS_TYPE 0x01021994UL
#define OVERLAY_TYPE 0x794c7630UL
#define XFS_TYPE 0x58465342UL
#define XFS_GEOMETRY _IOR('X', 100, struct xfs_geometry)
#define XFS_FOLDS_ASCII 0x2000u

/* As much of XFS's answer about itself as we need. */
struct xfs_geometry {
	char before[92];
	uint32_t flags;
	char after[16];
};

/* What getdents64 gives. */
struct entry {
	uint64_t ino;
	int64_t offset;
	uint16_t size;
	uint8_t type;
	char name[];
};

struct open_how_v0 {
	uint64_t flags;
	uint64_t mode;
	uint64_t resolve;
};

/* Open one name more, if it is no link. Takes the directory over. */
static int
open_next(int dir, const char *name, size_t len)
{
	char copy[NAME_MAX + 1];
	struct stat st;
	int fd = -ENAMETOOLONG;

	if (len <= NAME_MAX) {
		memcpy(copy, name, len);
		copy[len] = '\0';
		fd = openat(dir, copy, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		fd = fd < 0 ? -errno : fd;
	}
	close(dir);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) == 0 && !S_ISLNK(st.st_mode))
		return fd;
	close(fd);
	return -ELOOP;
}

/*
 * Without openat2: name by name. To open the path at once and compare it with
 * what /proc calls the result would not do: a link into another mount
 * namespace can lead to something that is called there as the link is here.
 */
static int
open_plain_by_walk(const char *path, int flags)
{
	struct stat st;
	int fd = open("/", O_PATH | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	for (path += strspn(path, "/"); fd >= 0 && *path != '\0';
	     path += strspn(path, "/")) {
		size_t len = strcspn(path, "/");

		fd = open_next(fd, path, len);
		path += len;
	}
	if (fd >= 0 && (flags & O_DIRECTORY) != 0 &&
	    (fstat(fd, &st) != 0 || !S_ISDIR(st.st_mode))) {
		close(fd);
		return -ENOTDIR;
	}
	return fd;
}

int
omega_kernel_open_plain(const char *path, int flags)
{
	bool is_one_mount = (flags & OMEGA_KERNEL_ONE_MOUNT) != 0;
	struct open_how_v0 how = {
	    .resolve = RESOLVE_NO_SYMLINKS_FLAG |
		       (is_one_mount ? RESOLVE_NO_XDEV_FLAG : 0),
	};
	long fd;

	flags &= ~OMEGA_KERNEL_ONE_MOUNT;
	how.flags = (uint64_t)(O_PATH | O_CLOEXEC | flags);
	fd = syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
	if (fd >= 0)
		return (int)fd;
	if (errno != ENOSYS && errno != EPERM)
		return -errno;
	if (is_one_mount)
		return -EXDEV; /* for all we know */
	return open_plain_by_walk(path, flags);
}

int
omega_kernel_open_object(const char *path, int flags)
{
	int fd = open(path, O_PATH | O_CLOEXEC | flags);

	return fd < 0 ? -errno : fd;
}

int
omega_kernel_open_flags(void)
{
	return O_NOATIME | O_LARGEFILE;
}

/*
 * The number of the mount of an open object, where statx does not tell it
 * (before 5.8). name_to_handle_at would know it too, but not on every file
 * system, overlayfs among them.
 */
static int
mount_by_info(int fd, uint64_t *mount)
{
	static const char key[] = "mnt_id:";
	char path[64];
	char info[512];
	const char *at;
	ssize_t len;
	int in;

	snprintf(path, sizeof(path), "/proc/thread-self/fdinfo/%d", fd);
	in = open(path, O_RDONLY | O_CLOEXEC);
	if (in < 0)
		return -errno;
	len = read(in, info, sizeof(info) - 1);
	if (len < 0)
		len = -errno;
	close(in);
	if (len < 0)
		return (int)len;
	info[len] = '\0';
	at = strstr(info, key);
	if (at == NULL)
		return -EPROTO;
	at += sizeof(key) - 1;
	at += strspn(at, "\t ");
	for (*mount = 0; *at >= '0' && *at <= '9'; at++)
		*mount = *mount * 10 + (uint64_t)(*at - '0');
	return 0;
}

/* The same as omega_kernel_stat, by way of a descriptor. */
static int
stat_opened(int dir, const char *name, struct omega_object *object)
{
	int fd = openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	int ret;

	if (fd < 0)
		return -errno;
	ret = omega_kernel_stat(fd, "", object);
	close(fd);
	return ret;
}

int
omega_kernel_stat(int fd, const char *name, struct omega_object *object)
{
	int flags = name[0] == '\0' ? AT_EMPTY_PATH : 0;
	struct statx st;
	int ret;

	if (statx(fd, name, flags | AT_SYMLINK_NOFOLLOW,
		STATX_TYPE | STATX_MODE | STATX_NLINK | STATX_INO |
		    STATX_MNT_ID_FLAG,
		&st) != 0)
		return -errno;
	if ((st.stx_mask & STATX_MNT_ID_FLAG) != 0) {
		/* Named stx_mnt_id in newer headers than ours may be. */
		memcpy(&object->mount, (const char *)&st + 0x90,
		    sizeof(object->mount));
	} else {
		if (name[0] != '\0')
			return stat_opened(fd, name, object);
		ret = mount_by_info(fd, &object->mount);
		if (ret < 0)
			return ret;
	}
	object->dev = makedev(st.stx_dev_major, st.stx_dev_minor);
	object->ino = st.stx_ino;
	object->nlink = st.stx_nlink;
	object->mode = st.stx_mode;
	return 0;
}

/* readdir(3) would allocate; getdents64 into a small buffer does not. */
int
omega_kernel_each_name(
    int dir, int (*visit)(void *arg, const char *name), void *arg)
{
	_Alignas(struct entry) char buffer[1024];

	for (;;) {
		long n = syscall(SYS_getdents64, dir, buffer, sizeof(buffer));
		long at = 0;

		if (n <= 0)
			return n < 0 ? -errno : 0;
		while (at < n) {
			struct entry *entry = (struct entry *)(buffer + at);
			size_t len = strlen(entry->name);
			int ret;

			at += entry->size;
			if (omega_text_is_dot(entry->name, len) ||
			    omega_text_is_dotdot(entry->name, len))
				continue;
			ret = visit(arg, entry->name);
			if (ret != 0)
				return ret;
		}
	}
}

/* thread-self: a thread may have descriptors of its own. */
static void
proc_link(int fd, char *link, size_t size)
{
	snprintf(link, size, "/proc/thread-self/fd/%d", fd);
}

const char *
omega_kernel_lacks(void)
{
	return access("/proc/thread-self/fd", F_OK) == 0
		   ? ""
		   : "; /proc is not mounted: mount -t proc proc /proc";
}

long
omega_kernel_name(int fd, char *name)
{
	char link[64];
	ssize_t len;

	proc_link(fd, link, sizeof(link));
	len = readlink(link, name, PATH_MAX);
	if (len < 0)
		return -errno;
	if (len >= PATH_MAX)
		return -ENAMETOOLONG;
	if (len == 0 || name[0] != '/')
		return -ENOENT; /* a pipe, a socket: nothing with a name */
	name[len] = '\0';
	return len;
}

int
omega_kernel_reopen(int fd, int flags)
{
	char link[64];
	int opened;

	proc_link(fd, link, sizeof(link));
	opened = open(link, flags | O_CLOEXEC);
	return opened < 0 ? -errno : opened;
}

/*
 * Who makes a name waits for who changes the directory. A hard link to a
 * directory can never be made, so that this cannot succeed; that the name
 * exists is found before that is.
 */
int
omega_kernel_settle(const char *path)
{
	if (linkat(AT_FDCWD, "/", AT_FDCWD, path, 0) == 0)
		return -EPROTO;
	return errno == EEXIST ? 0 : -errno;
}

/* File systems that compare names byte by byte, whatever their options. */
static bool
is_exact_type(unsigned long type)
{
	switch (type) {
	case 0x9fa0UL: /* proc */
	case 0x62656572UL: /* sysfs */
	case 0x27e0ebUL: /* cgroup */
	case 0x63677270UL: /* cgroup2 */
	case 0x1cd1UL: /* devpts */
	case 0x73717368UL: /* squashfs */
	case 0xe0f5e1e2UL: /* erofs */
	case 0x9123683eUL: /* btrfs */
		return true;
	default:
		return false;
	}
}

/*
 * File systems that can be asked: 1 folds, 0 does not, -1 unknown. On the
 * first four folding is a flag of each directory; a version that knows no
 * flags cannot fold either. Overlayfs passes on what its layers say.
 */
static int
asks_to_fold(int fd, unsigned long type)
{
	struct xfs_geometry geometry;
	long flags = 0;

	switch (type) {
	case EXT4_TYPE:
	case F2FS_TYPE:
	case TMPFS_TYPE:
	case OVERLAY_TYPE:
		if (ioctl(fd, IOC_GETFLAGS, &flags) == 0)
			return (flags & CASEFOLD_FLAG) != 0;
		return errno == ENOTTY ? 0 : -1;
	case XFS_TYPE:
		if (ioctl(fd, XFS_GEOMETRY, &geometry) == 0)
			return (geometry.flags & XFS_FOLDS_ASCII) != 0;
		return -1;
	default:
		return -1;
	}
}

bool
omega_kernel_folds_names(const char *dir)
{
	struct statfs fs;
	bool folds = true;
	int fd;

	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return true;
	if (fstatfs(fd, &fs) == 0) {
		unsigned long type = (unsigned long)fs.f_type & 0xffffffffUL;

		folds = !is_exact_type(type) && asks_to_fold(fd, type) != 0;
	}
	close(fd);
	return folds;
}
