/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * combine.h - the layers of a policy as one, on this host, now.
 *
 * Layers intersect: what one of them denies is denied, what one of them lists
 * is narrowed to what all lists have in common, the smallest limit counts.
 * Paths are expanded and resolved first, so that two spellings of a place are
 * one.
 */

#ifndef OMEGA_POLICY_COMBINE_H
#define OMEGA_POLICY_COMBINE_H

#include "base/hosts.h"
#include "conf/layer.h"
#include "path/kernel.h"
#include "policy/git.h"
#include "policy/policy.h"

/* A path that was resolved. */
struct omega_combined_place {
	char *text; /* canonical */
	char *spelled; /* as it was written, expanded */
	char *origin; /* "FILE:LINE", or who asked for it */
	bool exists;
	struct omega_object object;
	/* Of denies: bits of enum omega_sandbox_atom_access; 0: links on the
	 * way stay as they are, and that is all. */
	uint32_t access;
	enum omega_git_made made; /* before the first command, when absent */
};

struct omega_combined_places {
	struct omega_combined_place *list;
	size_t count;
};

/* Where something is possible; everywhere unless it is limited. */
struct omega_combined_set {
	bool is_limited;
	char *origin; /* of the last list, or of the floor that keeps what
			 was granted */
	bool is_kept; /* there is such a floor */
	/* All of them exist, unless they are only shown. */
	struct omega_combined_places places;
};

struct omega_combined_ports {
	bool is_limited;
	char *origin;
	uint16_t *list; /* sorted */
	size_t count;
};

/* The hosts that can be reached; all unless it is limited. */
struct omega_combined_hosts {
	bool is_limited;
	bool is_chosen; /* by another list than a floor's */
	bool is_strict; /* what is said in a connection must name the host */
	char *origin; /* of the last list */
	char *denies; /* of the first deny, or NULL */
	struct omega_hosts_entry *list;
	size_t count;
	struct omega_hosts_entry *denied;
	size_t denied_count;
	const char *proxy; /* to reach them by, or NULL; lent */
	bool has_registries; /* found: what "@registries" stands for */
	struct omega_hosts_entry *registries;
	size_t registry_count;
};

enum omega_combined_switch {
	OMEGA_COMBINED_UNSAID,
	OMEGA_COMBINED_NO, /* one layer says no */
	OMEGA_COMBINED_YES /* one says yes, and none no */
};

/* What is asked for with one value. */
struct omega_combined_value {
	uint64_t number;
	char *origin; /* NULL: nobody asks */
};

struct omega_combined {
	struct omega_combined_set read;
	struct omega_combined_set write;
	struct omega_combined_set run;
	struct omega_combined_places denies;
	struct omega_combined_places granted; /* by who runs the command */
	/* Left out: text is a link that a command may have made, origin what
	 * it is left out of. */
	struct omega_combined_places planted;
	char *deny_network; /* origin, or NULL: nothing outside is reached */
	char *only_unix; /* origin, or NULL: no other family */
	/* connect, bind, connect_udp, bind_udp. */
	struct omega_combined_ports ports[4];
	struct omega_combined_hosts hosts;
	/* Of switches, limits and unix_sockets the strictest, by option. */
	struct omega_combined_value values[OMEGA_OPTION_COUNT];
	char **notes; /* what a reader must know */
	size_t note_count;
	bool is_shown;
};

/*
 * Combine what the policy has. combined is to be dropped in either case.
 * Returns 0, or OMEGA_SANDBOX_E_INVALID_POLICY, _E_SYSTEM, _E_MEMORY.
 */
int omega_combine(const struct omega_sandbox_policy *policy,
    struct omega_combined *combined, struct omega_sandbox_error *error);

/* The same for what is only to be shown, for another system maybe: lists keep
 * what is absent here. */
int omega_combine_shown(const struct omega_sandbox_policy *policy,
    struct omega_combined *combined, struct omega_sandbox_error *error);

/* With git_metadata = keep: make what git would obey and is not there. */
void omega_combine_make_git(const struct omega_sandbox_policy *policy);

/* The answer about a switch. */
enum omega_combined_switch omega_combine_switch(
    const struct omega_combined *combined, enum omega_option_id rule);

/* Say something about the combination. */
__attribute__((format(printf, 2, 3))) int omega_combine_add_note(
    struct omega_combined *combined, const char *format, ...);

void omega_combine_drop(struct omega_combined *combined);

#endif
