/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * apply.h - what only macOS can tell and do.
 */

#ifndef OMEGA_SEATBELT_APPLY_H
#define OMEGA_SEATBELT_APPLY_H

#include "profile.h"

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

/*
 * Add the paths of the sockets that processes of the caller have bound. 0 or a
 * negative errno: -ENOENT when one is bound by a relative name, and where it is
 * cannot be known.
 */
int apply_find_sockets(struct texts *sockets);

#endif
