/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * inner-darwin.c - see inner.h. A sandbox here has no mounts of its own, so
 * that no name leads to a read-only mount of what a descriptor was opened on
 * elsewhere: every descriptor already is what its name would give, and one that
 * reads cannot be made one that writes. But a profile, too, is asked about
 * opening only.
 */

#include "config.h"

#include "child/inner.h"

#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>

/* May it write a file where that is not allowed? */
static bool
is_refused(const struct omega_inner *inner, int fd)
{
	char name[PATH_MAX];
	struct stat st;
	int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY &&
	       fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	       fcntl(fd, F_GETPATH, name) == 0 &&
	       omega_inner_covers(inner->closed, inner->closed_count, name);
}

/* Nothing is ever hidden by a mount. */
uint64_t
omega_inner_look(const struct omega_inner *inner)
{
	(void)inner;
	return 0;
}

int
omega_inner_watch(int socket)
{
	(void)socket;
	return -ENOSYS;
}

int
omega_inner_renew(
    const struct omega_inner *inner, uint64_t named, size_t *index)
{
	size_t i;

	(void)named;
	for (i = 0; i < inner->fd_count; i++) {
		*index = i;
		if (inner->fds[i].is_renewed &&
		    is_refused(inner, inner->fds[i].from))
			return OMEGA_INNER_FD_IS_KEPT;
	}
	return 0;
}
