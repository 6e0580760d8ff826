/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * changes.c - ways to change what must not be changed: content, names, modes,
 * and the way to it. For copies, which are destroyed when they work.
 */

#include "config.h"

#include "attempt.h"

#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <omega/sandbox.h>

#define BAD "changed by verify"

static int
write_to(int fd)
{
	return fd < 0 ? errno : attempt_result(write(fd, BAD, sizeof(BAD)));
}

ATTEMPT(write_plain)
{
	return write_to(open(in->file, O_WRONLY | O_CLOEXEC));
}

ATTEMPT(append)
{
	return write_to(open(in->file, O_WRONLY | O_APPEND | O_CLOEXEC));
}

ATTEMPT(truncate_name)
{
	return attempt_result(truncate(in->file, 0));
}

ATTEMPT(truncate_open)
{
	return attempt_result(open(in->file, O_RDONLY | O_TRUNC | O_CLOEXEC));
}

ATTEMPT(map_shared)
{
	int fd = open(in->file, O_RDWR | O_CLOEXEC);
	char *text;

	if (fd < 0)
		return errno;
	text = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (text == MAP_FAILED)
		return errno;
	text[0] = 'X';
	return attempt_result(msync(text, 4096, MS_SYNC));
}

ATTEMPT(write_by_descriptor)
{
	char path[64];
	int fd = open(in->file, O_PATH | O_CLOEXEC);

	if (fd < 0)
		return errno;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return write_to(open(path, O_WRONLY | O_CLOEXEC));
}

ATTEMPT(write_by_other_root)
{
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "/proc/%ld/root%s", (long)in->outside,
	    in->file);
	return write_to(open(path, O_WRONLY | O_CLOEXEC));
}

/* ---- New names: in the directory, or in place of what is absent ---------- */

#define NEW_NAME(in) \
	((in)->type == 'd' ? ATTEMPT_JOIN((in)->target, "new") : (in)->target)

ATTEMPT(create)
{
	return attempt_result(
	    open(NEW_NAME(in), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600));
}

ATTEMPT(make_directory)
{
	return attempt_result(mkdir(NEW_NAME(in), 0700));
}

ATTEMPT(make_symlink)
{
	return attempt_result(symlink("/etc/passwd", NEW_NAME(in)));
}

ATTEMPT(link_in)
{
	return attempt_result(
	    link(ATTEMPT_JOIN(in->free, "file"), NEW_NAME(in)));
}

ATTEMPT(make_fifo)
{
	return attempt_result(mkfifo(NEW_NAME(in), 0600));
}

/* Number 0 is the mark of an overlay, and every user may make it. */
ATTEMPT(make_node)
{
	int error =
	    attempt_result(mknod(NEW_NAME(in), S_IFCHR | 0600, makedev(1, 3)));

	if (error == EPERM)
		error = attempt_result(
		    mknod(NEW_NAME(in), S_IFCHR | 0600, makedev(0, 0)));
	return error;
}

ATTEMPT(make_block_node)
{
	return attempt_result(
	    mknod(NEW_NAME(in), S_IFBLK | 0600, makedev(7, 0)));
}

ATTEMPT(make_socket)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char dir[PATH_MAX];
	char *name;

	/* The whole name may be too long for a socket. */
	snprintf(dir, sizeof(dir), "%s", NEW_NAME(in));
	name = strrchr(dir, '/');
	*name++ = '\0';
	if (chdir(dir) != 0)
		return errno;
	snprintf(at.sun_path, sizeof(at.sun_path), "%.100s", name);
	return attempt_result(bind(fd, (struct sockaddr *)&at, sizeof(at)));
}

/* A file that has no name yet is given this one. */
ATTEMPT(name_unnamed)
{
	char path[64];
	int fd = open(in->free, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd < 0)
		return errno;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return attempt_result(
	    linkat(AT_FDCWD, path, AT_FDCWD, NEW_NAME(in), AT_SYMLINK_FOLLOW));
}

ATTEMPT(rename_in)
{
	return attempt_result(
	    rename(ATTEMPT_JOIN(in->free, "file"), NEW_NAME(in)));
}

ATTEMPT(rename_over)
{
	return attempt_result(rename(ATTEMPT_JOIN(in->free, "file"), in->file));
}

/* ---- Names that go ------------------------------------------------------- */

ATTEMPT(delete_file)
{
	return attempt_result(unlink(in->file));
}

ATTEMPT(delete_directory)
{
	return attempt_result(rmdir(ATTEMPT_JOIN(in->target, "sub")));
}

ATTEMPT(delete_all)
{
	unlink(in->file);
	unlink(ATTEMPT_JOIN(in->target, "tool"));
	rmdir(ATTEMPT_JOIN(in->target, "sub"));
	return attempt_result(rmdir(in->target));
}

ATTEMPT(rename_out)
{
	return attempt_result(rename(in->file, ATTEMPT_JOIN(in->free, "out")));
}

ATTEMPT(rename_away)
{
	char other[PATH_MAX + 8];

	snprintf(other, sizeof(other), "%s.moved", in->target);
	return attempt_result(rename(in->target, other));
}

ATTEMPT(exchange)
{
	return attempt_result(syscall(SYS_renameat2, AT_FDCWD, in->target,
	    AT_FDCWD, ATTEMPT_JOIN(in->free, in->type == 'd' ? "dir" : "file"),
	    RENAME_EXCHANGE));
}

ATTEMPT(link_out)
{
	return attempt_result(link(in->file, ATTEMPT_JOIN(in->free, "linked")));
}

