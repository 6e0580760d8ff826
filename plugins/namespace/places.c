/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * places.c - see places.h.
 */

#include "places.h"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <linux/capability.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "request.h"

#define MOUNT_ROOT 0x2000u /* STATX_ATTR_MOUNT_ROOT */

/* What mounting with real privilege takes, and mapping every id. */
#define MOUNTING \
	(1ull << CAP_SYS_ADMIN | 1ull << CAP_CHOWN | 1ull << CAP_DAC_OVERRIDE)
#define MAPPING (1ull << CAP_SETFCAP | 1ull << CAP_SETUID | 1ull << CAP_SETGID)

void
places_caller(struct caller *caller)
{
	struct __user_cap_header_struct head = {
	    .version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2];
	uint64_t held;

	memset(data, 0, sizeof(data));
	memset(caller, 0, sizeof(*caller));
	caller->uid = geteuid();
	if (syscall(SYS_capget, &head, data) != 0)
		return;
	/* Another uid loses its capabilities when the builder is started. */
	held = (uint64_t)data[1].effective << 32 | data[0].effective;
	caller->is_root = caller->uid == 0;
	caller->can_mount = caller->is_root && (held & MOUNTING) == MOUNTING;
	if (caller->can_mount && (held & MAPPING) == MAPPING)
		caller->flags = REQUEST_IS_ROOT;
}

int
places_is_below(const char *path, const char *base)
{
	size_t len = strlen(base);

	if (len == 1)
		return 1;
	return strncmp(path, base, len) == 0 &&
	       (path[len] == '\0' || path[len] == '/');
}

size_t
places_depth(const char *path)
{
	size_t depth = 0;

	if (path[1] == '\0')
		return 0;
	for (; *path != '\0'; path++)
		if (*path == '/')
			depth++;
	return depth;
}

/* Cut the last name off. */
static void
go_up(char *path)
{
	char *slash = strrchr(path, '/');

	if (slash != NULL)
		slash[slash == path ? 1 : 0] = '\0';
}

void
places_parent(const char *path, char *parent)
{
	snprintf(parent, PATH_MAX, "%s", path);
	go_up(parent);
}

int
places_join(const char *dir, const char *name, char *path)
{
	int len;

	len =
	    snprintf(path, PATH_MAX, "%s/%s", dir[1] == '\0' ? "" : dir, name);
	return len >= PATH_MAX ? -ENAMETOOLONG : 0;
}

int
places_is_missing(int error)
{
	return error == ENOENT || error == ENOTDIR || error == ELOOP;
}

int
places_existing(const char *path, char *found)
{
	struct stat st;

	if (strlen(path) >= PATH_MAX)
		return -ENAMETOOLONG;
	strcpy(found, path);
	while (found[1] != '\0' && lstat(found, &st) != 0) {
		if (!places_is_missing(errno))
			return -errno;
		go_up(found);
	}
	return 0;
}

int
places_reach(const char *path, char *found)
{
	int is_whole = strlen(path) < PATH_MAX;
	struct stat st;

	snprintf(found, PATH_MAX, "%s", path);
	if (!is_whole)
		go_up(found);
	while (lstat(found, &st) != 0) {
		/* Then it is one name that no file can have there. */
		if (errno == ENAMETOOLONG)
			return -ENOENT;
		if (errno != EACCES || found[1] == '\0')
			return -errno;
		go_up(found);
		is_whole = 0;
	}
	return !is_whole;
}

long
places_number(const char *path, long otherwise)
{
	FILE *file = fopen(path, "re");
	long number = otherwise;

	if (file == NULL)
		return otherwise;
	if (fscanf(file, "%ld", &number) != 1)
		number = otherwise;
	fclose(file);
	return number;
}

int
places_may_create(const char *dir)
{
	return faccessat(AT_FDCWD, dir, W_OK | X_OK, AT_EACCESS) == 0;
}

int
places_can_write(const struct caller *caller, const char *dir)
{
	struct stat st;

	if (faccessat(AT_FDCWD, dir, W_OK, AT_EACCESS) == 0)
		return 1;
	if (errno == EROFS)
		return 0;
	if (caller->is_root || (errno != EACCES && errno != EPERM))
		return 1;
	return stat(dir, &st) != 0 || st.st_uid == caller->uid;
}

int
places_can_rename(const struct caller *caller, const char *path)
{
	char parent[PATH_MAX];
	struct statx at;
	struct stat dir;

	places_parent(path, parent);
	if (!places_can_write(caller, parent))
		return 0;
	if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT,
		STATX_BASIC_STATS, &at) != 0 ||
	    stat(parent, &dir) != 0)
		return 1;
	if ((at.stx_attributes & MOUNT_ROOT) != 0)
		return 0;
	if (caller->is_root || (dir.st_mode & S_ISVTX) == 0)
		return 1;
	return at.stx_uid == caller->uid || dir.st_uid == caller->uid;
}
