/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * makes.c - new names in real places. Nothing is left there, and without a
 * sandbox nothing is made that could be seen.
 */

#include "config.h"

#include "attempt.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <omega/sandbox.h>

#define CANARY ".omega-verify-canary"

/* A file without a name: nobody sees it, and it is gone at once. */
ATTEMPT(unnamed_file)
{
	return attempt_result(
	    open(in->target, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
}

/*
 * Names of our own in directories of the system. Outside, being allowed to
 * make a file without a name counts: nothing of ours is to be seen there.
 */
static int
may_make_names(const struct attempt_input *in)
{
	return access(in->target, W_OK | X_OK) == 0 ? 0 : errno;
}

ATTEMPT(make_file)
{
	char *name = ATTEMPT_JOIN(in->target, CANARY);
	int fd;

	if (in->is_outside)
		return may_make_names(in);
	fd = open(name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
	/* One that was left behind: who removes it could have made it. */
	if (fd < 0)
		return errno == EEXIST ? attempt_result(unlink(name)) : errno;
	unlink(name);
	return 0;
}

static int
make_file_in(struct attempt_input *in, const char *path)
{
	struct attempt_input other = *in;

	other.target = path;
	return make_file(&other);
}

ATTEMPT(make_file_by_names)
{
	return attempt_each_name(in, make_file_in);
}

ATTEMPT(make_directory)
{
	char *name = ATTEMPT_JOIN(in->target, CANARY);

	if (in->is_outside)
		return may_make_names(in);
	if (mkdir(name, 0700) != 0)
		return errno;
	rmdir(name);
	return 0;
}

ATTEMPT(make_symlink)
{
	char *name = ATTEMPT_JOIN(in->target, CANARY);

	if (in->is_outside)
		return may_make_names(in);
	if (symlink("nowhere", name) != 0)
		return errno;
	unlink(name);
	return 0;
}

ATTEMPT(make_fifo)
{
	char *name = ATTEMPT_JOIN(in->target, CANARY);

	if (in->is_outside)
		return may_make_names(in);
	if (mkfifo(name, 0600) != 0)
		return errno;
	unlink(name);
	return 0;
}

ATTEMPT(make_socket)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (in->is_outside)
		return may_make_names(in);
	if (chdir(in->target) != 0)
		return errno;
	snprintf(at.sun_path, sizeof(at.sun_path), CANARY);
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) != 0)
		return errno;
	unlink(CANARY);
	return 0;
}

ATTEMPT(link_in)
{
	char *name = ATTEMPT_JOIN(in->target, CANARY);

	if (in->is_outside)
		return may_make_names(in);
	if (link(ATTEMPT_JOIN(in->free, "file"), name) != 0)
		return errno;
	unlink(name);
	return 0;
}

#define CREATE OMEGA_SANDBOX_FORBIDS_CREATE
#define ANY_DIRECTORY ATTEMPT_REAL | ATTEMPT_DIR | ATTEMPT_SYSTEM, ATTEMPT_PLAIN
#define SYSTEM ATTEMPT_REAL | ATTEMPT_SYSTEM, ATTEMPT_PLAIN
#define NAMES ATTEMPT_REAL | ATTEMPT_SYSTEM, ATTEMPT_NAMES

const struct attempt attempt_makes[] = {
    {"make a file without a name", "path", CREATE, ANY_DIRECTORY, unnamed_file},
    {"create", "path", CREATE, SYSTEM, make_file},
    {"create by another name of it", "path", CREATE, NAMES, make_file_by_names},
    {"mkdir", "path", CREATE, SYSTEM, make_directory},
    {"symlink", "path", CREATE, SYSTEM, make_symlink},
    {"mkfifo", "path", CREATE, SYSTEM, make_fifo},
    {"bind a socket", "path", CREATE, SYSTEM, make_socket},
    {"link in", "path", CREATE, SYSTEM, link_in},
    {NULL, NULL, 0, 0, ATTEMPT_PLAIN, NULL},
};
