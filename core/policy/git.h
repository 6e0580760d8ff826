/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * git.h - the git metadata of a work directory.
 *
 * Found by walking up: a directory .git; or a file .git, which a linked
 * worktree has and which names the directory, which in turn names the common
 * one of all worktrees.
 */

#ifndef OMEGA_POLICY_GIT_H
#define OMEGA_POLICY_GIT_H

/*
 * Called with each path to be denied, and note NULL; or with path NULL and
 * something a reader must know. 0 or a negative errno.
 */
typedef int omega_git_take(void *arg, const char *path, const char *note);

/* Returns 0, also when there is none; what take returned, or -errno. */
int omega_git_find(const char *work_dir, omega_git_take *take, void *arg);

#endif
