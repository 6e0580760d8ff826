/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * system-darwin.c - see system.h.
 */

#include "config.h"

#include "base/system.h"

#include <sys/event.h>
#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <libproc.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

int
omega_system_make_pipe(int ends[2], int flags)
{
	int saved;
	int i;

	if (pipe(ends) != 0)
		return -errno;
	for (i = 0; i < 2; i++)
		if (fcntl(ends[i], F_SETFD, FD_CLOEXEC) != 0 ||
		    (flags != 0 && fcntl(ends[i], F_SETFL, flags) != 0))
			break;
	if (i == 2)
		return 0;
	saved = errno;
	close(ends[0]);
	close(ends[1]);
	return -saved;
}

bool
omega_system_is_alone(void)
{
	struct proc_taskinfo info;

	return proc_pidinfo(getpid(), PROC_PIDTASKINFO, 0, &info,
		   sizeof(info)) == (int)sizeof(info) &&
	       info.pti_threadnum == 1;
}

#define IDENT 1 /* an event of our own in a kqueue */

int
omega_system_make_wake(void)
{
	struct kevent event;
	int fd = kqueue();
	int saved;

	if (fd < 0)
		return -errno;
	/* Not taken by being read: it stays until the descriptor is closed. */
	EV_SET(&event, IDENT, EVFILT_USER, EV_ADD, NOTE_FFNOP, 0, NULL);
	if (fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 &&
	    kevent(fd, &event, 1, NULL, 0, NULL) == 0)
		return fd;
	saved = errno;
	close(fd);
	return -saved;
}

int
omega_system_wake(int fd)
{
	struct kevent event;

	EV_SET(&event, IDENT, EVFILT_USER, 0, NOTE_TRIGGER, 0, NULL);
	return kevent(fd, &event, 1, NULL, 0, NULL) == 0 ? 0 : -errno;
}

/* Not from the environment, which the library does not read. */
static int
make_name(char name[PATH_MAX])
{
	char dir[PATH_MAX];
	size_t len = confstr(_CS_DARWIN_USER_TEMP_DIR, dir, sizeof(dir));

	if (len == 0 || len > sizeof(dir))
		snprintf(dir, sizeof(dir), "/tmp/");
	return snprintf(name, PATH_MAX, "%somega-sandbox-XXXXXX", dir) <
		       PATH_MAX
		   ? 0
		   : -ENAMETOOLONG;
}

/* A second descriptor, which can only read, of that very file. */
static int
open_again(int made, const char *name)
{
	struct stat one;
	struct stat two;
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	int ret;

	if (fd < 0)
		return -errno;
	ret = fstat(made, &one) == 0 && fstat(fd, &two) == 0 ? 0 : -errno;
	if (ret == 0 && (one.st_dev != two.st_dev || one.st_ino != two.st_ino))
		ret = -ESTALE;
	if (ret == 0)
		return fd;
	close(fd);
	return ret;
}

/* There are no files without a name: one is made in the user's own temporary
 * directory, opened for reading, and its name removed. */
int
omega_system_make_input(const void *bytes, size_t len)
{
	char name[PATH_MAX];
	int made;
	int fd;
	int ret = make_name(name);

	if (ret < 0)
		return ret;
	made = mkostemp(name, O_CLOEXEC);
	if (made < 0)
		return -errno;
	fd = open_again(made, name);
	unlink(name);
	ret = fd < 0 ? fd : omega_system_write_all(made, bytes, len);
	close(made);
	if (ret < 0 && fd >= 0)
		close(fd);
	return ret < 0 ? ret : fd;
}
