/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * profile.h - from atoms to the text of a profile and the values of its
 * parameters. Looks at nothing but what it is given, on any system.
 */

#ifndef OMEGA_SEATBELT_PROFILE_H
#define OMEGA_SEATBELT_PROFILE_H

#include <omega/sandbox-plugin.h>

#include "rules.h"

/* What a profile is made from. */
struct profile_source {
	const struct omega_sandbox_request *request;
	const struct omega_sandbox_atom *const *atoms;
	size_t count;
	/* Symbolic links that lead to protected places; or NULL. */
	const struct texts *links;
	/* Path sockets bound outside; or NULL. */
	const struct texts *sockets;
	/* How much of an absent path is there, in bytes; NULL: all but the
	 * last name. */
	size_t (*anchor)(const char *path);
	/* Is what is listed and absent to be left out? Else it is open by its
	 * name. */
	int is_absent_out;
};

struct profile {
	char *text;
	char **values; /* of P0, P1, ... */
	size_t count;
};

/*
 * Make a profile. 0, or -EILSEQ for a path that cannot be said in one, -E2BIG
 * for more than can be handed to a program, -ENOMEM. To be dropped in either
 * case.
 */
int profile_make(const struct profile_source *source, struct profile *profile);
void profile_drop(struct profile *profile);

/* Is there an atom of this kind? The first, or NULL. */
const struct omega_sandbox_atom *profile_atom(
    const struct profile_source *source, uint32_t kind);

/* Lists of the request that not every core has; each ended by NULL, or NULL. */
const char *const *profile_unreadable(
    const struct omega_sandbox_request *request);
const char *const *profile_unchangeable(
    const struct omega_sandbox_request *request);
const char *const *profile_spelled(const struct omega_sandbox_grant *grant);

/* enum omega_sandbox_unix_sockets, and how many services there are. */
uint32_t profile_unix_sockets(const struct omega_sandbox_request *request);
size_t profile_service_count(const struct omega_sandbox_request *request);

/* Why something of the request cannot be said; NULL: all of it can. */
const char *profile_refuse(const struct omega_sandbox_request *request);

/* "(literal (param "P0"))" and "(subpath (param "P0"))" for each name of the
 * path. */
void profile_add_place(
    struct rules *rules, struct texts *filters, const char *path);

#endif
