/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * guarded-open.h - what comes of omega_sandbox_open_checked.
 */

#ifndef OMEGA_TEST_GUARDED_OPEN_H
#define OMEGA_TEST_GUARDED_OPEN_H

#include "guarded.h"

#include <sys/stat.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Open and expect a descriptor. */
static int
must_open(const char *path, int flags)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_verdict verdict = OMEGA_SANDBOX_VERDICT_INIT;
	int fd = -1;

	if (omega_sandbox_open_checked(
		guard, path, flags, 0640, &fd, &verdict, &error) != 0)
		fail_msg("%s: %s", path, error.text);
	assert_true(fd >= 0);
	assert_int_equal(verdict.reason, OMEGA_SANDBOX_NOT_BLOCKED);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	return fd;
}

static void
assert_refused(const char *path, int flags, int reason)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_verdict verdict = OMEGA_SANDBOX_VERDICT_INIT;
	int before = count_descriptors();
	int fd = 4711;

	assert_int_equal(omega_sandbox_open_checked(
			     guard, path, flags, 0640, &fd, &verdict, &error),
	    OMEGA_SANDBOX_E_REFUSED);
	assert_int_equal(fd, -1);
	assert_int_equal(verdict.reason, reason);
	assert_int_equal(error.code, OMEGA_SANDBOX_E_REFUSED);
	assert_int_not_equal(error.sys_errno, 0);
	assert_int_equal(count_descriptors(), before);
	if (reason != OMEGA_SANDBOX_UNDECIDED) {
		assert_non_null(verdict.rule);
		assert_non_null(strstr(error.text, verdict.rule));
	}
}

static void
assert_content(const char *path, const char *expected)
{
	char content[64] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_true(read(fd, content, sizeof(content) - 1) >= 0);
	close(fd);
	assert_string_equal(content, expected);
}

static bool
exists(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

#endif
