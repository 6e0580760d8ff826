/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * siege.h - a command that stays and attacks: the host, and every command the
 * host starts next to it. What it tried and what worked it writes down.
 */

#ifndef OMEGA_TEST_SIEGE_H
#define OMEGA_TEST_SIEGE_H

#include <stdbool.h>

#define SIEGE_ATTACKS 9

struct siege_tally {
	unsigned long tries;
	unsigned long hits;
};

struct siege_score {
	struct siege_tally host[SIEGE_ATTACKS];
	struct siege_tally next[SIEGE_ATTACKS];
	unsigned long seen; /* commands that were found */
};

extern const char *const siege_names[SIEGE_ATTACKS];

/* The one that is no signal and no access to memory. */
#define SIEGE_PRLIMIT (SIEGE_ATTACKS - 1)

/*
 * The attacker: until DIR/workspace/stop is there or everything has worked
 * once. TARGET is an address in the host's memory. The score is left in
 * DIR/workspace/score. Returns an exit status.
 */
int siege_lay(const char *dir, const char *target);

bool siege_read_score(const char *dir, struct siege_score *score);

#endif
