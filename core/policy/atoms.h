/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * atoms.h - a policy taken apart into sentences that can be checked.
 *
 * Every atom is shown to people as one guarantee: the sentence, whether it is
 * required, and what asked for it.
 */

#ifndef OMEGA_POLICY_ATOMS_H
#define OMEGA_POLICY_ATOMS_H

#include <omega/sandbox-plugin.h>

#include "policy/policy.h"

struct omega_atom {
	struct omega_sandbox_atom public; /* what plugins see */
	char *path; /* owns public.path */
	char *sentence; /* "/etc cannot be changed" */
	char *origin; /* "built in", "FILE:LINE", ... */
};

struct omega_atoms {
	struct omega_atom *list;
	size_t count;
	size_t capacity;
	char *data_dir; /* canonical, NULL: the policy has none */
	char *note; /* what a reader must know, or NULL */
	char **spelled; /* paths as they were written, ended by NULL */
	size_t spelled_count;
};

/*
 * Take the policy apart on this host, now: paths are resolved and held by
 * descriptors. Returns 0, or OMEGA_SANDBOX_E_INVALID_POLICY (no data_dir is
 * known, a path cannot be resolved), _E_SYSTEM, _E_MEMORY.
 */
int omega_atoms_make(struct omega_sandbox_policy *policy,
    struct omega_atoms *atoms, struct omega_sandbox_error *error);

void omega_atoms_drop(struct omega_atoms *atoms);

#endif
