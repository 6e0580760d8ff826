/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * child.c - the public functions about a running child: check arguments, ask
 * run/child.c. Documentation is in omega/sandbox.h.
 */

#include "config.h"

#include <omega/sandbox.h>

#include <errno.h>

#include "base/error.h"
#include "run/child.h"

pid_t
omega_sandbox_child_pid(const struct omega_sandbox_child *child)
{
	return child == NULL ? -1 : omega_child_pid(child);
}

int
omega_sandbox_child_fd(const struct omega_sandbox_child *child)
{
	return child == NULL ? -1 : omega_child_fd(child);
}

int
omega_sandbox_child_take_stdio(struct omega_sandbox_child *child, int which)
{
	return child == NULL ? -1 : omega_child_take_stdio(child, which);
}

int
omega_sandbox_child_wait(struct omega_sandbox_child *child, int timeout_ms,
    struct omega_sandbox_outcome *end, struct omega_sandbox_error *error)
{
	if (child == NULL || timeout_ms < -1)
		return omega_error_set(error, OMEGA_SANDBOX_E_ARGUMENT, EINVAL,
		    "a child and a time of -1 or more are needed");
	return omega_child_wait(child, timeout_ms, end, error);
}

int
omega_sandbox_child_signal(struct omega_sandbox_child *child, int signal)
{
	int saved = errno;
	int ret;

	if (child == NULL || signal < 0)
		return OMEGA_SANDBOX_E_ARGUMENT;
	ret = omega_child_signal(child, signal);
	if (ret == OMEGA_SANDBOX_E_SYSTEM && errno == ESRCH)
		ret = OMEGA_SANDBOX_E_STATE;
	errno = saved;
	return ret;
}

void
omega_sandbox_child_free(struct omega_sandbox_child *child)
{
	omega_child_free(child);
}
