/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * profile.h - from atoms to the text of a profile and the values of its
 * parameters. Looks at nothing but what it is given, on any system.
 *
 * A profile that allows by default has denies only, one that denies by default
 * has allows only. So no two rules ever contradict each other, and it does
 * not matter which of several that match would win: there are reports of
 * more than one answer to that.
 */

#ifndef OMEGA_SEATBELT_PROFILE_H
#define OMEGA_SEATBELT_PROFILE_H

#include <omega/sandbox-plugin.h>

#include "texts.h"

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

/* It in one piece of memory: text, then names and values of the parameters. To
 * be freed; NULL when out of memory. */
void *profile_pack(const struct profile *profile, size_t *size);

/* Names and values in turn, ended by NULL; they point into packed, which begins
 * with the text. To be freed; NULL when out of memory. */
const char **profile_unpack(const void *packed);

/* Is there an atom of this kind? The first, or NULL. */
const struct omega_sandbox_atom *profile_atom(
    const struct profile_source *source, uint32_t kind);

/* A field that not every core has; 0 or NULL without. */
#define PROFILE_FIELD(object, field) \
	(OMEGA_SANDBOX_HAS(object, field) ? (object)->field : 0)

/* Why something of the request, or a link, cannot be said; NULL: all of it
 * can. links may be NULL. */
const char *profile_refuse(
    const struct omega_sandbox_request *request, const struct texts *links);

/* What a profile holds of an atom. */
struct holds_view {
	const struct omega_sandbox_request *request;
	const struct texts *links; /* that lead to protected places */
	int sockets; /* 0: those bound are known; else a negative errno */
};

void holds_say(const struct holds_view *view,
    const struct omega_sandbox_atom *atom, struct omega_sandbox_state *state);

/* ---- Rule by rule ---------------------------------------------------------
 */

struct rules {
	struct texts_buffer text;
	struct texts values; /* of the parameters P0, P1, ... */
	int is_deny_default;
};

void rules_begin(struct rules *rules, int is_deny_default);
void rules_drop(struct rules *rules);

/* The number of the parameter whose value this is. */
size_t rules_param(struct rules *rules, const char *value);

/* "(literal (param "P0"))" and "(subpath (param "P0"))" for each name of the
 * path. */
void rules_add_place(
    struct rules *rules, struct texts *filters, const char *path);

/*
 * The operations are possible where one of the filters "only" matches (NULL:
 * everywhere), but not where one of "but" does (NULL: none).
 */
void rules_limit(struct rules *rules, const char *operations,
    const struct texts *only, const struct texts *but);

/* They are not possible at all, or without any limit. */
void rules_refuse(struct rules *rules, const char *operations);
void rules_permit(struct rules *rules, const char *operations);

/* All of these filters as one, which matches where one of them does. */
void rules_any(struct texts_buffer *buffer, const struct texts *filters);

/* " (require-not F)" for each of them. */
void rules_but(struct texts_buffer *buffer, const struct texts *filters);

/* ---- By matter: files and programs, sockets, and processes with the terminal
 * and the services of the system that do things on request ------------------
 */

void files_write(const struct profile_source *source, struct rules *rules);
void network_write(const struct profile_source *source, struct rules *rules);
void services_write(const struct profile_source *source, struct rules *rules);

/* Does the policy have lists of what is allowed? */
int files_has_lists(const struct profile_source *source);

/* Are there ports that can be reached, and others that cannot? */
int network_is_listed(const struct profile_source *source);

/* Is it a way around the policy that names are asked of the network? */
int network_is_without_names(const struct profile_source *source);

/*
 * What else a volume may take for a name that is absent: most ignore case, in
 * all of Unicode, and how a character is composed. A regular expression for
 * these names of path, which is UTF-8, and with is_with_below for all below
 * them; the first len bytes are any directories as deep. It is ASCII
 * throughout, and of path it has ASCII alone. To be freed; NULL when out of
 * memory.
 */
char *fold_make(const char *path, size_t len, int is_with_below);

#endif