static int
move_aside(const char *path)
{
	char other[PATH_MAX + 8];

	snprintf(other, sizeof(other), "%s.moved", path);
	return attempt_result(rename(path, other));
}

ATTEMPT(rename_data_dir)
{
	return move_aside(in->data_dir);
}

ATTEMPT(rename_home)
{
	return move_aside(in->home);
}

ATTEMPT(rename_above)
{
	return move_aside(ATTEMPT_JOIN(in->top, "above"));
}

/* ---- Metadata ------------------------------------------------------------ */

ATTEMPT(change_mode)
{
	return attempt_result(chmod(in->file, 0646));
}

ATTEMPT(change_mode_of_directory)
{
	return attempt_result(chmod(in->target, 0757));
}

ATTEMPT(change_owner)
{
	return attempt_result(chown(in->file, geteuid(), getegid()));
}

ATTEMPT(change_times)
{
	const struct timespec times[2] = {{1, 0}, {1, 0}};

	return attempt_result(utimensat(AT_FDCWD, in->file, times, 0));
}

ATTEMPT(change_attribute)
{
	return attempt_result(
	    setxattr(in->file, "user.omega-verify", "x", 1, 0));
}

ATTEMPT(change_flags)
{
	int fd = open(in->file, O_RDONLY | O_CLOEXEC);
	int flags = 0;

	if (fd < 0 || ioctl(fd, FS_IOC_GETFLAGS, &flags) != 0)
		return errno;
	flags |= 0x40; /* no dump */
	return attempt_result(ioctl(fd, FS_IOC_SETFLAGS, &flags));
}

/* What must work: the command's own files. */
ATTEMPT(use)
{
	char *name = ATTEMPT_JOIN(in->free, "used");
	int fd = open(name, O_CREAT | O_RDWR | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, "x", 1) != 1 || close(fd) != 0)
		return errno;
	return attempt_result(unlink(name));
}

#define WRITE OMEGA_SANDBOX_FORBIDS_WRITE
#define CREATE OMEGA_SANDBOX_FORBIDS_CREATE
#define REMOVE OMEGA_SANDBOX_FORBIDS_REMOVE
#define RENAME OMEGA_SANDBOX_FORBIDS_RENAME
#define CHANGE OMEGA_SANDBOX_FORBIDS_CHANGE
#define ALL OMEGA_SANDBOX_FORBIDS_ALL
#define COPY ATTEMPT_COPY | ATTEMPT_THERE, ATTEMPT_PLAIN
#define COPY_DIR ATTEMPT_COPY | ATTEMPT_DIR, ATTEMPT_PLAIN
#define NEW ATTEMPT_COPY | ATTEMPT_DIR | ATTEMPT_ABSENT, ATTEMPT_PLAIN
#define ABSENT ATTEMPT_COPY | ATTEMPT_ABSENT, ATTEMPT_PLAIN

const struct attempt attempt_changes[] = {
    {"write", "path", WRITE, COPY, write_plain},
    {"append", "path", WRITE, COPY, append},
    {"truncate", "path", WRITE, COPY, truncate_name},
    {"open and truncate", "path", WRITE, COPY, truncate_open},
    {"map and write", "path", WRITE, COPY, map_shared},
    {"write by /proc/self/fd", "path", WRITE, COPY, write_by_descriptor},
    {"write by /proc/PID/root", "path", WRITE, COPY, write_by_other_root},
    {"create", "path", CREATE, NEW, create},
    {"mkdir", "path", CREATE, NEW, make_directory},
    {"symlink", "path", CREATE, NEW, make_symlink},
    {"link in", "path", CREATE, NEW, link_in},
    {"mkfifo", "path", CREATE, NEW, make_fifo},
    {"make a device", "path", CREATE, NEW, make_node},
    {"make a block device", "path", CREATE, NEW, make_block_node},
    {"bind a socket", "path", CREATE, NEW, make_socket},
    {"name a file without one", "path", CREATE, NEW, name_unnamed},
    {"rename in", "path", CREATE, NEW, rename_in},
    {"rename over", "path", CREATE, COPY, rename_over},
    {"delete", "path", REMOVE, COPY, delete_file},
    {"rmdir", "path", REMOVE, COPY_DIR, delete_directory},
    {"delete all of it", "path", REMOVE, COPY_DIR, delete_all},
    {"rename out", "path", RENAME, COPY, rename_out},
    {"rename", "path", RENAME, COPY, rename_away},
    {"exchange", "path", RENAME, COPY, exchange},
    {"link out", "path", RENAME, COPY, link_out},
    {"rename the data directory", "path", RENAME, COPY, rename_data_dir},
    {"rename the home", "path", RENAME, COPY, rename_home},
    {"rename what that is in", "path", RENAME, COPY, rename_above},
    {"chmod", "metadata", CHANGE, COPY, change_mode},
    {"chmod of the directory", "metadata", CHANGE, COPY_DIR,
	change_mode_of_directory},
    {"chown", "metadata", CHANGE, COPY, change_owner},
    {"utimes", "metadata", CHANGE, COPY, change_times},
    {"setxattr", "metadata", CHANGE, COPY, change_attribute},
    {"chattr", "metadata", CHANGE, COPY, change_flags},
    {ATTEMPT_USE, "", 0, 0, ATTEMPT_PLAIN, use},
    {"create", "absent_paths", ALL, ABSENT, create},
    {"mkdir", "absent_paths", ALL, ABSENT, make_directory},
    {"symlink", "absent_paths", ALL, ABSENT, make_symlink},
    {"rename in", "absent_paths", ALL, ABSENT, rename_in},
    {NULL, NULL, 0, 0, ATTEMPT_PLAIN, NULL},
};
