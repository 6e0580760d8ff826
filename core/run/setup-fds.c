/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * setup-fds.c - see setup.h.
 */

#include "config.h"

#include "run/setup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/system.h"

static bool
is_target(const struct omega_fds *fds, int fd)
{
	size_t i;

	for (i = 0; i < fds->count; i++)
		if (fds->list[i].to == fd)
			return true;
	return false;
}

/* Will something else be put where this is now? */
static bool
is_overwritten(const struct omega_fds *fds, int fd)
{
	size_t i;

	for (i = 0; i < fds->count; i++)
		if (fds->list[i].to == fd && fds->list[i].from != fd)
			return true;
	return false;
}

/* A duplicate that is not in the way, or a negative errno. */
static int
duplicate(const struct omega_fds *fds, int fd)
{
	int next = 3;
	int copy;

	for (;;) {
		copy = fcntl(fd, F_DUPFD_CLOEXEC, next);
		if (copy < 0)
			return -errno;
		if (!is_target(fds, copy))
			return copy;
		close(copy);
		next = copy + 1;
	}
}

int
omega_fds_move(const struct omega_fds *fds, int fd)
{
	int copy;

	if (fd > 2 && !is_target(fds, fd))
		return fd;
	copy = duplicate(fds, fd);
	close(fd);
	return copy;
}

static struct omega_inner_fd *
add(struct omega_fds *fds, int from, int to)
{
	struct omega_inner_fd *fd = &fds->list[fds->count++];

	*fd = (struct omega_inner_fd){.from = from, .to = to, .given = from};
	return fd;
}

void
omega_fds_add_own(struct omega_fds *fds, int fd)
{
	add(fds, fd, fd);
}

static int
open_null(struct omega_fds *fds, int which)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return -errno;
	fds->own[fds->own_count++] = fd;
	add(fds, fd, which)->is_renewed = true;
	return 0;
}

static int
open_pipe(struct omega_fds *fds, int which)
{
	int ends[2];
	int theirs;
	int ret;

	ret = omega_system_make_pipe(ends, 0);
	if (ret < 0)
		return ret;
	theirs = which == 0 ? 0 : 1;
	fds->ours[which] = ends[1 - theirs];
	fds->own[fds->own_count++] = ends[theirs];
	add(fds, ends[theirs], which);
	return 0;
}

/* What is closed, or would be by any exec, is not there to be inherited. */
static int
inherit(struct omega_fds *fds, int which)
{
	struct omega_inner_fd *fd;
	int flags = fcntl(which, F_GETFD);

	if (flags < 0 && errno != EBADF)
		return -errno;
	if (flags < 0 || (flags & FD_CLOEXEC) != 0)
		return open_null(fds, which);
	fd = add(fds, which, which);
	fd->is_checked = true;
	fd->is_renewed = true;
	fd->is_in_place = true;
	return 0;
}

static bool
is_kept(const struct omega_launch *launch, int fd)
{
	size_t i;

	for (i = 0; i < launch->kept_count; i++)
		if (launch->kept[i] == fd)
			return true;
	return false;
}

/* A number the caller believes to be its own. */
static int
add_given(struct omega_fds *fds, const struct omega_launch *launch, int from,
    int to, struct omega_sandbox_error *error)
{
	struct omega_inner_fd *fd;

	if (is_kept(launch, from))
		return omega_error_set(error, OMEGA_SANDBOX_E_REFUSED, EBADF,
		    "descriptor %d belongs to the sandbox, not to the program",
		    from);
	fd = add(fds, from, to);
	fd->is_checked = true;
	fd->is_renewed = true;
	fd->is_late = is_kept(launch, to);
	return 0;
}

static int
make_stdio(struct omega_fds *fds, const struct omega_launch *launch,
    const struct omega_command *command, struct omega_sandbox_error *error)
{
	int ret = 0;
	int i;

	for (i = 0; ret == 0 && i < 3; i++) {
		switch (command->stdio[i].how) {
		case OMEGA_SANDBOX_STDIO_INHERIT:
			ret = inherit(fds, i);
			break;
		case OMEGA_SANDBOX_STDIO_PIPE:
			ret = open_pipe(fds, i);
			break;
		case OMEGA_SANDBOX_STDIO_FD:
			ret = add_given(
			    fds, launch, command->stdio[i].fd, i, error);
			if (ret < 0)
				return ret;
			break;
		default:
			ret = open_null(fds, i);
			break;
		}
	}
	if (ret < 0)
		return omega_error_set(error, OMEGA_SANDBOX_E_SYSTEM, -ret,
		    "descriptor %d for the program: %s", i - 1, strerror(-ret));
	return 0;
}

