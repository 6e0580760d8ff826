/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * policy.h - what is to be protected, as it was asked for.
 */

#ifndef OMEGA_POLICY_H
#define OMEGA_POLICY_H

#include <stdatomic.h>

#include <omega/sandbox.h>

#include "conf/layer.h"
#include "load/sandbox.h"

/* Does the child look at its sandbox before it becomes the program? */
enum omega_policy_witness {
	OMEGA_POLICY_WITNESS_OFF,
	OMEGA_POLICY_WITNESS_ON, /* or nothing is started */
	OMEGA_POLICY_WITNESS_DEFAULT /* where it can; nobody has asked */
};

struct omega_sandbox_policy {
	atomic_uint refs;
	struct omega_sandbox *sandbox;
	char *name;
	char *data_dir; /* NULL: unknown, which preparing refuses */
	bool is_data_dropped; /* the host has none, on purpose */
	char *work_dir; /* NULL: none was given */
	bool is_work_dropped; /* as the host has none, on purpose */
	struct omega_layer *layers; /* floors, the named policy, the agent */
	size_t layer_count;
	size_t floor_count;
	struct omega_conf_list files; /* that were read for it alone */
	/* What the host application adds, and the options that are its to set
	 * (OMEGA_BY_HOST) as they come from the files. */
	struct omega_layer own;
	/* The stack, as words; empty: auto. */
	char *backends[OMEGA_SANDBOX_MAX_BACKENDS];
	size_t backend_count;
	enum omega_policy_witness witness;
	bool is_admin_named; /* the configuration names backends, not auto */
	bool is_noop_allowed; /* noop was named by one who may */
};

/*
 * A copy that nobody else holds, for whoever must not see later changes.
 * NULL when out of memory.
 */
struct omega_sandbox_policy *omega_policy_copy(
    const struct omega_sandbox_policy *policy);

/* One more layer: the section of this type and name. Returns as
 * omega_named_rules(). */
int omega_policy_add_layer(struct omega_sandbox_policy *policy,
    enum omega_scan_type type, const char *name,
    struct omega_sandbox_error *error);

void omega_policy_drop_backends(struct omega_sandbox_policy *policy);

/* Whoever refers to it. */
void omega_policy_free(struct omega_sandbox_policy *policy);

enum omega_sandbox_session omega_policy_session(
    const struct omega_sandbox_policy *policy);

/* May commands make user namespaces? */
bool omega_policy_has_user_namespaces(
    const struct omega_sandbox_policy *policy);

/*
 * The smallest limit that a layer or the configuration sets for a run as a
 * whole: OMEGA_OPTION_TIMEOUT (seconds) or _MAX_OUTPUT (bytes). 0: none does.
 */
uint64_t omega_policy_limit(
    const struct omega_sandbox_policy *policy, enum omega_option_id rule);

#endif
