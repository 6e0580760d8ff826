/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * apply-darwin.c - see apply.h. Of macOS.
 *
 * Two functions of its library have no header: they are declared here as every
 * browser declares them.
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
    const char *const parameters[], char **error);
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

	if (!is_trusted(APPLY_PROGRAM, probe->reason, sizeof(probe->reason)))
		return;
	if (sandbox_check(getpid(), NULL, 0) != 0) {
		snprintf(probe->reason, sizeof(probe->reason),
		    "this process is in a sandbox already, and sandboxes of "
		    "macOS do not nest; start the host outside of it");
		return;
	}
	if (sysctlbyname(
		"kern.osproductversion", probe->version, &size, NULL, 0) != 0)
		probe->version[0] = '\0';
	probe->is_usable = 1;
	probe->has_network = 1;
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
