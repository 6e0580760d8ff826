/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * prepared.c - the public functions about a prepared policy: making it, a
 * terminal for its commands, and confining the caller by it. Documentation is
 * in omega/sandbox.h.
 */

#include "config.h"

#include "plan/prepared.h"

#include <sys/ioctl.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/command.h"
#include "base/error.h"
#include "base/sized.h"
#include "launch/launch.h"
#include "launch/refused.h"
#include "run/spawn.h"

int
omega_sandbox_prepare(struct omega_sandbox_policy *policy,
    struct omega_sandbox_prepared **prepared, struct omega_sandbox_error *error)
{
	struct omega_sandbox_prepared *made;
	int ret;

	if (policy == NULL || prepared == NULL)
		return omega_error_set(error, OMEGA_SANDBOX_E_ARGUMENT, EINVAL,
		    "a policy and a place for the result are needed");
	*prepared = NULL;
	made = calloc(1, sizeof(*made));
	if (made == NULL)
		return omega_error_memory(error);
	atomic_init(&made->refs, 1);
	pthread_mutex_init(&made->renewal, NULL);
	pthread_mutex_init(&made->lock, NULL);
	/* Later changes of the policy concern later preparations only. */
	made->policy = omega_policy_copy(policy);
	if (made->policy == NULL)
		ret = omega_error_memory(error);
	else
		ret = omega_prepared_build(made, error);
	if (ret < 0) {
		omega_sandbox_prepared_unref(made);
		return ret;
	}
	*prepared = made;
	return 0;
}

struct omega_sandbox_prepared *
omega_sandbox_prepared_ref(struct omega_sandbox_prepared *prepared)
{
	if (prepared != NULL)
		atomic_fetch_add(&prepared->refs, 1);
	return prepared;
}

void
omega_sandbox_prepared_unref(struct omega_sandbox_prepared *prepared)
{
	if (prepared == NULL || atomic_fetch_sub(&prepared->refs, 1) != 1)
		return;
	pthread_mutex_destroy(&prepared->renewal);
	pthread_mutex_destroy(&prepared->lock);
	omega_launch_unref(prepared->launch);
	omega_sandbox_report_unref(prepared->report);
	omega_sandbox_policy_unref(prepared->policy);
	free(prepared);
}

struct omega_sandbox_report *
omega_sandbox_prepared_report(struct omega_sandbox_prepared *prepared)
{
	struct omega_sandbox_report *report;

	if (prepared == NULL)
		return NULL;
	pthread_mutex_lock(&prepared->lock);
	report = omega_sandbox_report_ref(prepared->report);
	pthread_mutex_unlock(&prepared->lock);
	return report;
}

int
omega_sandbox_prepared_get_refused(struct omega_sandbox_prepared *prepared,
    size_t index, struct omega_sandbox_refused_host *host)
{
	struct omega_sandbox_refused_host full =
	    OMEGA_SANDBOX_REFUSED_HOST_INIT;
	int ret;

	if (prepared == NULL || host == NULL || host->size < sizeof(host->size))
		return OMEGA_SANDBOX_E_ARGUMENT;
	pthread_mutex_lock(&prepared->lock);
	ret = omega_launch_read_refused(
	    prepared->launch->refused_fd, index, &full);
	pthread_mutex_unlock(&prepared->lock);
	if (ret < 0)
		return OMEGA_SANDBOX_E_NOT_FOUND;
	omega_sized_give(host, &full, sizeof(full));
	return 0;
}

/* ---- Terminals -----------------------------------------------------------
 * One that was opened outside has no name where commands have a /dev/pts of
 * their own.
 */

static int
open_master(const struct omega_launch *launch)
{
	size_t i;
	int fd;

	for (i = 0; i < launch->stand_in_count; i++)
		if (strcmp(launch->stand_ins[i].path, "/dev/pts") == 0)
			return openat(launch->stand_ins[i].fd, "ptmx",
			    O_RDWR | O_NOCTTY | O_CLOEXEC);
	fd = posix_openpt(O_RDWR | O_NOCTTY);
	if (fd >= 0 && fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static int
open_slave(int master)
{
	const int flags = O_RDWR | O_NOCTTY | O_CLOEXEC;

#ifdef TIOCGPTPEER
	return unlockpt(master) == 0 ? ioctl(master, TIOCGPTPEER, flags) : -1;
#else
	return grantpt(master) == 0 && unlockpt(master) == 0
		   ? open(ptsname(master), flags)
		   : -1;
#endif
}

int
omega_sandbox_prepared_open_terminal(struct omega_sandbox_prepared *prepared,
    int *master, int *slave, struct omega_sandbox_error *error)
{
	struct omega_launch *launch;
	int code;
	int ret;

	if (prepared == NULL || master == NULL || slave == NULL)
		return omega_error_set(error, OMEGA_SANDBOX_E_ARGUMENT, EINVAL,
		    "prepared, master and slave must not be NULL");
	ret = omega_prepared_launch(prepared, &launch, NULL, error);
	if (ret < 0)
		return ret;
	*master = open_master(launch);
	*slave = *master < 0 ? -1 : open_slave(*master);
	if (*slave < 0) {
		code = errno;
		ret = omega_error_set(error, OMEGA_SANDBOX_E_SYSTEM, code,
		    "a terminal cannot be opened: %s", strerror(code));
		if (*master >= 0)
			close(*master);
		*master = -1;
	}
	omega_launch_unref(launch);
	return ret;
}

/* ---- The caller itself --------------------------------------------------- */

int
omega_sandbox_confine_self(
    struct omega_sandbox_prepared *prepared, struct omega_sandbox_error *error)
{
	struct omega_launch *launch = NULL;
	char *left;
	int ret;

	if (prepared == NULL)
		return omega_error_set(error, OMEGA_SANDBOX_E_ARGUMENT, EINVAL,
		    "a prepared policy is needed");
	ret = omega_prepared_launch(prepared, &launch, NULL, error);
	if (ret < 0)
		return ret;
	left = omega_hidden_find(&launch->hidden, NULL);
	ret = omega_spawn_confine(launch, error);
	if (ret == 0 && left != NULL)
		omega_command_say_left(prepared, left);
	free(left);
	omega_launch_unref(launch);
	return ret;
}
