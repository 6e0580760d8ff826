/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * powers.h - the capabilities that Landlock is not asked about. With them a
 * command samples every process, hangs up the caller's terminal, loads modules
 * or writes to ports of devices, whatever the ruleset says; so root loses all
 * but those for its daily work on files.
 */

#ifndef OMEGA_LANDLOCK_POWERS_H
#define OMEGA_LANDLOCK_POWERS_H

/* Behind the step of a backend that takes more, which this one then leaves
 * as it is. */
#define POWERS_PHASE (OMEGA_SANDBOX_PHASE_CAPABILITIES + 1)

/* Has the caller more than a command is to have? */
int powers_are_many(void);

/* The child step that gives them up. state is not used. */
int powers_give_up(const void *state);

#endif
