/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * idmap.h - whom the owner of a file may be, seen from a user namespace.
 *
 * Inside one the kernel shows every owner it has no number for as the same
 * "overflow" uid. Whoever compares owners has to know that number, and to
 * know when it is an ordinary one.
 */

#ifndef OMEGA_LOAD_IDMAP_H
#define OMEGA_LOAD_IDMAP_H

#include <stdbool.h>
#include <sys/types.h>

struct omega_idmap {
	bool is_namespace; /* some users have no number here */
	bool has_unmapped; /* and unmapped is the number they show */
	uid_t unmapped;
};

/* Ask the system. Where it does not answer, nobody is unmapped. */
void omega_idmap_read(struct omega_idmap *map);

/*
 * The same from the texts of /proc/self/uid_map and
 * /proc/sys/kernel/overflowuid; the latter may be NULL.
 */
void omega_idmap_parse(
    struct omega_idmap *map, const char *uid_map, const char *overflow);

#endif
