/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * planted-links.h - what an earlier command could have put on the way to a
 * place: symbolic links, so that whoever follows one opens what the command
 * chose; and things that nobody gets past, so that the next command would not
 * start.
 */

#ifndef OMEGA_POLICY_PLANTED_LINKS_H
#define OMEGA_POLICY_PLANTED_LINKS_H

#include <limits.h>

#include "path/guard.h"
#include "path/place.h"
#include "policy/atoms.h"
#include "policy/combine.h"

/*
 * Is a link on the way to path in a directory that commands of this policy may
 * write? 1: yes or perhaps, and link[PATH_MAX] is one; 0: no, and link is where
 * the path leads; -errno.
 */
int omega_planted_links_find(
    const struct omega_combined *combined, const char *path, char *link);

/*
 * Find where a path that is to be denied leads, as omega_place_find does. 1:
 * place is what stands in the way, which is to be denied instead: a directory
 * that is closed to us; or the first link on the way, where the links go in a
 * circle, get too long or into somebody's /proc, or where a command could have
 * made them to what every command needs. 0 or -errno.
 */
int omega_planted_links_reach(const char *path, struct omega_place *place);

/*
 * What such a path leads to behind an obstacle that is a directory of ours,
 * which its owner could open again. 1: place is that; 0: it leads nowhere, or
 * a command could have made it lead to what every command needs, unless
 * is_data: of the data directory it could not. -errno: it cannot be told.
 */
int omega_planted_links_behind(const char *path,
    const struct omega_place *obstacle, bool is_data,
    struct omega_place *place);

/* Has what every command needs, or its own directory, been named by this file
 * or link, which a command could have made? */
bool omega_planted_links_is_needed(
    const char *by, const struct omega_place *place);

/* The same for a guard, as omega_guard_block. Of links that lead nowhere it
 * needs no rule: what cannot be decided is blocked. 0 or -errno. */
int omega_planted_links_block(struct omega_sandbox_guard *guard,
    unsigned access, const char *path, const char *origin, uint32_t line);

/*
 * Add the places of the lists, and what is granted, that such a link is on the
 * way to to combined->planted. Or where something else was found than is there
 * without one: somebody changes it now. 0 or -errno.
 */
int omega_planted_links_gather(struct omega_combined *combined);

/* Add one: link is on the way to path. 0 or -ENOMEM. */
int omega_planted_links_add(struct omega_combined *combined, const char *rule,
    const char *path, const char *link);

/* Is the path one of them? */
bool omega_planted_links_is_known(
    const struct omega_combined *combined, const char *path);

/* A note for each. 0 or -ENOMEM. */
int omega_planted_links_tell(struct omega_combined *combined);

/*
 * The same for the list of an option: what stays goes to *to, ended by NULL.
 * 0 or -errno.
 */
int omega_planted_links_sift(const struct omega_combined *combined,
    struct omega_atoms *atoms, enum omega_option_id id,
    const struct omega_conf_list *from, char ***to);

#endif
