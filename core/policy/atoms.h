/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * atoms.h - a policy taken apart into sentences that can be checked.
 *
 * Every atom is shown to people as one guarantee: the sentence, whether it is
 * required, and what asked for it.
 */

#ifndef OMEGA_POLICY_ATOMS_H
#define OMEGA_POLICY_ATOMS_H

#include <omega/sandbox-plugin.h>

#include "base/index.h"
#include "conf/layer.h"
#include "launch/limits.h"
#include "policy/known-sockets.h"
#include "policy/policy.h"
#include "policy/sockets.h"

struct omega_atom {
	struct omega_sandbox_atom public; /* what plugins see */
	char *path; /* owns public.path */
	char *sentence; /* "/etc cannot be changed" */
	char *origin; /* "built in", "FILE:LINE", ... */
	bool is_listed; /* of a list of any length, not built in */
	bool shares_fd; /* another atom closes public.fd */
	enum omega_limit limit; /* of a LIMIT */
};

/* A place that lists leave open. */
struct omega_atoms_grant {
	struct omega_sandbox_grant public; /* what plugins see */
	char *path; /* owns public.path */
	char **spelled; /* owns public.spelled */
	size_t spelled_count;
};

struct omega_atoms {
	struct omega_atom *list;
	size_t count;
	struct omega_index by_path; /* those that have a place */
	size_t fd_count; /* places that are held by a descriptor */
	char *data_dir; /* canonical, NULL: the policy has none */
	char **notes; /* what a reader must know */
	size_t note_count;
	char **spelled; /* paths as they were written, ended by NULL */
	size_t spelled_count;
	char **unreadable; /* by each name, ended by NULL */
	size_t unreadable_count;
	struct omega_index by_unreadable;
	char **unchangeable;
	size_t unchangeable_count;
	struct omega_index by_unchangeable;
	struct omega_atoms_grant *grants;
	size_t grant_count;
	const struct omega_sandbox_grant **grant_list; /* as plugins see them */
	char **sockets; /* that are allowed, ended by NULL */
	char **devices;
	uint32_t unix_sockets; /* enum omega_sandbox_unix_sockets */
	uint32_t hide_sockets; /* enum omega_sandbox_hide_sockets */
	uint32_t data_dir_mode; /* enum omega_sandbox_data_dir_mode */
	enum omega_sandbox_session session;
	struct omega_limits limits;
	struct omega_known_sockets services;
	struct omega_sockets outside; /* path sockets of others */
	char *new_privileges; /* who wants them; NULL: nobody */
	uint16_t *ports[4]; /* connect, bind, connect_udp, bind_udp */
	size_t port_counts[4];
	char **hosts; /* ended by NULL; NULL: not limited */
	char **deny_hosts;
	bool names_are_open; /* names = any */
};

/*
 * Take the policy apart on this host, now: paths are resolved and held by
 * descriptors. Returns 0, or OMEGA_SANDBOX_E_INVALID_POLICY (no data_dir is
 * known, a path cannot be resolved), _E_SYSTEM, _E_MEMORY.
 */
int omega_atoms_make(struct omega_sandbox_policy *policy,
    struct omega_atoms *atoms, struct omega_sandbox_error *error);

/* The same for what is only to be shown, for another system maybe: what is
 * listed is open by its name where it is absent. */
int omega_atoms_make_shown(struct omega_sandbox_policy *policy,
    struct omega_atoms *atoms, struct omega_sandbox_error *error);

/* Tell a plugin what the atoms leave open. The request must not outlive the
 * atoms. */
void omega_atoms_tell(
    const struct omega_atoms *atoms, struct omega_sandbox_request *request);

void omega_atoms_drop(struct omega_atoms *atoms);

#endif
