/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * apply-darwin.c - see apply.h. Of macOS.
 *
 * Functions of its library that have no header are declared here as every
 * browser declares them. One of them may be missing.
 */

#include "apply.h"

#include <sys/stat.h>
#include <sys/sysctl.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

extern int sandbox_init_with_parameters(const char *profile, uint64_t flags,
    const char *const parameters[], char **error) __attribute__((weak_import));
extern void sandbox_free_error(char *error);
extern int sandbox_check(pid_t pid, const char *operation, int filter, ...);

/* Somebody else's program would be no sandbox. */
static int
is_trusted(const char *path, char *why, size_t size)
{
	struct stat st;

	if (lstat(path, &st) != 0)
		snprintf(why, size, "%s: %s", path, strerror(errno));
	else if (!S_ISREG(st.st_mode) || access(path, X_OK) != 0)
		snprintf(why, size, "%s cannot be executed", path);
	else if (st.st_uid != 0 || (st.st_mode & (S_IWGRP | S_IWOTH)) != 0)
		snprintf(why, size, "%s is not root's alone to change", path);
	else
		return 1;
	return 0;
}

void
apply_probe(struct omega_sandbox_probe *probe)
{
	size_t size = sizeof(probe->version);
	char why[160];

	if (!is_trusted(APPLY_PROGRAM, why, sizeof(why))) {
		snprintf(probe->reason, sizeof(probe->reason),
		    "%s; commands are started by it alone, and not by "
		    "sandbox_init_with_parameters, which is %s",
		    why, apply_has_self() ? "there" : "missing too");
		return;
	}
	if (sandbox_check(getpid(), NULL, 0) != 0) {
		snprintf(probe->reason, sizeof(probe->reason),
		    "this process is in a sandbox already, and sandboxes of "
		    "macOS do not nest; start the host outside of it");
		return;
	}
	if (sysctlbyname(
		"kern.osproductversion", probe->version, &size, NULL, 0) != 0)
		probe->version[0] = '\0';
	if (!apply_has_self())
		snprintf(probe->reason, sizeof(probe->reason),
		    "sandbox_init_with_parameters is missing: a process cannot "
		    "be confined itself, and becomes a command by way "
		    "of " APPLY_PROGRAM);
	probe->is_usable = 1;
	probe->has_network = 1;
}

int
apply_has_self(void)
{
	return sandbox_init_with_parameters != NULL;
}

int
apply_is_here(void)
{
	return 1;
}

int
apply_to_self(const char *text, const char *const *params)
{
	char *error = NULL;
	int ret = 0;

	if (sandbox_init_with_parameters(text, 0, params, &error) != 0) {
		ret = sandbox_check(getpid(), NULL, 0) != 0 ? -EPERM : -EINVAL;
		if (error != NULL)
			sandbox_free_error(error);
	}
	return ret;
}
