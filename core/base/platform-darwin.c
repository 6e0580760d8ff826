/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * platform-darwin.c - what this macOS offers. See platform.h.
 *
 * For the eyes of an administrator: no plan is made from it. Backends probe
 * for themselves.
 */

#include "config.h"

#include "base/platform.h"

#include <sys/sysctl.h>
#include <sys/utsname.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SANDBOX_EXEC "/usr/bin/sandbox-exec"

static void
look_at_sandbox_exec(struct omega_sandbox_platform *platform)
{
	platform->has_sandbox_exec = access(SANDBOX_EXEC, X_OK) == 0;
	snprintf(platform->sandbox_exec_reason,
	    sizeof(platform->sandbox_exec_reason), "%s%s%s", SANDBOX_EXEC,
	    platform->has_sandbox_exec ? "" : ": ",
	    platform->has_sandbox_exec ? "" : strerror(errno));
}

void
omega_platform_look(struct omega_sandbox_platform *platform)
{
	static const char linux_only[] = "only on Linux";
	struct utsname name;
	char version[32] = "";
	size_t size = sizeof(version);

	snprintf(platform->system, sizeof(platform->system), "macOS");
	if (sysctlbyname("kern.osproductversion", version, &size, NULL, 0) != 0)
		version[0] = '\0';
	if (uname(&name) == 0)
		snprintf(platform->kernel, sizeof(platform->kernel),
		    "Darwin %.100s", name.release);
	snprintf(platform->landlock_reason, sizeof(platform->landlock_reason),
	    "%s", linux_only);
	snprintf(platform->seccomp_reason, sizeof(platform->seccomp_reason),
	    "%s", linux_only);
	snprintf(platform->user_namespaces_reason,
	    sizeof(platform->user_namespaces_reason), "%s", linux_only);
	look_at_sandbox_exec(platform);
	snprintf(platform->summary, sizeof(platform->summary),
	    "macOS %.31s (%.60s); sandbox-exec %s", version, platform->kernel,
	    platform->has_sandbox_exec ? "yes" : "no");
}

const char *
omega_platform_beside_lists(void)
{
	return NULL;
}

size_t
omega_platform_stack_left(void)
{
	uintptr_t top = (uintptr_t)pthread_get_stackaddr_np(pthread_self());
	size_t size = pthread_get_stacksize_np(pthread_self());
	size_t used = top - (uintptr_t)__builtin_frame_address(0);

	return used < size ? size - used : SIZE_MAX;
}
