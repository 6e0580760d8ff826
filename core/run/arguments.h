/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * arguments.h - do the arguments of a command name what it may not read?
 */

#ifndef OMEGA_RUN_ARGUMENTS_H
#define OMEGA_RUN_ARGUMENTS_H

#include "path/guard.h"
#include "run/command.h"

/*
 * Look at all arguments but argv[0]. Each is taken as a path, from dir
 * (absolute) when it is relative; so is what stands behind a "=" in it, behind
 * "@", behind an option's letter (-Ipath), and in a file: URL. Names count, not
 * where they lead: a link somebody has made would stop commands that have
 * nothing to do with it, and backends see to what it leads to. 0, or
 * OMEGA_SANDBOX_E_REFUSED with the rule in error.
 */
int omega_arguments_check(const struct omega_sandbox_guard *guard,
    const struct omega_command *command, const char *dir,
    struct omega_sandbox_error *error);

#endif
