/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * git.h - the git metadata of a work directory.
 *
 * Found by walking up to /: each directory .git; or file .git, which a linked
 * worktree has and which names the directory, which in turn names the common
 * one of all worktrees. Not the nearest alone: a command could make that one.
 */

#ifndef OMEGA_POLICY_GIT_H
#define OMEGA_POLICY_GIT_H

#include <limits.h>

/*
 * Called with each path to be denied, and note NULL; or with path NULL and
 * something a reader must know. 0 or a negative errno.
 */
typedef int omega_git_take(void *arg, const char *path, const char *note);

/*
 * Returns 0, also when there is none; what take returned, or -errno, and then
 * at is the file or directory that could not be dealt with.
 */
int omega_git_find(
    const char *work_dir, omega_git_take *take, void *arg, char at[PATH_MAX]);

#endif
