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
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calls.h"

#define PROC "/proc"
#define MAX_CLOSED 32

/* Numbers begin anywhere, so that names made of them differ. */
#define FIRST_PID 300
#define MOST_PIDS 30000

struct pids_state {
	int first_user; /* the builder's first level; -1: the host's own */
	int first_mount;
	int user; /* where commands live; -1: a plain mount namespace */
	int network; /* -1: the host's */
	int ipc; /* the same */
	uint32_t count;
	uint32_t closed[MAX_CLOSED]; /* offsets of paths, from the start */
	char texts[];
};

static int
outside_step(const void *state)
{
	const struct pids_state *pids = state;

	if ((pids->first_user >= 0 &&
		setns(pids->first_user, CLONE_NEWUSER) != 0) ||
	    setns(pids->first_mount, CLONE_NEWNS) != 0)
		return -errno;
	return 0;
}

static int
print_number(char text[16], unsigned number)
{
	char digits[16];
	int count = 0;
	int i;

	do
		digits[count++] = (char)('0' + number % 10);
	while ((number /= 10) != 0);
	for (i = 0; i < count; i++)
		text[i] = digits[count - 1 - i];
	return count;
}

/* Not to be able to is no reason to refuse a command. */
static void
scatter(void)
{
	unsigned short random = 0;
	char text[16];
	int fd;

	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) < 0)
		return;
	fd = open(PROC "/sys/kernel/ns_last_pid", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	(void)!write(fd, text,
	    (size_t)print_number(text, FIRST_PID + random % MOST_PIDS));
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

static int
mount_proc(const struct pids_state *pids)
{
	const char *base = (const char *)pids;
	struct calls_attr read_only = {.set = CALLS_READ_ONLY};
	int mounts[MAX_CLOSED];
	struct statvfs old;
	uint32_t i;
	int ret = 0;

	if (statvfs(PROC, &old) != 0)
		return -errno;
	for (i = 0; i < pids->count; i++) {
		mounts[i] = calls_open_tree(AT_FDCWD, base + pids->closed[i],
		    CALLS_CLONE | CALLS_CLOEXEC | CALLS_RECURSIVE);
		if (mounts[i] < 0 && errno != ENOENT)
			return -errno;
	}
	if (mount("proc", PROC, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC,
		NULL) != 0)
		return -errno;
	scatter();
	for (i = 0; ret == 0 && i < pids->count; i++)
		if (mounts[i] >= 0)
			ret = close_again(base + pids->closed[i], mounts[i]);
	if (ret == 0 && (old.f_flag & ST_RDONLY) != 0 &&
	    calls_setattr(AT_FDCWD, PROC, 0, &read_only) != 0)
		ret = -errno;
	return ret;
}

static int
inside_step(const void *state)
{
	const struct pids_state *pids = state;
	int ret = mount_proc(pids);

	if (ret < 0)
		return ret;
	if ((pids->user >= 0 && setns(pids->user, CLONE_NEWUSER) != 0) ||
	    (pids->network >= 0 && (setns(pids->network, CLONE_NEWNET) != 0 ||
				       setns(pids->ipc, CLONE_NEWIPC) != 0)))
		return -errno;
	return 0;
}

int
pids_error(const struct setup *setup)
{
	struct caller caller = setup->caller;
	struct build build;
	int error = build_pids_error();

	if (error >= 0)
		return error;
	setup_try(setup->host, &caller, NULL, &build);
	error = build_pids_error();
	return error < 0 ? ENOSYS : error;
}

void
pids_say(const struct setup *setup, const struct omega_sandbox_atom *atom,
    struct omega_sandbox_state *state)
{
	int error = pids_error(setup);

	if (error == 0)
		state->held = atom->access;
	else
		snprintf(state->why, sizeof(state->why),
		    "no pid namespace with a /proc of its own: %s%s",
		    strerror(error),
		    error == ENOSPC ? " (the sysctl user.max_pid_namespaces, "
				      "or 32 are nested)"
		    : error == EPERM
			? " (a container's /proc is masked, or forbids it)"
			: "");
}

/* Is that something that a mount closes? */
static int
is_closed(const struct op *op)
{
	return op->type != REQUEST_PIN && op->type != REQUEST_WRITABLE &&
	       strncmp(op->path, PROC "/", sizeof(PROC)) == 0;
}

/* The state without descriptors, to be freed; NULL: out of memory. */
static struct pids_state *
make_state(const struct ops *ops, size_t *size)
{
	struct pids_state *state;
	size_t i;

	*size = sizeof(*state);
	for (i = 0; i < ops->count; i++)
		if (is_closed(&ops->list[i]))
			*size += strlen(ops->list[i].path) + 1;
	state = calloc(1, *size);
	if (state == NULL)
		return NULL;
	*size = sizeof(*state);
	for (i = 0; i < ops->count; i++) {
		const char *path = ops->list[i].path;

		if (!is_closed(&ops->list[i]))
			continue;
		/* More than can be closed again: then not at all. */
		if (state->count == MAX_CLOSED) {
			state->count++;
			break;
		}
		state->closed[state->count++] = (uint32_t)*size;
		memcpy((char *)state + *size, path, strlen(path) + 1);
		*size += strlen(path) + 1;
	}
	return state;
}

static int
keep(struct omega_sandbox_launch *launch, int fd, int *kept)
{
	*kept = fd < 0 ? -1 : launch->keep_fd(launch, fd);
	return fd >= 0 && *kept < 0 ? *kept : 0;
}

int
pids_add(const struct setup *setup, const struct build *build,
    const struct ops *ops, struct omega_sandbox_launch *launch)
{
	struct pids_state *state;
	size_t size;
	int ret;

	if (!OMEGA_SANDBOX_HAS(launch, set_pid_namespace) ||
	    launch->set_pid_namespace == NULL || build->reply.pids_error != 0 ||
	    ops_has(ops, REQUEST_DENY, PROC))
		return 0;
	state = make_state(ops, &size);
	if (state == NULL)
		return -ENOMEM;
	ret =
	    keep(launch, build->fds[REQUEST_FD_FIRST_USER], &state->first_user);
	if (ret == 0)
		ret = keep(launch, build->fds[REQUEST_FD_FIRST_MOUNT],
		    &state->first_mount);
	if (ret == 0)
		ret = keep(launch,
		    setup_is_plain(setup) ? -1 : build->fds[REQUEST_FD_USER],
		    &state->user);
	if (ret == 0)
		ret = keep(
		    launch, build->fds[REQUEST_FD_NETWORK], &state->network);
	if (ret == 0)
		ret = keep(launch, build->fds[REQUEST_FD_IPC], &state->ipc);
	if (ret == 0)
		ret = state->count > MAX_CLOSED
			  ? -E2BIG
			  : launch->set_pid_namespace(
				launch, outside_step, inside_step, state, size);
	free(state);
	return ret;
}
