/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * pids.h - a pid namespace for each supervised command.
 *
 * It is made in the builder's first level, where a /proc can still be mounted,
 * with a copy of the mounts there; only then does its first process enter the
 * user namespace in which commands live.
 */

#ifndef NAMESPACE_PIDS_H
#define NAMESPACE_PIDS_H

#include "build.h"
#include "setup.h"

/* Why there can be none, as a builder has found out: 0: there can; errno. */
int pids_error(const struct setup *setup);

/* Say what of the atom is held. */
void pids_say(const struct setup *setup, const struct omega_sandbox_atom *atom,
    struct omega_sandbox_state *state);

/* Have the core make one. 0 or -errno. */
int pids_add(const struct setup *setup, const struct build *build,
    const struct ops *ops, struct omega_sandbox_launch *launch);

#endif
