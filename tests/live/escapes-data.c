/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * escapes-data.c - the data and config.toml, by further calls.
 */

#include "escapes.h"

#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

/* A descriptor that only names the file, opened again. */
TRICK(reopen_data)
{
	char path[64];
	int fd = open(escapes_in(dir, DB), O_PATH);

	(void)arg;
	if (fd < 0)
		return errno;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return attempts_read_secret(path);
}

TRICK(link_by_descriptor)
{
	char path[64];
	int fd = open(escapes_in(dir, DB), O_PATH);

	(void)arg;
	if (fd < 0)
		return errno;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return escapes_result(linkat(AT_FDCWD, path, AT_FDCWD,
	    escapes_in(dir, "workspace/by-fd"), AT_SYMLINK_FOLLOW));
}

TRICK(watch_data)
{
	(void)arg;
	return escapes_result(inotify_add_watch(
	    inotify_init(), escapes_in(dir, "data"), IN_ALL_EVENTS));
}

TRICK(remove_data)
{
	(void)arg;
	unlink(escapes_in(dir, DB));
	unlink(escapes_in(dir, "data/tool"));
	return escapes_result(rmdir(escapes_in(dir, "data")));
}

TRICK(handle_of_data)
{
	union {
		struct file_handle head;
		char space[sizeof(struct file_handle) + MAX_HANDLE_SZ];
	} handle;
	int id;

	(void)arg;
	handle.head.handle_bytes = MAX_HANDLE_SZ;
	return escapes_result(name_to_handle_at(
	    AT_FDCWD, escapes_in(dir, DB), &handle.head, &id, 0));
}

TRICK(link_config)
{
	(void)arg;
	return escapes_result(
	    link(escapes_in(dir, CONFIG), escapes_in(dir, "workspace/c")));
}

TRICK(truncate_config)
{
	(void)arg;
	return escapes_result(truncate(escapes_in(dir, CONFIG), 0));
}

TRICK(chown_config)
{
	(void)arg;
	return escapes_result(
	    chown(escapes_in(dir, CONFIG), geteuid(), getegid()));
}

TRICK(touch_config)
{
	(void)arg;
	return escapes_result(
	    utimensat(AT_FDCWD, escapes_in(dir, CONFIG), NULL, 0));
}

TRICK(xattr_config)
{
	(void)arg;
	return escapes_result(
	    setxattr(escapes_in(dir, CONFIG), "user.omega", "x", 1, 0));
}

TRICK(map_config)
{
	int fd = open(escapes_in(dir, CONFIG), O_RDWR);

	(void)arg;
	if (fd < 0)
		return errno;
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) ==
		       MAP_FAILED
		   ? errno
		   : 0;
}

TRICK(exchange_config)
{
	(void)arg;
	return escapes_result(
	    syscall(SYS_renameat2, AT_FDCWD, escapes_in(dir, CONFIG), AT_FDCWD,
		escapes_in(dir, "workspace/file"), 2));
}

TRICK(config_by_other_root)
{
	char path[3 * PATH_MAX];

	snprintf(path, sizeof(path), "/proc/%d/root%s", escapes_pid(arg),
	    escapes_in(dir, CONFIG));
	return attempts_read_secret(path);
}

const struct attempt escapes_data[] = {
    {"reopen by /proc/self/fd", BOTH, reopen_data},
    {"link by /proc/self/fd", BOTH, link_by_descriptor},
    {"inotify", BOTH, watch_data},
    {"remove data", BOTH, remove_data},
    {"name_to_handle_at", MAYBE, handle_of_data},
    {"link config.toml", BOTH, link_config},
    {"truncate config.toml", BOTH, truncate_config},
    {"chown config.toml", BOTH, chown_config},
    {"utimes config.toml", BOTH, touch_config},
    {"xattr config.toml", BOTH, xattr_config},
    {"mmap config.toml", BOTH, map_config},
    {"exchange config.toml", BOTH, exchange_config},
    {"config.toml by /proc/PID/root", BOTH, config_by_other_root},
    {NULL, BOTH, NULL},
};
