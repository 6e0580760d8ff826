/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * escapes-places.c - names that are absent, files that are denied, symbolic
 * links on the way.
 */

#include "escapes.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- config.toml where there is none ------------------------------------- */

TRICK(absent_create)
{
	(void)arg;
	return escapes_result(
	    open(escapes_in(dir, CONFIG), O_CREAT | O_WRONLY, 0600));
}

TRICK(absent_rename)
{
	(void)arg;
	return escapes_result(
	    rename(escapes_in(dir, "workspace/file"), escapes_in(dir, CONFIG)));
}

TRICK(absent_link)
{
	(void)arg;
	return escapes_result(
	    link(escapes_in(dir, "workspace/file"), escapes_in(dir, CONFIG)));
}

TRICK(absent_symlink)
{
	(void)arg;
	return escapes_result(
	    symlink("workspace/file", escapes_in(dir, CONFIG)));
}

TRICK(absent_mkdir)
{
	(void)arg;
	return escapes_result(mkdir(escapes_in(dir, CONFIG), 0700));
}

TRICK(absent_fifo)
{
	(void)arg;
	return escapes_result(mkfifo(escapes_in(dir, CONFIG), 0600));
}

TRICK(absent_socket)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	(void)arg;
	if (chdir(dir) != 0)
		return errno;
	snprintf(at.sun_path, sizeof(at.sun_path), CONFIG);
	return escapes_result(bind(fd, (struct sockaddr *)&at, sizeof(at)));
}

/* A temporary file without a name, given this one. */
TRICK(absent_tmpfile)
{
	char path[64];
	int fd = open(escapes_in(dir, "workspace"), O_TMPFILE | O_RDWR, 0600);

	(void)arg;
	if (fd < 0)
		return errno;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return escapes_result(linkat(AT_FDCWD, path, AT_FDCWD,
	    escapes_in(dir, CONFIG), AT_SYMLINK_FOLLOW));
}

/* ---- Any denied file: arg is not needed, dir is the file ------------------
 */

TRICK(denied_read)
{
	(void)arg;
	return attempts_read_secret(dir);
}

TRICK(denied_write)
{
	(void)arg;
	return escapes_result(open(dir, O_WRONLY));
}

TRICK(denied_chmod)
{
	(void)arg;
	return escapes_result(chmod(dir, 0600));
}

TRICK(denied_rename)
{
	(void)arg;
	return escapes_move_aside(dir);
}

TRICK(denied_rename_parent)
{
	char path[PATH_MAX];

	(void)arg;
	snprintf(path, sizeof(path), "%s", dir);
	*strrchr(path, '/') = '\0';
	return escapes_move_aside(path);
}

/* Another name for it in the same directory. */
TRICK(denied_link)
{
	char path[PATH_MAX + 8];

	(void)arg;
	snprintf(path, sizeof(path), "%s.link", dir);
	return link(dir, path) != 0 ? errno : attempts_read_secret(path);
}

TRICK(denied_link_by_descriptor)
{
	char path[PATH_MAX + 8];
	char name[64];
	int fd = open(dir, O_PATH);

	(void)arg;
	if (fd < 0)
		return errno;
	snprintf(path, sizeof(path), "%s.link", dir);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	if (linkat(AT_FDCWD, name, AT_FDCWD, path, AT_SYMLINK_FOLLOW) != 0)
		return errno;
	return attempts_read_secret(path);
}

/* dir is a symbolic link to the data directory. */
TRICK(repoint_unlink)
{
	char target[PATH_MAX] = "";

	(void)arg;
	if (readlink(dir, target, sizeof(target) - 1) < 0)
		return errno;
	return unlink(dir) != 0 ? errno : escapes_result(symlink(target, dir));
}

TRICK(repoint_replace)
{
	char target[PATH_MAX] = "";
	char other[PATH_MAX + 8];

	(void)arg;
	snprintf(other, sizeof(other), "%s.new", dir);
	if (readlink(dir, target, sizeof(target) - 1) < 0)
		return errno;
	unlink(other);
	return symlink(target, other) != 0 ? errno
					   : escapes_result(rename(other, dir));
}

TRICK(repoint_target)
{
	char real[PATH_MAX];

	(void)arg;
	return realpath(dir, real) == NULL ? errno : escapes_move_aside(real);
}

const struct attempt escapes_absent[] = {
    {"absent: create", BOTH, absent_create},
    {"absent: rename", BOTH, absent_rename},
    {"absent: link", BOTH, absent_link},
    {"absent: symlink", BOTH, absent_symlink},
    {"absent: mkdir", BOTH, absent_mkdir},
    {"absent: mkfifo", BOTH, absent_fifo},
    {"absent: bind", BOTH, absent_socket},
    {"absent: O_TMPFILE", BOTH, absent_tmpfile},
    {NULL, BOTH, NULL},
};

const struct attempt escapes_denied[] = {
    {"denied: read", BOTH, denied_read},
    {"denied: write", BOTH, denied_write},
    {"denied: chmod", BOTH, denied_chmod},
    {"denied: link", BOTH, denied_link},
    {"denied: link by descriptor", BOTH, denied_link_by_descriptor},
    {"denied: rename", BOTH, denied_rename},
    {"denied: rename the parent", BOTH, denied_rename_parent},
    {NULL, BOTH, NULL},
};

const struct attempt escapes_link[] = {
    {"link: unlink", BOTH, repoint_unlink},
    {"link: replace", BOTH, repoint_replace},
    {"link: move it", BOTH, denied_rename},
    {"link: move the target", BOTH, repoint_target},
    {NULL, BOTH, NULL},
};
