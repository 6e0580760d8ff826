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

#include "launch/launch.h"
#include "path/judge.h"
#include "policy/atoms.h"
#include "policy/policy.h"

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
	bool is_believing; /* of backends what only a trial tells */
	bool is_preview; /* only to be shown, maybe for another system */
	struct omega_plan_item *items; /* one per atom */
	bool is_protected; /* every required atom is enforced */
	bool is_waived; /* runs although it is not */
	struct omega_hidden hidden; /* from a command, by mounts */
	struct omega_hidden closed; /* to descriptors that may write */
	bool is_listed; /* what may be changed is on a list */
	int verdict; /* 0, or why a command would be refused */
	struct omega_sandbox_error refusal; /* with the verdict */
};

/*
 * Make a plan. Who carries it out at once may believe what a trial would tell,
 * and makes another, without, when that fails. Returns 0 also when the verdict
 * is a refusal; codes of omega_sandbox_describe otherwise.
 */
int omega_plan_make(struct omega_sandbox_policy *policy, bool is_believing,
    struct omega_plan **plan, struct omega_sandbox_error *error);

/*
 * The same for backends that can show what they would put before a command,
 * wherever they can be used; no other is taken for usable. Nothing of it may
 * be said to protect anything here.
 */
int omega_plan_preview(struct omega_sandbox_policy *policy,
    struct omega_plan **plan, struct omega_sandbox_error *error);

/* Does the plugin say this of itself (OMEGA_SANDBOX_PLUGIN_...)? */
static inline bool
omega_plan_has_flag(const struct omega_plan_backend *entry, uint64_t flag)
{
	return (entry->backend->plugin.flags & flag) != 0;
}

/* What the backend at this place of the stack is told beside the atoms. */
struct omega_sandbox_request omega_plan_request(
    const struct omega_plan *plan, size_t backend);

void omega_plan_free(struct omega_plan *plan);

/*
 * May a command start under this plan? Fail-closed lives here. Fill verdict,
 * refusal and is_waived of a plan whose items are assigned:
 *
 *   - a disabled sandbox, or root where root is not allowed: refused;
 *   - a backend that was named and cannot be used: refused;
 *   - a required atom that is not enforced: refused;
 *   - a hardening atom that is not enforced and whose kind is not accepted:
 *     refused;
 *
 * the last three unless fail_closed is off or noop was named: then is_waived
 * is set and a warning is due.
 */
void omega_verdict_give(struct omega_plan *plan);

/* The warning that is due for a waived plan, one line into text. */
void omega_verdict_warning(
    const struct omega_plan *plan, char *text, size_t size);

/*
 * Let the backend at this place of the stack build its part of the launch, and
 * see that it confirms all that it promised. *is_stale: the world changed
 * between planning and doing.
 */
int omega_apply_backend(const struct omega_plan *plan, size_t backend,
    struct omega_launch *launch, bool *is_stale,
    struct omega_sandbox_error *error);

/*
 * What the witness is to try for a plan: a harmless attempt at every access
 * that the plan says is held, and a few that must go on working; made looking
 * at the host as it is now. *witness is the caller's, for omega_witness_free. 0
 * or OMEGA_SANDBOX_E_MEMORY.
 */
int omega_tries_make(const struct omega_plan *plan,
    struct omega_witness **witness, struct omega_sandbox_error *error);

struct omega_sandbox_report {
	atomic_uint refs;
	struct omega_sandbox_guarantee *lines; /* their texts are ours */
	size_t line_count;
	int verdict;
	struct omega_sandbox_error refusal;
	bool is_protected;
	bool has_own_dev; /* with what programs need and what is allowed, and
			     nothing else */
	char *dir_note; /* about the directory it was made in, or NULL */
	/* What is before and behind the lines, by enum omega_sandbox_format;
	 * and all of it once somebody has asked. */
	char *heads[2];
	char *tails[2];
	char *_Atomic wholes[2];
};

/*
 * A plan as people and programs read it: the one form in which anything in the
 * product claims that something is protected. A report of its own texts, one
 * reference. NULL when out of memory.
 */
struct omega_sandbox_report *omega_report_new(const struct omega_plan *plan);

/* Whoever refers to it. */
void omega_report_free(struct omega_sandbox_report *report);

/* All of it in one form; lives as long as the report. "" when out of memory. */
const char *omega_report_whole(
    const struct omega_sandbox_report *report, enum omega_sandbox_format form);

/*
 * The guarantee behind a finding that blocks the access to a place, the best
 * held of those there are. place is canonical, "" if unknown. false: none.
 */
bool omega_report_keeper(const struct omega_sandbox_report *report,
    const struct omega_finding *finding, unsigned access, const char *place,
    struct omega_sandbox_guarantee *guarantee);

#endif
