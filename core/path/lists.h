/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * lists.h - the places a policy leaves open: a path that is on none of them
 * is blocked, whatever the other rules say.
 */

#ifndef OMEGA_PATH_LISTS_H
#define OMEGA_PATH_LISTS_H

#include <stdbool.h>
#include <stddef.h>

#include "path/rules.h"

#define OMEGA_LISTS_COUNT 3

/* One list. Its places are canonical; what is at or below one is open. */
struct omega_list {
	bool is_limited; /* else everything is open */
	struct omega_rule rule; /* to be named when a path is not on it */
	struct omega_rule *places;
	size_t count;
};

/* Reading, writing, running. */
struct omega_lists {
	struct omega_list list[OMEGA_LISTS_COUNT];
};

/*
 * Let nothing be open for this access (one bit) but the places added later.
 * shown and origin are copied. 0 or -ENOMEM.
 */
int omega_lists_limit(struct omega_lists *lists, unsigned access,
    const char *shown, const char *origin, uint32_t line);

/* Open a canonical place for an access that is limited. 0 or -ENOMEM. */
int omega_lists_open(
    struct omega_lists *lists, unsigned access, const char *text);

/* The rule of a list that lacks the canonical path, for any of the accesses;
 * NULL: all have it. */
const struct omega_rule *omega_lists_find(const struct omega_lists *lists,
    unsigned access, const char *path, size_t len);

void omega_lists_free(struct omega_lists *lists);

#endif
