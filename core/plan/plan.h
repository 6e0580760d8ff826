/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * plan.h - atoms times backends: who holds what, and may a command start?
 *
 * Making a plan changes nothing on the host; describe shows the very plan
 * that preparing carries out.
 */

#ifndef OMEGA_PLAN_H
#define OMEGA_PLAN_H

#include <omega/sandbox-plugin.h>

#include "policy/atoms.h"
#include "policy/policy.h"
#include "run/hidden.h"

/* A backend's place in the plan. */
struct omega_plan_backend {
	char name[32];
	struct omega_backend *backend; /* NULL: not installed (auto only) */
	struct omega_sandbox_probe probe;
	bool is_usable;
	bool is_needed; /* something is assigned to it */
};

/* One atom's fate. */
struct omega_plan_item {
	enum omega_sandbox_guarantee_state state;
	bool is_accepted; /* hardening that may be missing */
	uint32_t held; /* bits held completely, by whomever */
	uint32_t assigned[OMEGA_SANDBOX_MAX_BACKENDS]; /* bits per backend */
	char *backends; /* "namespace, landlock" */
	char *why; /* residue or reason, "" when enforced */
};

struct omega_plan {
	struct omega_sandbox_policy *policy;
	struct omega_atoms atoms;
	struct omega_plan_backend stack[OMEGA_SANDBOX_MAX_BACKENDS];
	size_t stack_count;
	bool is_preview; /* only to be shown, maybe for another system */
	struct omega_plan_item *items; /* one per atom */
	bool is_protected; /* every required atom is enforced */
	bool is_waived; /* runs although it is not */
	struct omega_hidden hidden; /* from a command, by mounts */
	struct omega_hidden closed; /* to descriptors that may write */
	int verdict; /* 0, or why a command would be refused */
	struct omega_sandbox_error refusal; /* with the verdict */
};

/*
 * Make a plan. Returns 0 also when the verdict is a refusal; codes of
 * omega_sandbox_describe otherwise.
 */
int omega_plan_make(struct omega_sandbox_policy *policy,
    struct omega_plan **plan, struct omega_sandbox_error *error);

/*
 * The same for backends that can show what they would put before a command,
 * wherever they can be used; no other is taken for usable. Nothing of it may
 * be said to protect anything here.
 */
int omega_plan_preview(struct omega_sandbox_policy *policy,
    struct omega_plan **plan, struct omega_sandbox_error *error);

/* What the backend at this place of the stack is told beside the atoms. */
struct omega_sandbox_request omega_plan_request(
    const struct omega_plan *plan, size_t backend);

void omega_plan_free(struct omega_plan *plan);

#endif
