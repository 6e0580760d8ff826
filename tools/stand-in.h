/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * stand-in.h - the tool between its caller and the command it runs, as if it
 * were the command: signals are passed on, a shell sees it stop when the
 * command stops and makes it go on again, and what the caller ignores or has
 * blocked is ignored and blocked in the command. One command at a time.
 */

#ifndef OMEGA_TOOL_STAND_IN_H
#define OMEGA_TOOL_STAND_IN_H

#include <stdbool.h>

#include <omega/sandbox.h>

/* Before it is run; will it be in our process group? 0 or a code. */
int stand_in_begin(struct omega_sandbox_command *command, bool is_in_group);

/* Afterwards: a signal that came for a command that was never started ends the
 * tool instead. */
void stand_in_end(void);

#endif
