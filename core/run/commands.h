/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * commands.h - is this program one of allowed_commands?
 */

#ifndef OMEGA_RUN_COMMANDS_H
#define OMEGA_RUN_COMMANDS_H

#include <omega/sandbox.h>

#include "base/list.h"

/*
 * May the program (absolute) be started? Of every file that lists commands one
 * entry must fit; an empty list lets all pass. A bare name fits the program
 * that is found first in safe_path (empty: the built-in one), there and
 * nowhere else; an entry with a slash fits the file of that name and the one
 * it leads to. Copies and links in other places do not fit. 0, or
 * OMEGA_SANDBOX_E_REFUSED, or _E_TRUST for a configured directory that is not
 * root's alone.
 */
int omega_commands_check(const struct omega_conf_list *allowed,
    const struct omega_conf_list *safe_path, const char *program,
    struct omega_sandbox_error *error);

#endif
