/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * terminal.c - terminals for commands. One that was opened outside has no name
 * where commands have a /dev/pts of their own.
 */

#include "config.h"

#include <sys/ioctl.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <omega/sandbox.h>

#include "base/error.h"
#include "launch/launch.h"
#include "plan/prepared.h"

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
