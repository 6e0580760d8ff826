/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * pids.c - see plan.h.
 *
 * It is made in the builder's first level, where a /proc can still be mounted,
 * with a copy of the mounts there; only then does its first process enter the
 * user namespace in which commands live.
 *
 * What closes the host's /proc closes the new one: each mount below the former
 * is copied before and put onto the same place of the latter.
 */

#include "plan.h"

#include <sys/mount.h>
#include <sys/random.h>
#include <sys/statvfs.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calls.h"

#define PROC "/proc"
#define MAX_CLOSED 32

/* Numbers begin anywhere, so that names made of them differ. */
#define FIRST_PID 10000
#define MOST_PIDS 20000
#define DIGITS 5

/* What follows are texts: what is closed below the host's /proc. */
struct pids_state {
	struct join_state first; /* the builder's first level; see join_step */
	struct join_state last; /* where commands live */
	bool is_open; /* /proc can be written */
};

/* Not to be able to is no reason to refuse a command. */
static void
scatter(void)
{
	unsigned short random = 0;
	char text[DIGITS];
	unsigned number;
	int i;
	int fd;

	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) < 0)
		return;
	fd = open(PROC "/sys/kernel/ns_last_pid", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	number = FIRST_PID + random % MOST_PIDS;
	for (i = DIGITS - 1; i >= 0; i--, number /= 10)
		text[i] = (char)('0' + number % 10);
	(void)!write(fd, text, sizeof(text));
	close(fd);
}

static int
close_again(const char *path, int mount)
{
	int ret = 0;

	if (calls_move_mount(mount, "", AT_FDCWD, path, CALLS_FROM_EMPTY) !=
		0 &&
	    errno != ENOENT) /* of a process that is not in here */
		ret = -errno;
	close(mount);
	return ret;
}

/* Open stays what is, and is_open. */
static int
mount_proc(const char *closed, bool is_open)
{
	struct calls_attr read_only = {.set = CALLS_READ_ONLY};
	int mounts[MAX_CLOSED];
	struct statvfs old;
	const char *path;
	int *mount_of = mounts;
	int ret = 0;

	if (is_open && statvfs(PROC, &old) == 0 &&
	    (old.f_flag & ST_RDONLY) == 0)
		read_only.set = 0;
	for (path = closed; *path != '\0'; path += strlen(path) + 1) {
		*mount_of = calls_open_tree(AT_FDCWD, path,
		    CALLS_CLONE | CALLS_CLOEXEC | CALLS_RECURSIVE);
		if (*mount_of++ < 0 && errno != ENOENT)
			return -errno;
	}
	if (mount("proc", PROC, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC,
		NULL) != 0)
		return -errno;
	scatter();
	mount_of = mounts;
	for (path = closed; ret == 0 && *path != '\0';
	     path += strlen(path) + 1, mount_of++)
		if (*mount_of >= 0)
			ret = close_again(path, *mount_of);
	/* By its own autogroup a command would have us wait, who share it. */
	if (ret == 0 && calls_setattr(AT_FDCWD, PROC, 0, &read_only) != 0)
		ret = -errno;
	return ret;
}

static int
inside_step(const void *state)
{
	const struct pids_state *pids = state;
	int ret = mount_proc((const char *)(pids + 1), pids->is_open);

	if (ret == 0)
		ret = join_step(&pids->last);
	return ret == 0 && pids->last.fds[0] >= 0 ? join_mark() : ret;
}

/* Who makes user namespaces writes to /proc. */
static bool
is_nesting(const struct setup *setup)
{
	return (setup->request.flags & OMEGA_SANDBOX_REQUEST_USER_NAMESPACES) !=
	       0;
}

void
pids_say(const struct setup *setup, const struct omega_sandbox_atom *atom,
    struct omega_sandbox_state *state)
{
	struct caller caller = setup->caller;
	struct build build;
	int error;

	if (build_pids_error() < 0 && !setup->is_believing)
		setup_try(setup->host, &caller, NULL, &build);
	error = build_pids_error();
	if (error < 0)
		error = setup->is_believing ? 0 : ENOSYS;
	state->held = error == 0 && !setup_is_plain(setup) && !is_nesting(setup)
			  ? atom->access
			  : 0;
	state->partial = error == 0 ? atom->access : 0;
	if (error == 0 && state->held == 0)
		snprintf(state->why, sizeof(state->why),
		    "%s a command can take the processor from its supervisor",
		    is_nesting(setup) ? "with user_namespaces = allow"
				      : "without a user namespace");
	else if (error != 0)
		snprintf(state->why, sizeof(state->why),
		    "no pid namespace with a /proc of its own: %s%s",
		    strerror(error),
		    error == ENOSPC ? " (the sysctl user.max_pid_namespaces, "
				      "or 32 are nested)"
		    : error == EPERM
			? " (a container's /proc is masked, or forbids it)"
			: "");
}

/* Add what mounts close below /proc. 0 or -errno; -E2BIG: more than can be
 * closed again. */
static int
add_closed(const struct ops *ops, struct texts *state)
{
	size_t left = MAX_CLOSED;
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < ops->count; i++) {
		const struct op *op = &ops->list[i];

		if (op->type != REQUEST_PIN && op->type != REQUEST_WRITABLE &&
		    strncmp(op->path, PROC "/", sizeof(PROC)) == 0)
			ret = left-- == 0 ? -E2BIG : texts_add(state, op->path);
	}
	return ret;
}

int
pids_add(const struct setup *setup, const struct build *build,
    const struct ops *ops, struct omega_sandbox_launch *launch)
{
	static const int first[] = {
	    REQUEST_FD_FIRST_USER, -1, -1, REQUEST_FD_FIRST_MOUNT};
	const int last[] = {setup_is_plain(setup) ? -1 : REQUEST_FD_USER,
	    REQUEST_FD_NETWORK, REQUEST_FD_IPC, -1};
	struct texts state = {.bytes = NULL};
	struct pids_state pids;
	int ret;

	if (!OMEGA_SANDBOX_HAS(launch, set_pid_namespace) ||
	    launch->set_pid_namespace == NULL || build->reply.pids_error != 0 ||
	    ops_has(ops, REQUEST_DENY, PROC))
		return 0;
	pids.is_open = is_nesting(setup);
	ret = join_keep(build, first, launch, &pids.first);
	if (ret == 0)
		ret = join_keep(build, last, launch, &pids.last);
	if (ret == 0)
		ret = texts_append(&state, &pids, sizeof(pids));
	if (ret == 0)
		ret = add_closed(ops, &state);
	if (ret == 0)
		ret = launch->set_pid_namespace(launch, join_step, inside_step,
		    state.bytes, state.size + 1);
	free(state.bytes);
	return ret;
}
