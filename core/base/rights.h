/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * rights.h - what this process may do, and what owners of files mean to it. One
 * implementation per system.
 */

#ifndef OMEGA_BASE_RIGHTS_H
#define OMEGA_BASE_RIGHTS_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Do owners and modes mean nothing to us? A command has the caller's uid and
 * can have its capabilities. Where these reach beyond owners and modes, what is
 * root's alone is not safe from it. True for root, and when it cannot be found
 * out.
 */
bool omega_rights_override(void);

/*
 * Was the program started with raised privileges (set-user-id, set-group-id,
 * file capabilities)? Then nothing its caller says may choose files for it.
 * True when that cannot be found out. Thread-safe.
 */
bool omega_rights_are_raised(void);

/*
 * Whom the owner of a file may be, seen from a user namespace. Inside one the
 * kernel shows every owner it has no number for as the same "overflow" uid.
 * Whoever compares owners has to know that number, and to know when it is an
 * ordinary one.
 */
struct omega_rights_map {
	bool is_namespace; /* some users have no number here */
	bool has_unmapped; /* and unmapped is the number they show */
	uid_t unmapped;
};

/* Ask the system. Where it does not answer, nobody is unmapped. */
void omega_rights_read_map(struct omega_rights_map *map);

/*
 * The same from the texts of /proc/self/uid_map and
 * /proc/sys/kernel/overflowuid; the latter may be NULL. Linux only.
 */
void omega_rights_parse_map(
    struct omega_rights_map *map, const char *uid_map, const char *overflow);

#endif