static int
make_passed(struct omega_fds *fds, const struct omega_launch *launch,
    const struct omega_command *command, bool has_prefix,
    struct omega_sandbox_error *error)
{
	size_t i;
	int ret;

	for (i = 0; has_prefix && i < launch->passed_count; i++)
		add(fds, launch->passed[i].fd, launch->passed[i].child_fd);
	for (i = 0; i < command->fd_count; i++) {
		if (is_target(fds, command->fds[i].child_fd))
			return omega_error_set(error, OMEGA_SANDBOX_E_REFUSED,
			    EBUSY,
			    "descriptor %d of the program is needed by %s: "
			    "choose another number",
			    command->fds[i].child_fd,
			    launch->prefix == NULL ? "a backend"
						   : launch->prefix);
		ret = add_given(fds, launch, command->fds[i].fd,
		    command->fds[i].child_fd, error);
		if (ret < 0)
			return ret;
	}
	return 0;
}

/* Nothing may be overwritten before it was put in its place. */
static int
make_way(struct omega_fds *fds, struct omega_sandbox_error *error)
{
	struct omega_inner_fd *fd;
	size_t i;
	int ret;

	for (i = 0; i < fds->count; i++) {
		fd = &fds->list[i];
		if (fd->from == fd->to || !is_overwritten(fds, fd->from))
			continue;
		ret = duplicate(fds, fd->from);
		if (ret < 0)
			return omega_error_set(error, OMEGA_SANDBOX_E_SYSTEM,
			    -ret, "descriptor %d for the program: %s",
			    fd->given, strerror(-ret));
		fds->own[fds->own_count++] = ret;
		fd->from = ret;
	}
	for (i = 0; i < 3; i++) {
		if (fds->ours[i] < 0 || fds->ours[i] > 2)
			continue;
		fds->ours[i] = omega_fds_move(fds, fds->ours[i]);
		if (fds->ours[i] < 0)
			return omega_error_set(error, OMEGA_SANDBOX_E_SYSTEM,
			    -fds->ours[i], "a pipe for the program: %s",
			    strerror(-fds->ours[i]));
	}
	return 0;
}

int
omega_fds_make(struct omega_fds *fds, const struct omega_launch *launch,
    const struct omega_command *command, bool has_prefix, int *watch,
    struct omega_sandbox_error *error)
{
	size_t most = 3 + launch->passed_count + command->fd_count;
	int ret;

	*fds = (struct omega_fds){.ours = {-1, -1, -1}};
	fds->list = calloc(most + 3, sizeof(*fds->list));
	/* Each may be opened, and then moved. */
	fds->own = calloc(2 * most + 1, sizeof(*fds->own));
	if (fds->list == NULL || fds->own == NULL) {
		omega_fds_drop(fds);
		return omega_error_memory(error);
	}
	ret = make_stdio(fds, launch, command, error);
	if (ret == 0)
		ret = make_passed(fds, launch, command, has_prefix, error);
	if (ret == 0)
		ret = make_way(fds, error);
	if (ret == 0 && command->watch != 0) {
		ret = duplicate(fds, (int)command->watch);
		if (ret < 0)
			ret = omega_error_set(error, OMEGA_SANDBOX_E_SYSTEM,
			    -ret, "descriptor %d for the listener: %s",
			    (int)command->watch, strerror(-ret));
		else
			fds->own[fds->own_count++] = *watch = ret;
	}
	if (ret < 0)
		omega_fds_drop(fds);
	return ret < 0 ? ret : 0;
}

void
omega_fds_drop(struct omega_fds *fds)
{
	size_t i;

	for (i = 0; i < fds->own_count; i++)
		close(fds->own[i]);
	for (i = 0; i < 3; i++)
		if (fds->ours[i] >= 0)
			close(fds->ours[i]);
	free(fds->list);
	free(fds->own);
	*fds = (struct omega_fds){.ours = {-1, -1, -1}};
}
