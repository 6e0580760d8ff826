/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * own-files.h - the files that decide what the next command may do, as far as
 * a command could change them.
 */

#ifndef OMEGA_POLICY_OWN_FILES_H
#define OMEGA_POLICY_OWN_FILES_H

#include "path/builtin.h"
#include "policy/atoms.h"

/* Called with each of them and what it is for. 0 or a failure. */
typedef int omega_own_files_take(void *arg, const char *path, const char *why);

/*
 * Files of configuration, present or not, the audit log, and the plugins and
 * helper programs with their directories once a plugin is loaded, or also
 * before. What of them is root's alone is left out, unless the caller has
 * root's rights. Returns what take has returned first that is not 0.
 */
int omega_own_files_each(const struct omega_sandbox_policy *policy,
    bool is_before, omega_own_files_take *take, void *arg);

/* None of them can be changed or made; each is told once, and not where it is
 * in a directory of which that is told. 0 or -errno. */
int omega_own_files_add(
    struct omega_atoms *atoms, const struct omega_sandbox_policy *policy);

/* What runs unattended (path/builtin.h), to be kept from this caller's
 * commands: nothing unless it could write there. */
const struct omega_builtin_unattended *omega_own_files_unattended(void);

#endif
