/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * input-darwin.c - see input.h. There are no files without a name: one is
 * made in the user's own temporary directory, opened for reading, and its
 * name removed.
 */

#include "config.h"

#include "run/input.h"

#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int
write_all(int fd, const char *bytes, size_t len)
{
	ssize_t done;

	while (len > 0) {
		done = write(fd, bytes, len);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done < 0 ? -errno : -ENOSPC;
		bytes += done;
		len -= (size_t)done;
	}
	return 0;
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

int
omega_input_make(const void *bytes, size_t len)
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
	ret = fd < 0 ? fd : write_all(made, bytes, len);
	close(made);
	if (ret < 0 && fd >= 0)
		close(fd);
	return ret < 0 ? ret : fd;
}
