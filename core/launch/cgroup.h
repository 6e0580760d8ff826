/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * cgroup.h - limits that hold for a command and all it starts together, where
 * a control group has been left to us.
 *
 * A command that has such limits makes a group of its own, named by its
 * process id, and moves into it before anything else; the parent removes the
 * group when it has collected the command.
 */

#ifndef OMEGA_LAUNCH_CGROUP_H
#define OMEGA_LAUNCH_CGROUP_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum omega_cgroup_limit {
	OMEGA_CGROUP_MEMORY = 1, /* bits, for what is available */
	OMEGA_CGROUP_PROCESSES = 2
};

/*
 * The directory below which groups can be made: that of our own group, or of
 * the one above, if it is ours to write and its children have the
 * controllers. Returns which of the limits can be held there, 0: none.
 */
unsigned omega_cgroup_find(char dir[PATH_MAX]);

/* A descriptor of that directory, or a negative errno. */
int omega_cgroup_open_dir(const char *dir);

struct omega_cgroup_state {
	int dir_fd;
	uint64_t memory; /* 0: no limit */
	uint64_t processes;
};

/* A child step. */
int omega_cgroup_enter(const void *state);

/* In the parent, when the command has ended. What is busy still is left. The
 * number is that of the process which has entered it. */
void omega_cgroup_leave(int dir_fd, uint64_t number);

/* For a process that will enter it later: a descriptor of its list of
 * processes, with another number; or a negative errno. */
int omega_cgroup_make(const struct omega_cgroup_state *group, uint64_t *number);

/* The group of a command, to be closed, or a negative errno. Plain system
 * calls. */
int omega_cgroup_open(int dir_fd, pid_t pid);

/* Remove the groups of commands that nobody has collected. */
void omega_cgroup_tidy(int dir_fd);

#endif
