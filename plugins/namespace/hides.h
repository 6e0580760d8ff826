/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * hides.h - masks for sockets and pipes, and for the directories they are in.
 * Those who own them come and go: what is not there (any more) is left alone.
 */

#ifndef NAMESPACE_HIDES_H
#define NAMESPACE_HIDES_H

#include <sys/stat.h>

#include "ops.h"
#include "setup.h"

struct hides {
	const struct setup *setup;
	struct ops *ops;
};

/* Is it one that stays, by this name or by another one it has? */
int hides_is_allowed(
    const struct setup *setup, const char *path, const struct stat *st);

/* Is something that stays in this directory? */
int hides_has_allowed(const struct setup *setup, const char *dir);

/* Hide the socket or pipe that is found by this name. 0 or -errno. */
int hides_add(struct hides *hides, const char *path);

/*
 * A directory that cannot be entered, or listed, on the way to this name. If
 * it is the caller's own, a command could open it again: nobody is shown what
 * is in there. 0 or -errno.
 */
int hides_add_behind(struct hides *hides, const char *path);

/* Hide a directory as a whole. 0 or -errno. */
int hides_add_directory(struct hides *hides, const char *dir);

#endif
