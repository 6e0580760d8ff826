/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * git-config.h - what a configuration file of git leads to: other such files,
 * and a directory of hooks.
 */

#ifndef OMEGA_POLICY_GIT_CONFIG_H
#define OMEGA_POLICY_GIT_CONFIG_H

#include <stdbool.h>

/* Called with each path as it is written there. 0 or a negative errno, which
 * ends it. */
typedef int omega_git_config_take(void *arg, const char *path, bool is_hooks);

/*
 * Read core.hooksPath, include.path and includeIf.*.path, whatever their
 * condition is. 0, also when it cannot be read or is no such file; -EFBIG: only
 * the first part was looked at; or what take returned.
 */
int omega_git_config_read(
    const char *file, omega_git_config_take *take, void *arg);

#endif
