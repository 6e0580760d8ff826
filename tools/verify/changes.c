/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * changes.c - ways to change what must not be changed: content, names, modes,
 * and the way to it. For copies, which are destroyed when they work; and new
 * names in real places, where nothing is left, and where without a sandbox
 * nothing is made that could be seen.
 */

#include "config.h"

#include "attempt.h"

#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/xattr.h>

#define BAD "changed by verify"
#define CANARY ".omega-verify-canary"

ATTEMPT(write_file)
{
	int fd = attempt_open(in, in->how, in->file);

	return fd < 0 ? errno : attempt_result(write(fd, BAD, sizeof(BAD)));
}

ATTEMPT_IS(truncate_name, attempt_result(truncate(in->file, 0)))
ATTEMPT_IS(truncate_open,
    attempt_result(open(in->file, O_RDONLY | O_TRUNC | O_CLOEXEC)))

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

/* ---- New names ----------------------------------------------------------- */

/* A way to make one: fn returns what its call does. */
struct maker {
	int (*fn)(const struct attempt_input *in, const char *name);
};

#define MAKER(made, call)                                                    \
	static int made(                                                     \
	    ATTEMPT_UNUSED const struct attempt_input *in, const char *name) \
	{                                                                    \
		return call;                                                 \
	}
MAKER(new_file, open(name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600))
MAKER(new_directory, mkdir(name, 0700))
MAKER(new_symlink, symlink("nowhere", name))
MAKER(new_link, link(ATTEMPT_JOIN(in->free, "file"), name))
MAKER(new_fifo, mkfifo(name, 0600))

/* Number 0 is the mark of an overlay, and every user may make it. */
static int
new_node(ATTEMPT_UNUSED const struct attempt_input *in, const char *name)
{
	int ret = mknod(name, S_IFCHR | 0600, makedev(1, 3));

	if (ret != 0 && errno == EPERM)
		ret = mknod(name, S_IFCHR | 0600, makedev(0, 0));
	return ret;
}

MAKER(new_block_node, mknod(name, S_IFBLK | 0600, makedev(7, 0)))

static int
new_socket(const struct attempt_input *in, const char *name)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const char *last = attempt_go_to(name);

	(void)in;
	if (last == NULL)
		return -1;
	snprintf(at.sun_path, sizeof(at.sun_path), "%.100s", last);
	return bind(fd, (struct sockaddr *)&at, sizeof(at));
}

