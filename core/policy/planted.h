/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * planted.h - symbolic links that an earlier command could have made on the
 * way to a place that the policy leaves open. Whoever followed one would open
 * what the command chose.
 */

#ifndef OMEGA_POLICY_PLANTED_H
#define OMEGA_POLICY_PLANTED_H

#include <limits.h>

#include "policy/atoms.h"
#include "policy/combine.h"

/*
 * Is a link on the way to path in a directory that commands of this policy may
 * write? 1: yes or perhaps, and link[PATH_MAX] is one; 0: no; -errno.
 */
int omega_planted_find(
    const struct omega_combined *combined, const char *path, char *link);

/* Drop such places from the lists, each with a note. 0 or -errno. */
int omega_planted_drop(struct omega_combined *combined);

/*
 * The same for a list of an option (ended by NULL, or NULL): what stays goes
 * to *to, ended by NULL, which omega_openings_drop_list frees. 0 or -errno.
 */
int omega_planted_sift(const struct omega_combined *combined,
    struct omega_atoms *atoms, const char *option, char *const *from,
    char ***to);

#endif
