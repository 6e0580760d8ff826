/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * screen.h - what is looked at in the parent before a command is started: its
 * program, its arguments, its environment.
 *
 * A convenience, and no boundary: a program that was let through can start
 * others. What holds then is for the backends.
 */

#ifndef OMEGA_RUN_SCREEN_H
#define OMEGA_RUN_SCREEN_H

#include "base/list.h"
#include "path/guard.h"
#include "run/command.h"
#include "run/env.h"

struct omega_screen {
	struct omega_env env;
	struct omega_sandbox_guard *guard; /* NULL: arguments pass */
	/* Of the configuration, which outlives us. */
	const struct omega_conf_list *allowed;
	const struct omega_conf_list *safe_path;
};

/*
 * May the command be started in dir (absolute)? 0, or OMEGA_SANDBOX_E_REFUSED,
 * _E_TRUST, _E_MEMORY with error filled.
 */
int omega_screen_check(const struct omega_screen *screen,
    const struct omega_command *command, const char *dir,
    struct omega_sandbox_error *error);

/* NULL is fine. */
void omega_screen_free(struct omega_screen *screen);

#endif
