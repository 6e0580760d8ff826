/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * setup.h - all that a start needs, made in the parent: arguments with the
 * backends' words before them, environment, directory, descriptors.
 */

#ifndef OMEGA_RUN_SETUP_H
#define OMEGA_RUN_SETUP_H

#include "run/command.h"
#include "run/fds.h"
#include "run/inner.h"
#include "run/launch.h"

struct omega_setup {
	struct omega_inner inner; /* what the child reads; points into this */
	const struct omega_launch *launch;
	struct omega_fds fds;
	char **argv;
	char **env; /* only when it had to be changed, else NULL */
	char **env_texts; /* the changed ones, ours */
	size_t env_text_count;
	char *dir;
};

/*
 * Make it for a command, or with command NULL for the steps alone. Launch and
 * command must outlive it. 0, or a code with error filled and nothing kept.
 */
int omega_setup_make(struct omega_setup *setup,
    const struct omega_launch *launch, const struct omega_command *command,
    struct omega_sandbox_error *error);
void omega_setup_drop(struct omega_setup *setup);

#endif