/* A file that has no name yet is given this one. */
static int
new_name(const struct attempt_input *in, const char *name)
{
	int fd = open(in->free, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	return fd < 0 ? -1
		      : linkat(AT_FDCWD, ATTEMPT_FD(fd), AT_FDCWD, name,
			    AT_SYMLINK_FOLLOW);
}

MAKER(renamed, rename(ATTEMPT_JOIN(in->free, "file"), name))

/* In the directory, or in place of what is absent. */
ATTEMPT(make)
{
	const struct maker *maker = in->how;

	return attempt_result(maker->fn(in,
	    in->type == 'd' ? ATTEMPT_JOIN(in->target, "new") : in->target));
}

/* In a directory of the system. Outside, being allowed to counts. */
ATTEMPT(make_canary)
{
	const struct maker *maker = in->how;
	const char *name = ATTEMPT_JOIN(in->target, CANARY);

	if (in->is_outside)
		return attempt_result(access(in->target, W_OK | X_OK));
	/* One that was left behind: who removes it could have made it. */
	if (maker->fn(in, name) < 0)
		return errno == EEXIST ? attempt_result(remove(name)) : errno;
	remove(name);
	return 0;
}

static int
make_canary_at(struct attempt_input *in, const struct attempt_sample *sample)
{
	struct attempt_input other = *in;

	other.target = sample->path;
	return make_canary(&other);
}

ATTEMPT_IS(make_canary_by_names, attempt_each(in, make_canary_at))

/* A file without a name: nobody sees it, and it is gone at once. */
ATTEMPT_IS(unnamed_file,
    attempt_result(open(in->target, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600)))
ATTEMPT_IS(rename_over,
    attempt_result(rename(ATTEMPT_JOIN(in->free, "file"), in->file)))

/* ---- Names that go ------------------------------------------------------- */

ATTEMPT_IS(delete_file, attempt_result(unlink(in->file)))
ATTEMPT_IS(delete_directory,
    attempt_result(rmdir(ATTEMPT_JOIN(in->target, "sub"))))

ATTEMPT(delete_all)
{
	unlink(in->file);
	unlink(ATTEMPT_JOIN(in->target, "tool"));
	rmdir(ATTEMPT_JOIN(in->target, "sub"));
	return attempt_result(rmdir(in->target));
}

ATTEMPT_IS(rename_out,
    attempt_result(rename(in->file, ATTEMPT_JOIN(in->free, "out"))))
ATTEMPT_IS(exchange,
    attempt_result(syscall(SYS_renameat2, AT_FDCWD, in->target, AT_FDCWD,
	ATTEMPT_JOIN(in->free, in->type == 'd' ? "dir" : "file"),
	RENAME_EXCHANGE)))
ATTEMPT_IS(link_out,
    attempt_result(link(in->file, ATTEMPT_JOIN(in->free, "linked"))))

/* The target, or a directory of the scene it is in. */
ATTEMPT(move_aside)
{
	const char *path = in->how == NULL
			       ? in->target
			       : ATTEMPT_JOIN(in->top, (const char *)in->how);

	return attempt_result(
	    rename(path, attempt_format(ATTEMPT_SPACE, "%s.moved", path)));
}

/* ---- Metadata ------------------------------------------------------------ */

ATTEMPT_IS(change_mode, attempt_result(chmod(in->file, 0646)))
ATTEMPT_IS(change_mode_of_directory, attempt_result(chmod(in->target, 0757)))
ATTEMPT_IS(change_owner, attempt_result(chown(in->file, geteuid(), getegid())))

ATTEMPT(change_times)
{
	const struct timespec times[2] = {{1, 0}, {1, 0}};

	return attempt_result(utimensat(AT_FDCWD, in->file, times, 0));
}

ATTEMPT_IS(change_attribute,
    attempt_result(setxattr(in->file, "user.omega-verify", "x", 1, 0)))

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

#define VIA(way, flags) ATTEMPT_OPEN(ATTEMPT_BY_##way, O_WRONLY | (flags))
#define BY(fn) (&(const struct maker){fn})
#define NEW ATTEMPT_COPY | ATTEMPT_DIR | ATTEMPT_ABSENT, ATTEMPT_PLAIN
#define ABSENT "absent_paths", ALL, ATTEMPT_COPY | ATTEMPT_ABSENT, ATTEMPT_PLAIN
#define ON_COPY COPY, NULL
#define ON_DIR COPY_DIR, NULL

const struct attempt attempt_changes[] = {
    {"write", "path", WRITE, COPY, VIA(NAME, 0), write_file},
    {"append", "path", WRITE, COPY, VIA(NAME, O_APPEND), write_file},
    {"truncate", "path", WRITE, ON_COPY, truncate_name},
    {"open and truncate", "path", WRITE, ON_COPY, truncate_open},
    {"map and write", "path", WRITE, ON_COPY, map_shared},
    {"write by /proc/self/fd", "path", WRITE, COPY, VIA(DESCRIPTOR, 0),
	write_file},
    {"write by /proc/PID/root", "path", WRITE, COPY, VIA(OTHER_ROOT, 0),
	write_file},
    {"create", "path", CREATE, NEW, BY(new_file), make},
    {"mkdir", "path", CREATE, NEW, BY(new_directory), make},
    {"symlink", "path", CREATE, NEW, BY(new_symlink), make},
    {"link in", "path", CREATE, NEW, BY(new_link), make},
    {"mkfifo", "path", CREATE, NEW, BY(new_fifo), make},
    {"make a device", "path", CREATE, NEW, BY(new_node), make},
    {"make a block device", "path", CREATE, NEW, BY(new_block_node), make},
    {"bind a socket", "path", CREATE, NEW, BY(new_socket), make},
    {"name a file without one", "path", CREATE, NEW, BY(new_name), make},
    {"rename in", "path", CREATE, NEW, BY(renamed), make},
    {"rename over", "path", CREATE, ON_COPY, rename_over},
    {"delete", "path", REMOVE, ON_COPY, delete_file},
    {"rmdir", "path", REMOVE, ON_DIR, delete_directory},
    {"delete all of it", "path", REMOVE, ON_DIR, delete_all},
    {"rename out", "path", RENAME, ON_COPY, rename_out},
    {"rename", "path", RENAME, COPY, NULL, move_aside},
    {"exchange", "path", RENAME, ON_COPY, exchange},
    {"link out", "path", RENAME, ON_COPY, link_out},
    {"rename the data directory", "path", RENAME, COPY, ATTEMPT_DATA_DIR,
	move_aside},
    {"rename the home", "path", RENAME, COPY, ATTEMPT_HOME, move_aside},
    {"rename what that is in", "path", RENAME, COPY, "above", move_aside},
    {"chmod", "metadata", CHANGE, ON_COPY, change_mode},
    {"chmod of the directory", "metadata", CHANGE, ON_DIR,
	change_mode_of_directory},
    {"chown", "metadata", CHANGE, ON_COPY, change_owner},
    {"utimes", "metadata", CHANGE, ON_COPY, change_times},
    {"setxattr", "metadata", CHANGE, ON_COPY, change_attribute},
    {"chattr", "metadata", CHANGE, ON_COPY, change_flags},
    {ATTEMPT_USE, "", 0, 0, ATTEMPT_PLAIN, NULL, use},
    {"create", ABSENT, BY(new_file), make},
    {"mkdir", ABSENT, BY(new_directory), make},
    {"symlink", ABSENT, BY(new_symlink), make},
    {"rename in", ABSENT, BY(renamed), make},
    ATTEMPT_END,
};

#define SYSTEM ATTEMPT_REAL | ATTEMPT_SYSTEM, ATTEMPT_PLAIN
#define NAMES ATTEMPT_REAL | ATTEMPT_SYSTEM, ATTEMPT_NAMES

const struct attempt attempt_makes[] = {
    {"make a file without a name", "path", CREATE,
	ATTEMPT_REAL | ATTEMPT_DIR | ATTEMPT_SYSTEM, ATTEMPT_PLAIN, NULL,
	unnamed_file},
    {"create", "path", CREATE, SYSTEM, BY(new_file), make_canary},
    {"create by another name of it", "path", CREATE, NAMES, BY(new_file),
	make_canary_by_names},
    {"mkdir", "path", CREATE, SYSTEM, BY(new_directory), make_canary},
    {"symlink", "path", CREATE, SYSTEM, BY(new_symlink), make_canary},
    {"mkfifo", "path", CREATE, SYSTEM, BY(new_fifo), make_canary},
    {"bind a socket", "path", CREATE, SYSTEM, BY(new_socket), make_canary},
    {"link in", "path", CREATE, SYSTEM, BY(new_link), make_canary},
    ATTEMPT_END,
};
