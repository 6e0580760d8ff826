/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * escapes-given.c - through descriptor 0, which the host has opened for
 * reading on a file that must not be changed. Nothing stays changed.
 */

#include "escapes.h"

#include <sys/stat.h>
#include <sys/xattr.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

TRICK(given_chmod)
{
	struct stat st;

	UNUSED;
	if (fstat(0, &st) != 0)
		return errno;
	return escapes_result(fchmod(0, st.st_mode & 07777));
}

TRICK(given_chown)
{
	UNUSED;
	return escapes_result(fchown(0, geteuid(), getegid()));
}

TRICK(given_utimes)
{
	const struct timespec times[2] = {
	    {.tv_nsec = UTIME_OMIT}, {.tv_nsec = UTIME_NOW}};

	UNUSED;
	return escapes_result(futimens(0, times));
}

TRICK(given_xattr)
{
	UNUSED;
	if (fsetxattr(0, "user.omega", "x", 1, 0) != 0)
		return errno;
	fremovexattr(0, "user.omega");
	return 0;
}

TRICK(given_write)
{
	UNUSED;
	return escapes_result(open("/proc/self/fd/0", O_WRONLY | O_APPEND));
}

TRICK(given_chmod_by_name)
{
	struct stat st;

	UNUSED;
	if (fstat(0, &st) != 0)
		return errno;
	return escapes_result(chmod("/proc/self/fd/0", st.st_mode & 07777));
}

TRICK(given_is_readable)
{
	char text[4] = "";

	UNUSED;
	/* The host stands behind the first byte. */
	if (lseek(0, 0, SEEK_CUR) != 1 || pread(0, text, 3, 1) != 3)
		return errno != 0 ? errno : ENODATA;
	return strcmp(text, "bcd") == 0 ? 0 : EILSEQ;
}

const struct attempt escapes_given[] = {
    {"given: chmod", BOTH, given_chmod},
    {"given: chown", BOTH, given_chown},
    {"given: utimes", BOTH, given_utimes},
    {"given: xattr", MAYBE, given_xattr},
    {"given: write by /proc/self/fd", BOTH, given_write},
    {"given: chmod by /proc/self/fd", BOTH, given_chmod_by_name},
    {"given: read", ATTEMPTS_USE, 0, given_is_readable},
    {NULL, BOTH, NULL},
};
