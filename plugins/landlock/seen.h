/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * seen.h - the places rules were made for. A rule is about an inode, so
 * another one in its place, or another entry in a directory that was
 * enumerated, needs another ruleset.
 */

#ifndef OMEGA_LANDLOCK_SEEN_H
#define OMEGA_LANDLOCK_SEEN_H

#include <omega/sandbox-plugin.h>

struct seen;

/* NULL when out of memory. */
struct seen *seen_new(void);
void seen_free(struct seen *seen);

/* Note a place once; is_listed: its entries count too. 0 or -errno. */
int seen_add(struct seen *seen, const char *path, int is_listed);

/* Have the parent look at all of them before every start. 0 or -errno. */
int seen_watch(const struct seen *seen, struct omega_sandbox_launch *launch);

#endif
