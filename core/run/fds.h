/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * fds.h - the descriptors of one start: where each comes from, what was
 * opened for it, and which of them must be out of whose way.
 */

#ifndef OMEGA_RUN_FDS_H
#define OMEGA_RUN_FDS_H

#include "run/command.h"
#include "run/inner.h"
#include "run/launch.h"

struct omega_fds {
	struct omega_inner_fd *list;
	size_t count;
	int *own; /* opened for this start, to be closed after it */
	size_t own_count;
	int ours[3]; /* our ends of pipes, or -1 */
};

/*
 * Open pipes and /dev/null, note what is inherited and passed, and see to it
 * that putting one in its place does not overwrite another. Whether they are
 * directories is looked at by the child, in its own table, where nobody can
 * exchange them any more. Those of a prefix come only with its words. 0 or a
 * code; then nothing is left open.
 */
int omega_fds_make(struct omega_fds *fds, const struct omega_launch *launch,
    const struct omega_command *command, bool has_prefix,
    struct omega_sandbox_error *error);
void omega_fds_drop(struct omega_fds *fds);

/* A descriptor of ours that is to stay open at its number, behind all others.
 * There is room for three. */
void omega_fds_add_own(struct omega_fds *fds, int fd);

/*
 * Move a descriptor of ours off the program's numbers and off 0 to 2. Returns
 * its number, or a negative errno; then it is closed. Close-on-exec.
 */
int omega_fds_move(const struct omega_fds *fds, int fd);

#endif
