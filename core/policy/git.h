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
#include <stdbool.h>

/* In commondir, the directory itself: git and libgit2 take it so. */
#define OMEGA_GIT_HERE "./"

/* What is made in the place of one that is absent. */
enum omega_git_made {
	OMEGA_GIT_NOTHING,
	OMEGA_GIT_FILE,
	OMEGA_GIT_DIRECTORY,
	OMEGA_GIT_COMMONDIR /* a file that says _HERE */
};

/* A path to be denied. */
struct omega_git_found {
	const char *path;
	/* The git directory it has to be in, or in the work directory, or it is
	 * left alone: a command could have made it lead elsewhere. NULL: it may
	 * be anywhere. */
	const char *within;
	enum omega_git_made made;
	bool is_own; /* by settings of the user: elsewhere is no news */
};

/* Called with each, and note NULL; or with found NULL and something a reader
 * must know. 0 or a negative errno. */
typedef int omega_git_take(
    void *arg, const struct omega_git_found *found, const char *note);

/*
 * Returns 0, also when there is none; what take returned, or -errno, and then
 * at is the file or directory that could not be dealt with.
 */
int omega_git_find(
    const char *work_dir, omega_git_take *take, void *arg, char at[PATH_MAX]);

/*
 * The same with what git obeys or runs in these, absent or not, instead of the
 * whole: commits and the like go on. Repositories below the work directory are
 * among them, as far as a bounded search finds them, and what settings of the
 * user and of the machine lead to.
 */
int omega_git_find_obeyed(
    const char *work_dir, omega_git_take *take, void *arg, char at[PATH_MAX]);

#endif
