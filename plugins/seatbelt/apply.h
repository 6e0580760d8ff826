/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * apply.h - what only macOS can tell and do.
 */

#ifndef OMEGA_SEATBELT_APPLY_H
#define OMEGA_SEATBELT_APPLY_H

#include <omega/sandbox-plugin.h>

#define APPLY_PROGRAM "/usr/bin/sandbox-exec"

/* Can a command be started under a profile here? */
void apply_probe(struct omega_sandbox_probe *probe);

/* Is this macOS? */
int apply_is_here(void);

/* Can a process be put under a profile, without a program? */
int apply_has_self(void);

/*
 * Put the calling process under a profile: text, then names and values of its
 * parameters in turn, ended by NULL. 0 or a negative errno.
 */
int apply_to_self(const char *text, const char *const *params);

#endif
