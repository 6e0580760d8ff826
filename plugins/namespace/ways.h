/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * ways.h - symbolic links on the ways to protected places. Whoever points one
 * of them elsewhere leads the next command away from what is protected.
 */

#ifndef NAMESPACE_WAYS_H
#define NAMESPACE_WAYS_H

#include "setup.h"

/* Called with the canonical place of each link. What is not 0 ends it. */
typedef int ways_link(void *arg, const char *link);

/*
 * Walk a path name by name, through its links, as far as it goes. Where it
 * ends at a directory that may not be entered, or at a link to too long a
 * name, closed[PATH_MAX] (or NULL) is that directory or link; "" otherwise. 0,
 * what fn returned, or -errno.
 */
int ways_follow(const char *spelled, ways_link *fn, void *arg, char *closed);

/* Lists have many names of one directory: how far it is known. */
struct ways_known {
	char dir[PATH_MAX]; /* as spelled */
	size_t len; /* 0: none is */
	size_t real; /* so much of it is there, and no link */
};

/* What is not there of a path without links on the way, and all below it: 1
 * and absent[PATH_MAX] is it; 0: it is there, or has links, or is closed. */
int ways_absent(struct ways_known *known, const char *spelled, char *absent);

/* Those of all protected places of a setup; -ESTALE if one was closed. */
int ways_each_link(const struct setup *setup, ways_link *fn, void *arg);

#endif
