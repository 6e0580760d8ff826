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

/*
 * The same with what git obeys or runs in these, absent or not, instead of the
 * whole: commits and the like go on. Repositories below the work directory are
 * among them, as far as a bounded search finds them.
 */
int omega_git_find_obeyed(
    const char *work_dir, omega_git_take *take, void *arg, char at[PATH_MAX]);

/*
 * Make one of those that are absent, so that git goes on as before and nobody
 * else can: it stays. What cannot be made is told as absent.
 */
void omega_git_make_obeyed(const char *path);

#endif
