/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * writable.c - see writable.h.
 *
 * The copies are taken first and attached later: so what the host has mounted
 * read-only below a grant stays that, which taking the flag back would undo.
 */

#include "writable.h"

#include <fcntl.h>
#include <unistd.h>

#include "calls.h"

static int
take(struct mounts *mounts, const struct request_op *op, const char *path)
{
	int mount;
	int fd;

	fd = mounts_open_op(mounts, op, path);
	if (fd < 0)
		return fd;
	mount = mounts_clone(mounts, fd, path);
	close(fd);
	return mount;
}

int
writable_close(struct mounts *mounts, const struct request_op *ops,
    uint32_t count, const char *texts, int *copies)
{
	/* Private: what the host mounts later must not appear inside, where
	 * it would be writable. */
	struct calls_attr attr = {
	    .set = CALLS_READ_ONLY, .propagation = CALLS_PRIVATE};
	uint32_t i;

	for (i = 0; i < count; i++) {
		if (ops[i].type != REQUEST_WRITABLE)
			continue;
		copies[i] = take(mounts, &ops[i], texts + ops[i].path);
		if (copies[i] < 0)
			return copies[i];
	}
	if (calls_setattr(AT_FDCWD, "/", CALLS_RECURSIVE, &attr) != 0)
		return mounts_fail(mounts, "mount_setattr", "/");
	return 0;
}
