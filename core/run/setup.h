/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * setup.h - all that a start needs, made in the parent: arguments with the
 * backends' words before them, environment, directory, descriptors.
 */

#ifndef OMEGA_RUN_SETUP_H
#define OMEGA_RUN_SETUP_H

#include <limits.h>

#include "run/command.h"
#include "run/fds.h"
#include "run/inner.h"
#include "run/launch.h"

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

#endif
