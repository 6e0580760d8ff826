/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * input-linux.c - see input.h.
 */

#include "config.h"

#include "run/input.h"

#include <sys/mman.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8U
#endif

#define FLAGS (MFD_CLOEXEC | MFD_ALLOW_SEALING)

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

int
omega_input_make(const void *bytes, size_t len)
{
	int fd = memfd_create("input", FLAGS | MFD_NOEXEC_SEAL);
	int ret;

	if (fd < 0 && errno == EINVAL) /* before Linux 6.3 */
		fd = memfd_create("input", FLAGS);
	if (fd < 0)
		return -errno;
	ret = write_all(fd, bytes, len);
	if (ret == 0 && lseek(fd, 0, SEEK_SET) < 0)
		ret = -errno;
	if (ret == 0 &&
	    fcntl(fd, F_ADD_SEALS,
		F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) < 0)
		ret = -errno;
	if (ret < 0) {
		close(fd);
		return ret;
	}
	return fd;
}
