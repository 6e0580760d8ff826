/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * system-linux.c - see system.h.
 */

#include "config.h"

#include "base/system.h"

#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <fcntl.h>
#include <sched.h>

/* Where a copy of a program is kept, off the numbers a host may close. */
#define FIRST_KEPT 10

int
omega_system_make_pipe(int ends[2], int flags)
{
	return pipe2(ends, flags | O_CLOEXEC) == 0 ? 0 : -errno;
}

bool
omega_system_is_alone(void)
{
	struct stat st;

	/* To unshare memory nobody shares does nothing; else it is EINVAL. */
	if (unshare(CLONE_VM) == 0)
		return true;
	if (errno == EINVAL)
		return false;
	/* Filters forbid unshare. Each thread is a link of this directory. */
	return stat("/proc/self/task", &st) == 0 && st.st_nlink == 3;
}

int
omega_system_make_wake(void)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	return fd < 0 ? -errno : fd;
}

int
omega_system_wake(int fd)
{
	const uint64_t one = 1;

	return write(fd, &one, sizeof(one)) == (ssize_t)sizeof(one) ? 0
								    : -errno;
}

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8U
#endif
#ifndef MFD_EXEC
#define MFD_EXEC 0x10U
#endif

/* A file in memory, close-on-exec. */
static int
make_file(const char *name, unsigned kind)
{
	const unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
	int fd = memfd_create(name, flags | kind);

	if (fd < 0 && errno == EINVAL) /* before Linux 6.3 */
		fd = memfd_create(name, flags);
	return fd;
}

/* Nobody changes it any more. */
static int
seal(int fd)
{
	return fcntl(fd, F_ADD_SEALS,
	    F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
}

int
omega_system_make_input(const void *bytes, size_t len)
{
	int fd = make_file("input", MFD_NOEXEC_SEAL);
	int ret;

	if (fd < 0)
		return -errno;
	ret = omega_system_write_all(fd, bytes, len);
	if (ret == 0 && (lseek(fd, 0, SEEK_SET) < 0 || seal(fd) < 0))
		ret = -errno;
	if (ret < 0) {
		close(fd);
		return ret;
	}
	return fd;
}

int
omega_system_copy_program(int file, const char *name)
{
	struct stat st;
	int copy = make_file(name, MFD_EXEC);
	bool is_whole;
	int fd;

	is_whole =
	    copy >= 0 && fstat(file, &st) == 0 &&
	    sendfile(copy, file, NULL, (size_t)st.st_size) == st.st_size &&
	    seal(copy) == 0;
	fd = fcntl(is_whole ? copy : file, F_DUPFD_CLOEXEC, FIRST_KEPT);
	if (copy >= 0)
		close(copy);
	return fd;
}
