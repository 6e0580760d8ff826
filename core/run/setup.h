/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * setup.h - all that a start needs, made in the parent: arguments with the
 * backends' words before them, environment, directory, descriptors.
 */

#ifndef OMEGA_RUN_SETUP_H
#define OMEGA_RUN_SETUP_H

#include <limits.h>

#include <omega/sandbox.h>

#include "child/end.h"
#include "child/inner.h"
#include "launch/command.h"
#include "launch/launch.h"

/* The descriptors of one start: where each comes from, what was opened for it,
 * and which of them must be out of whose way. */
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
 * exchange them any more. Those of a prefix come only with its words. *watch is
 * where the child sends the listener, if somebody wants it. 0 or a code; then
 * nothing is left open.
 */
int omega_fds_make(struct omega_fds *fds, const struct omega_launch *launch,
    const struct omega_command *command, bool has_prefix, int *watch,
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

struct omega_setup {
	struct omega_inner inner; /* what the child reads; points into this */
	const struct omega_launch *launch;
	struct omega_fds fds;
	char **argv; /* only with words of a prefix, else NULL */
	char **wrapped; /* with those of a first process, or NULL */
	char **screened; /* what is left of the environment, or NULL */
	char **env; /* only when it had to be changed, else NULL */
	char **env_texts; /* the changed ones, ours */
	size_t env_text_count;
	char *dir;
	/* The directory that was asked for, when the program is to start in
	 * "/" because it is hidden; else "". */
	char left[PATH_MAX];
};

/*
 * Make it for a command, or with command NULL for the steps alone; for a child,
 * or else for this process, which has no words of a prefix before the command
 * when the backend has another way. Launch and command must outlive it. 0, or
 * a code with error filled and nothing kept.
 */
int omega_setup_make(struct omega_setup *setup,
    const struct omega_launch *launch, const struct omega_command *command,
    bool is_child, struct omega_sandbox_error *error);

/*
 * The child could not enter its directory: was it because there is none there
 * for it? False when it is just as bad outside; then nothing has changed. Else
 * the next try starts in "/".
 */
bool omega_setup_leave_dir(struct omega_setup *setup, int child_errno);

void omega_setup_drop(struct omega_setup *setup);

/* What a fault of the child is called outside: fill error, return the code. */
int omega_fault_tell(const struct omega_inner_fault *fault,
    const struct omega_setup *setup, struct omega_sandbox_error *error);

/* The same for a child that ended without a word; end NULL: not known how. */
int omega_fault_tell_end(
    const struct omega_end *end, struct omega_sandbox_error *error);

#endif
