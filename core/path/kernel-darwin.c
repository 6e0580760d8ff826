/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * kernel-darwin.c - path questions put to macOS: fcntl(F_GETPATH) instead of
 * /proc, and a walk name by name instead of openat2.
 *
 * There is no way to open just anything for looking only. O_EVTONLY comes
 * near; a socket cannot be opened at all, and what may not be read may be
 * impossible to open too. Such a path cannot be decided, which callers take
 * for blocked.
 */

#include "config.h"

#include "path/kernel.h"

#include <sys/attr.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "path/text.h"

#define LOOK (O_EVTONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

/* A directory only to be walked through; older kernels take it for reading. */
#ifdef O_SEARCH
#define WALK (O_SEARCH | O_CLOEXEC)
#else
#define WALK (O_RDONLY | O_DIRECTORY | O_CLOEXEC)
#endif

/* What comes for each name, before the name itself. */
struct entry {
	uint32_t size;
	attribute_set_t returned;
	attrreference_t name;
};

static int
open_at(int dir, const char *name, int flags)
{
	int fd = openat(dir, name, LOOK | flags);

	if (fd < 0 && errno == EACCES) {
		fd = openat(dir, name, WALK | flags);
		if (fd < 0 && errno == ENOTDIR)
			errno = EACCES; /* no directory, and not readable */
	}
	return fd < 0 ? -errno : fd;
}

static int
open_unless_link(int dir, const char *name)
{
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return -errno;
	if (S_ISLNK(st.st_mode))
		return -ELOOP;
	return open_at(dir, name, O_NOFOLLOW);
}

/* Open one name more, if it is no link. Takes the directory over. */
static int
open_next(int dir, const char *name, size_t len)
{
	char copy[NAME_MAX + 1];
	int ret = -ENAMETOOLONG;

	if (len <= NAME_MAX) {
		memcpy(copy, name, len);
		copy[len] = '\0';
		ret = open_unless_link(dir, copy);
	}
	close(dir);
	return ret;
}

int
omega_kernel_open_plain(const char *path, int flags)
{
	struct stat st;
	int fd;

	if ((flags & OMEGA_KERNEL_ONE_MOUNT) != 0)
		return -EXDEV; /* for all we know */
	fd = open_at(AT_FDCWD, "/", O_DIRECTORY);
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
omega_kernel_open_object(const char *path, int flags)
{
	/* O_SYMLINK opens a link itself. */
	return open_at(
	    AT_FDCWD, path, (flags & O_NOFOLLOW) != 0 ? O_SYMLINK : 0);
}

int
omega_kernel_open_flags(void)
{
	return O_EXLOCK | O_SHLOCK;
}

/* No two mounts show the same device. */
int
omega_kernel_stat(int fd, const char *name, struct omega_object *object)
{
	struct stat st;

	if ((name[0] == '\0'
		    ? fstat(fd, &st)
		    : fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW)) != 0)
		return -errno;
	object->dev = st.st_dev;
	object->ino = st.st_ino;
	object->mount = (uint64_t)(uint32_t)st.st_dev;
	object->nlink = st.st_nlink;
	object->mode = st.st_mode;
	return 0;
}

/* The entry that begins there, if it lies in the buffer with its name. */
static const char *
name_of(const char *at, const char *end, struct entry *entry)
{
	const char *name;

	if ((size_t)(end - at) < sizeof(*entry))
		return NULL;
	memcpy(entry, at, sizeof(*entry));
	if (entry->size < sizeof(*entry) || entry->size > (size_t)(end - at) ||
	    (entry->returned.commonattr & ATTR_CMN_NAME) == 0)
		return NULL;
	name = at + offsetof(struct entry, name) + entry->name.attr_dataoffset;
	if (name < at || name >= at + entry->size ||
	    memchr(name, '\0', (size_t)(at + entry->size - name)) == NULL)
		return NULL;
	return name;
}

/* readdir(3) would allocate; getattrlistbulk(2) into a small buffer does not.
 */
int
omega_kernel_each_name(
    int dir, int (*visit)(void *arg, const char *name), void *arg)
{
	struct attrlist wanted = {.bitmapcount = ATTR_BIT_MAP_COUNT,
	    .commonattr = ATTR_CMN_RETURNED_ATTRS | ATTR_CMN_NAME};
	_Alignas(8) char buffer[2048];

	for (;;) {
		int count =
		    getattrlistbulk(dir, &wanted, buffer, sizeof(buffer), 0);
		const char *at = buffer;

		if (count <= 0)
			return count < 0 ? -errno : 0;
		for (; count > 0; count--) {
			struct entry entry;
			const char *name =
			    name_of(at, buffer + sizeof(buffer), &entry);
			int ret;

			if (name == NULL)
				return -EPROTO;
			at += entry.size;
			ret = visit(arg, name);
			if (ret != 0)
				return ret;
		}
	}
}

const char *
omega_kernel_lacks(void)
{
	return "";
}

long
omega_kernel_name(int fd, char *name)
{
	char path[MAXPATHLEN];
	size_t len;

	if (fcntl(fd, F_GETPATH, path) != 0)
		return errno == EBADF ? -EBADF : -ENOENT;
	len = strnlen(path, sizeof(path));
	if (len >= PATH_MAX)
		return -ENAMETOOLONG;
	if (len == 0 || path[0] != '/')
		return -ENOENT;
	memcpy(name, path, len);
	name[len] = '\0';
	return (long)len;
}

/* By its name, which must still lead to it. */
int
omega_kernel_reopen(int fd, int flags)
{
	char name[PATH_MAX];
	struct stat before;
	struct stat after;
	long len = omega_kernel_name(fd, name);
	int opened;
	int ret;

	if (len < 0)
		return (int)len;
	/* Opened as it is first: what it is not may not be emptied. */
	opened =
	    open(name, (flags & ~O_TRUNC) | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY);
	if (opened < 0)
		return errno == ELOOP ? -ESTALE : -errno;
	ret =
	    fstat(fd, &before) == 0 && fstat(opened, &after) == 0 ? 0 : -errno;
	if (ret == 0 &&
	    (before.st_dev != after.st_dev || before.st_ino != after.st_ino))
		ret = -ESTALE;
	if (ret == 0 && (flags & O_TRUNC) != 0 && S_ISREG(after.st_mode) &&
	    ftruncate(opened, 0) != 0)
		ret = -errno;
	if (ret == 0)
		return opened;
	close(opened);
	return ret;
}

/*
 * Who renames waits for who changes the directory. A name that is given to
 * itself stays as it is, by POSIX.
 */
int
omega_kernel_settle(const char *path)
{
	return rename(path, path) == 0 ? 0 : -errno;
}

/*
 * Volumes with and without regard to case both take the composed and the
 * decomposed spelling of a letter for one; only what the kernel itself lists
 * is compared byte by byte.
 */
bool
omega_kernel_folds_names(const char *dir)
{
	struct statfs fs;

	return statfs(dir, &fs) != 0 || strcmp(fs.f_fstypename, "devfs") != 0;
}
