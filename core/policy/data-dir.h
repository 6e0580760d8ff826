/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * data-dir.h - the atoms of an agent's data directory: data and config.toml of
 * the host's own, and of the one that an administrator has named.
 */

#ifndef OMEGA_POLICY_DATA_DIR_H
#define OMEGA_POLICY_DATA_DIR_H

#include "policy/atoms.h"

/* Add them. 0, or a code with the error set. */
int omega_data_dir_add(struct omega_sandbox_policy *policy,
    struct omega_atoms *atoms, struct omega_sandbox_error *error);

#endif
