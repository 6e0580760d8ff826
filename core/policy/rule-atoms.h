/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * rule-atoms.h - atoms for what a policy asks for beyond the default.
 */

#ifndef OMEGA_POLICY_RULE_ATOMS_H
#define OMEGA_POLICY_RULE_ATOMS_H

#include "path/place.h"
#include "policy/atoms.h"
#include "policy/combine.h"

/*
 * Find a place where the bits of access are to be denied; what nobody gets
 * past stands for what is behind it, and a note says so. What that is behind
 * is denied here, if it has a name of its own. 0 or -errno.
 */
int omega_rule_atoms_find(struct omega_atoms *atoms, const char *origin,
    const char *path, uint32_t access, bool is_data, struct omega_place *place);

/* A place where the bits of access (reading, changing or both) are denied,
 * with what hardens that; its creation when it is absent. 0 or -errno. */
int omega_rule_atoms_deny(struct omega_atoms *atoms, const char *origin,
    const struct omega_place *place, uint32_t access);

/* The same, also for a place that is absent and must not appear. */
int omega_rule_atoms_deny_always(struct omega_atoms *atoms, const char *origin,
    const struct omega_place *place, uint32_t access);

/* Denies, lists, network, fork, limits, grants, notes. 0 or -errno. */
int omega_rule_atoms_add(
    struct omega_atoms *atoms, const struct omega_combined *combined);

#endif
