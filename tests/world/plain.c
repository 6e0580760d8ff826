/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * plain.c - see plain.h.
 */

#include "plain.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

/* A make that is told to ignore SIGHUP hands that on, and a blocked signal
 * stays blocked in whatever is started. Of the kernel, since the C library
 * lets nobody touch the two it uses itself. */
static void
plain_signals(void)
{
	static const char usual[64]; /* the kernel's sigaction, of SIG_DFL */
	sigset_t none;
	int number;

	for (number = 1; number <= 64; number++)
		syscall(SYS_rt_sigaction, number, usual, NULL, 8);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	alarm(0);
}

/* Input from nowhere, and nothing of make's jobserver. */
static void
plain_descriptors(void)
{
	int fd = open("/dev/null", O_RDONLY);

	if (fd > 0) {
		dup2(fd, 0);
		close(fd);
	}
#ifdef SYS_close_range
	if (syscall(SYS_close_range, 3, ~0U, 0) == 0)
		return;
#endif
	for (fd = 3; fd < 1024; fd++)
		close(fd);
}

static void
plain_limit(int what, rlim_t most)
{
	struct rlimit limit;

	if (getrlimit(what, &limit) != 0)
		return;
	limit.rlim_cur = most < limit.rlim_max ? most : limit.rlim_max;
	setrlimit(what, &limit);
}

/* What an ordinary login has, as far as the hard limits allow. */
static void
plain_limits(void)
{
	static const int unlimited[] = {RLIMIT_AS, RLIMIT_CPU, RLIMIT_DATA,
	    RLIMIT_FSIZE, RLIMIT_LOCKS, RLIMIT_NPROC, RLIMIT_RSS};
	size_t i;

	for (i = 0; i < sizeof(unlimited) / sizeof(unlimited[0]); i++)
		plain_limit(unlimited[i], RLIM_INFINITY);
	plain_limit(RLIMIT_STACK, 8 << 20);
	plain_limit(RLIMIT_NOFILE, 1024);
	plain_limit(RLIMIT_CORE, 0);
}

static bool
is_for_tests(const char *variable)
{
	static const char *const names[] = {"top_srcdir=", "top_builddir=",
	    "srcdir=", "CC=", "PKG_CONFIG", "OMEGA_", "EVERYDAY",
	    "ASAN_OPTIONS=", "LSAN_OPTIONS=", "TSAN_OPTIONS=", "UBSAN_OPTIONS=",
	    "CMOCKA_", "GCOV_", "LLVM_PROFILE_FILE="};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strncmp(variable, names[i], strlen(names[i])) == 0)
			return true;
	}
	return false;
}

static void
plain_environment(void)
{
	const struct passwd *entry = getpwuid(getuid());
	char **to = environ;
	char **from;

	for (from = environ; *from != NULL; from++) {
		if (is_for_tests(*from))
			*to++ = *from;
	}
	*to = NULL;
	setenv("PATH",
	    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 1);
	setenv("LC_ALL", "C", 1);
	setenv("SHELL", "/bin/sh", 1);
	setenv("TERM", "dumb", 1);
	setenv("PYTHONDONTWRITEBYTECODE", "1", 1); /* into the sources */
	if (entry == NULL)
		return;
	setenv("HOME", entry->pw_dir, 1);
	setenv("USER", entry->pw_name, 1);
	setenv("LOGNAME", entry->pw_name, 1);
}

void
plain_process(void)
{
	setsid();
	umask(022);
	if (getuid() == 0)
		setgroups(0, NULL);
	plain_signals();
	plain_limits();
	plain_environment();
	plain_descriptors();
}
