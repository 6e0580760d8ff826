/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * fresh.h - rules for a /proc that comes into being with a command.
 *
 * A rule is about an inode, and a pid namespace has a /proc of its own. So what
 * is allowed in the host's is remembered, and allowed by the child in the one
 * it has. Rules cannot be taken back: after so many starts there is a check
 * that wants a new ruleset.
 */

#ifndef LANDLOCK_FRESH_H
#define LANDLOCK_FRESH_H

#include <omega/sandbox-plugin.h>

#define FRESH_MOST 16

struct fresh {
	uint64_t device; /* of the host's /proc; 0: there is none */
	int tickets; /* one is taken by each start that needs rules */
	uint32_t count;
	struct {
		uint64_t rights;
		char path[48];
	} list[FRESH_MOST];
};

void fresh_begin(struct fresh *fresh);

/* These rights are allowed for what is open as fd. 0 or -errno. */
int fresh_note(struct fresh *fresh, int fd, uint64_t rights);

/* Have it ready for children. 0 or -errno. */
int fresh_finish(struct fresh *fresh, struct omega_sandbox_launch *launch);

/* In the child: allow them in another /proc. 0 or -errno. */
int fresh_allow(const struct fresh *fresh, int ruleset);

#endif
