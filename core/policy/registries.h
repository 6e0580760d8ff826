/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * registries.h - "@registries" in a list of hosts: where the package managers
 * of the caller (npm, pip, cargo, go, apt) are told to look.
 */

#ifndef OMEGA_POLICY_REGISTRIES_H
#define OMEGA_POLICY_REGISTRIES_H

#include "policy/combine.h"

#define OMEGA_REGISTRIES "@registries"

/* Takes one host, as an entry has it. 0 or a negative errno, which ends it. */
typedef int omega_registries_take(
    void *arg, const struct omega_hosts_entry *entry);

/*
 * Tell of each. Files that commands of this combination could change, or
 * somebody else, are passed over with a note; its lists of places are complete.
 * 0, -ENOMEM, or what take returns.
 */
int omega_registries_find(
    struct omega_combined *combined, omega_registries_take *take, void *arg);

#endif
