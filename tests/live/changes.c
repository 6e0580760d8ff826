/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * changes.c - see changes.h.
 */

#include "changes.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"

static const char *
in(const char *tree, const char *name)
{
	return text("%s/%s", tree, name);
}

static int
try_open(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0600);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static int
result(int ret)
{
	return ret == 0 ? 0 : errno;
}

static int
do_write(const char *tree, const char *other)
{
	(void)other;
	return try_open(in(tree, "file"), O_WRONLY);
}

static int
do_append(const char *tree, const char *other)
{
	(void)other;
	return try_open(in(tree, "dir/file"), O_RDWR | O_APPEND);
}

static int
do_truncate(const char *tree, const char *other)
{
	(void)other;
	return result(truncate(in(tree, "file"), 0));
}

static int
do_create(const char *tree, const char *other)
{
	(void)other;
	return try_open(in(tree, "new"), O_CREAT | O_EXCL | O_WRONLY);
}

static int
do_unnamed(const char *tree, const char *other)
{
	(void)other;
	return try_open(tree, O_TMPFILE | O_RDWR);
}

static int
do_mkdir(const char *tree, const char *other)
{
	(void)other;
	return result(mkdir(in(tree, "dir/new"), 0700));
}

static int
do_fifo(const char *tree, const char *other)
{
	(void)other;
	return result(mkfifo(in(tree, "new"), 0600));
}

static int
do_symlink(const char *tree, const char *other)
{
	(void)other;
	return result(symlink("file", in(tree, "new")));
}

static int
do_link(const char *tree, const char *other)
{
	(void)other;
	return result(link(in(tree, "file"), in(tree, "new")));
}

static int
do_bind(const char *tree, const char *other)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)other;
	snprintf(at.sun_path, sizeof(at.sun_path), "%.100s/new", tree);
	return result(bind(fd, (struct sockaddr *)&at, sizeof(at)));
}

static int
do_unlink(const char *tree, const char *other)
{
	(void)other;
	return result(unlink(in(tree, "file")));
}

static int
do_rmdir(const char *tree, const char *other)
{
	(void)other;
	return result(rmdir(in(tree, "empty")));
}

static int
do_rename(const char *tree, const char *other)
{
	(void)other;
	return result(rename(in(tree, "file"), in(tree, "dir/moved")));
}

static int
do_replace(const char *tree, const char *other)
{
	(void)other;
	return result(rename(in(tree, "dir/file"), in(tree, "file")));
}

static int
do_exchange(const char *tree, const char *other)
{
	(void)other;
	return result(renameat2(AT_FDCWD, in(tree, "file"), AT_FDCWD,
	    in(tree, "dir"), RENAME_EXCHANGE));
}

/* Out of it, where it could be changed; or into it. */
static int
do_move_out(const char *tree, const char *other)
{
	return result(rename(in(tree, "file"), in(other, "moved")));
}

static int
do_move_in(const char *tree, const char *other)
{
	return result(rename(in(other, "file"), in(tree, "moved")));
}

static int
do_link_out(const char *tree, const char *other)
{
	return result(link(in(tree, "file"), in(other, "linked")));
}

static int
do_chmod(const char *tree, const char *other)
{
	(void)other;
	return result(chmod(in(tree, "file"), 0640));
}

static int
do_chmod_dir(const char *tree, const char *other)
{
	(void)other;
	return result(chmod(in(tree, "dir"), 0710));
}

static int
do_chmod_fifo(const char *tree, const char *other)
{
	(void)other;
	return result(chmod(in(tree, "fifo"), 0640));
}

static int
do_chown(const char *tree, const char *other)
{
	(void)other;
	return result(lchown(in(tree, "file"), geteuid(), getegid()));
}

static int
do_utimes(const char *tree, const char *other)
{
	static const struct timespec times[2] = {{1, 0}, {1, 0}};

	(void)other;
	return result(utimensat(AT_FDCWD, in(tree, "file"), times, 0));
}

static int
do_xattr(const char *tree, const char *other)
{
	(void)other;
	return result(setxattr(in(tree, "file"), "user.test", "x", 1, 0));
}

/* By a descriptor that was opened to read, which says where it is. */
static int
do_reopen(const char *tree, const char *other)
{
	char path[40];
	int fd = open(in(tree, "file"), O_RDONLY | O_CLOEXEC);

	(void)other;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return fd < 0 ? errno : try_open(path, O_RDWR);
}

static int
do_fchmod(const char *tree, const char *other)
{
	int fd = open(in(tree, "file"), O_RDONLY | O_CLOEXEC);

	(void)other;
	return fd < 0 ? errno : result(fchmod(fd, 0640));
}

const struct change changes[] = {
    {"write", EROFS, do_write},
    {"append", EROFS, do_append},
    {"truncate", EROFS, do_truncate},
    {"create", EROFS, do_create},
    {"make an unnamed file", EROFS, do_unnamed},
    {"mkdir", EROFS, do_mkdir},
    {"make a fifo", EROFS, do_fifo},
    {"symlink", EROFS, do_symlink},
    {"link", EROFS, do_link},
    {"bind", EROFS, do_bind},
    {"unlink", EROFS, do_unlink},
    {"rmdir", EROFS, do_rmdir},
    {"rename", EROFS, do_rename},
    {"replace", EROFS, do_replace},
    {"exchange", EROFS, do_exchange},
    {"move out", EXDEV, do_move_out},
    {"move in", EXDEV, do_move_in},
    {"link out", EXDEV, do_link_out},
    {"chmod", EROFS, do_chmod},
    {"chmod a directory", EROFS, do_chmod_dir},
    {"chmod a fifo", EROFS, do_chmod_fifo},
    {"chown", EROFS, do_chown},
    {"utimes", EROFS, do_utimes},
    {"xattr", EROFS, do_xattr},
    {"reopen", EROFS, do_reopen},
    {"fchmod", EROFS, do_fchmod},
    {NULL, 0, NULL},
};

static int
remove_entry(
    const char *path, const struct stat *st, int type, struct FTW *place)
{
	(void)st;
	(void)type;
	return place->level == 0 ? 0 : remove(path);
}

int
changes_make_tree(const char *tree)
{
	int ret;

	/* The directory itself stays: it may be mounted somewhere. */
	nftw(tree, remove_entry, 16, FTW_PHYS | FTW_DEPTH);
	if ((mkdir(tree, 0755) != 0 && errno != EEXIST) ||
	    mkdir(in(tree, "dir"), 0755) != 0 ||
	    mkdir(in(tree, "empty"), 0755) != 0 ||
	    mkfifo(in(tree, "fifo"), 0600) != 0)
		return errno;
	ret = try_open(in(tree, "file"), O_CREAT | O_EXCL | O_WRONLY);
	return ret != 0 ? ret
			: try_open(in(tree, "dir/file"),
			      O_CREAT | O_EXCL | O_WRONLY);
}

int
changes_main(int argc, char **argv)
{
	size_t i;

	if (argc < 5 || strcmp(argv[1], "change") != 0)
		return -1;
	for (i = 0; changes[i].name != NULL; i++)
		if (strcmp(changes[i].name, argv[2]) == 0)
			return changes[i].fn(argv[3], argv[4]);
	return 199;
}
