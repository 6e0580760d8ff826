/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * platform-linux.c - what this Linux offers. See platform.h.
 *
 * For the eyes of an administrator: no plan is made from it. Backends probe
 * for themselves.
 */

#include "config.h"

#include "base/platform.h"

#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Our own numbers: distribution headers are older than kernels. */
#define SYS_LANDLOCK_CREATE_RULESET 444
#define LANDLOCK_VERSION 0x1u
#define LANDLOCK_ERRATA 0x2u
#define SECCOMP_GET_ACTION_AVAIL_OP 2u
#define SECCOMP_RET_ERRNO_ACTION 0x00050000u

static void
look_at_landlock(struct omega_sandbox_platform *platform)
{
	long abi = syscall(
	    SYS_LANDLOCK_CREATE_RULESET, NULL, (size_t)0, LANDLOCK_VERSION);
	long errata;

	if (abi < 0) {
		snprintf(platform->landlock_reason,
		    sizeof(platform->landlock_reason), "%s",
		    errno == EOPNOTSUPP
			? "built in but switched off; add landlock to lsm="
		    : errno == ENOSYS ? "not in this kernel"
				      : strerror(errno));
		return;
	}
	platform->has_landlock = 1;
	platform->landlock_abi = (int32_t)abi;
	errata = syscall(
	    SYS_LANDLOCK_CREATE_RULESET, NULL, (size_t)0, LANDLOCK_ERRATA);
	platform->landlock_errata = errata > 0 ? (uint32_t)errata : 0;
	snprintf(platform->landlock_reason, sizeof(platform->landlock_reason),
	    "ABI %ld", abi);
}

static void
look_at_seccomp(struct omega_sandbox_platform *platform)
{
	uint32_t action = SECCOMP_RET_ERRNO_ACTION;

	if (syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL_OP, 0, &action) ==
	    0) {
		platform->has_seccomp = 1;
		snprintf(platform->seccomp_reason,
		    sizeof(platform->seccomp_reason), "filters");
	} else {
		snprintf(platform->seccomp_reason,
		    sizeof(platform->seccomp_reason), "%s",
		    errno == ENOSYS ? "not in this kernel" : strerror(errno));
	}
}

/*
 * In a new user and mount namespace: is there really something we may do? A
 * security module may allow making one and then deny everything inside.
 */
static int
try_namespaces(void)
{
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		return errno;
	return 0;
}

static void
look_at_namespaces(struct omega_sandbox_platform *platform)
{
	int status = 0;
	int error = 0;
	long pid;

	/* No exit signal: the host is not told of a child it did not start. */
	pid = syscall(
	    SYS_clone, CLONE_NEWUSER | CLONE_NEWNS, NULL, NULL, NULL, NULL);
	if (pid == 0)
		_exit(try_namespaces());
	if (pid < 0)
		error = errno;
	else if (waitpid((pid_t)pid, &status, __WALL) != (pid_t)pid)
		error = errno;
	else
		error = WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
	platform->has_user_namespaces = error == 0;
	snprintf(platform->user_namespaces_reason,
	    sizeof(platform->user_namespaces_reason), "%s",
	    error == 0 ? "can be made"
	    : error == ENOSPC
		? "none left; see the sysctl user.max_user_namespaces"
		: strerror(error));
}

void
omega_platform_look(struct omega_sandbox_platform *platform)
{
	struct utsname name;

	snprintf(platform->system, sizeof(platform->system), "Linux");
	if (uname(&name) == 0)
		snprintf(platform->kernel, sizeof(platform->kernel), "%.100s",
		    name.release);
	look_at_landlock(platform);
	look_at_seccomp(platform);
	look_at_namespaces(platform);
	snprintf(platform->sandbox_exec_reason,
	    sizeof(platform->sandbox_exec_reason), "only on macOS");
	snprintf(platform->summary, sizeof(platform->summary),
	    "Linux %.60s; Landlock %s; seccomp %s; user namespaces %s",
	    platform->kernel,
	    platform->has_landlock ? platform->landlock_reason : "no",
	    platform->has_seccomp ? "yes" : "no",
	    platform->has_user_namespaces ? "yes" : "no");
}

/* Landlock has no check for any of these, and only it holds such lists. */
const char *
omega_platform_beside_lists(void)
{
	return "outside the list of what can be read, names (stat, inotify), "
	       "sizes, times, targets of links and extended attributes can "
	       "still be learned";
}

size_t
omega_platform_stack_left(void)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	struct rlimit limit;
	pthread_attr_t thread;
	size_t size = 0;
	void *low = NULL;

	/* The first thread's grows up to the limit. Where it begins stands in
	 * a long file; half of it may be arguments and what came before. */
	if (syscall(SYS_gettid) == getpid())
		return getrlimit(RLIMIT_STACK, &limit) != 0 ||
			       limit.rlim_cur >= SIZE_MAX
			   ? SIZE_MAX
			   : (size_t)limit.rlim_cur / 2;
	if (pthread_getattr_np(pthread_self(), &thread) != 0)
		return SIZE_MAX;
	if (pthread_attr_getstack(&thread, &low, &size) != 0)
		size = 0;
	pthread_attr_destroy(&thread);
	/* Else it is a stack the host has made itself. */
	return here - (uintptr_t)low < size ? here - (uintptr_t)low : SIZE_MAX;
}
