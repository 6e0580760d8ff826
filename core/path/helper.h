/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * helper.h - the package's own helper programs, believed like plugins.
 */

#ifndef OMEGA_PATH_HELPER_H
#define OMEGA_PATH_HELPER_H

#include <stdbool.h>

#include <omega/sandbox.h>

#define OMEGA_HELPER_NAME_MAX 31

/* Of a backend or a helper: lower-case letters, digits, "_" and "-", at most so
 * many, not empty. */
bool omega_helper_is_name(const char *name);

/* Where they are installed. */
extern const char *const omega_helper_dir;

/*
 * Open the program called name in dir, for fexecve(3). Returns the
 * descriptor, or a negative errno with error filled: -EINVAL when it is not a
 * name (no path is taken), -ENOENT when there is no such program, -EACCES
 * when it is not executable, and what omega_trust_open() returns.
 */
int omega_helper_open(
    const char *dir, const char *name, struct omega_sandbox_error *error);

/*
 * Call take with dir and with each file in it, when a command could change the
 * directory, or else with the files a command could change. Nothing when dir
 * does not exist. Returns 0, or what take has returned first that is not 0.
 */
int omega_helper_each_changeable(
    const char *dir, int (*take)(void *arg, const char *path), void *arg);

#endif
