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
#include <stdint.h>
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

/* For users too, from Linux 5.13 on. */
TRICK(notify_data)
{
	int fd = (int)syscall(SYS_fanotify_init, 0x200, 0); /* REPORT_FID */

	(void)arg;
	if (fd < 0)
		return errno;
	return escapes_result(syscall(SYS_fanotify_mark, fd, 1, 2ULL, AT_FDCWD,
	    escapes_in(dir, "data"))); /* ADD, MODIFY */
}

TRICK(run_by_descriptor)
{
	char *const argv[] = {escapes_in(dir, "data/tool"), NULL};
	int fd = open(argv[0], O_PATH);

	(void)arg;
	if (fd < 0)
		return errno;
	/* A script, so the descriptor must stay open. */
	return escapes_result(
	    syscall(SYS_execveat, fd, "", argv, NULL, AT_EMPTY_PATH));
}

TRICK(unnamed_in_data)
{
	(void)arg;
	return escapes_result(
	    open(escapes_in(dir, "data"), O_TMPFILE | O_RDWR, 0600));
}

TRICK(chown_data_dir)
{
	int fd = open(escapes_in(dir, "data"), O_PATH);

	(void)arg;
	if (fd < 0)
		return errno;
	return escapes_result(
	    fchownat(fd, "", geteuid(), getegid(), AT_EMPTY_PATH));
}

TRICK(chmod_new_way)
{
	(void)arg;
	return escapes_result(
	    syscall(452, AT_FDCWD, escapes_in(dir, DB), 0666, 0));
}

TRICK(xattr_new_way)
{
	struct {
		uint64_t value;
		uint32_t size, flags;
	} args = {(uint64_t)(uintptr_t) "x", 1, 0};

	(void)arg;
	return escapes_result(syscall(463, AT_FDCWD, escapes_in(dir, DB), 0,
	    "user.omega", &args, sizeof(args)));
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
    {"fanotify", MAYBE, notify_data},
    {"execveat", BOTH, run_by_descriptor},
    {"O_TMPFILE", MAYBE, unnamed_in_data},
    {"chown of the directory", BOTH, chown_data_dir},
    {"fchmodat2", MAYBE, chmod_new_way},
    {"setxattrat", MAYBE, xattr_new_way},
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
