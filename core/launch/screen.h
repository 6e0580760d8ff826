/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * screen.h - what is looked at in the parent before a command is started: its
 * program, its arguments, its environment.
 *
 * A convenience, and no boundary: a program that was let through can start
 * others. What holds then is for the backends.
 */

#ifndef OMEGA_LAUNCH_SCREEN_H
#define OMEGA_LAUNCH_SCREEN_H

#include <omega/sandbox.h>

#include "base/list.h"
#include "launch/command.h"
#include "launch/env.h"
#include "path/guard.h"

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

/*
 * Is the program (absolute) one of allowed_commands? Of every file that lists
 * commands one entry must fit; an empty list lets all pass. A bare name fits
 * the program that is found first in safe_path (empty: the built-in one), there
 * and nowhere else; an entry with a slash fits the file of that name and the
 * one it leads to. Copies and links in other places do not fit. 0, or
 * OMEGA_SANDBOX_E_REFUSED, or _E_TRUST for a configured directory that is not
 * root's alone.
 */
int omega_screen_program(const struct omega_conf_list *allowed,
    const struct omega_conf_list *safe_path, const char *program,
    struct omega_sandbox_error *error);

/*
 * Do arguments name what may not be read? Each but argv[0] is taken as a
 * path, from dir
 * (absolute) when it is relative; so is what stands behind a "=" in it, behind
 * "@", behind an option's letter (-Ipath), and in a file: URL. Names count, not
 * where they lead: a link somebody has made would stop commands that have
 * nothing to do with it, and backends see to what it leads to. 0, or
 * OMEGA_SANDBOX_E_REFUSED with the rule in error.
 */
int omega_screen_arguments(const struct omega_sandbox_guard *guard,
    const struct omega_command *command, const char *dir,
    struct omega_sandbox_error *error);

#endif
