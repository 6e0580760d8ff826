/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * landlock.h - what the backend is made of: what it holds, the ruleset for
 * that, and the capabilities Landlock is not asked about.
 */

#ifndef OMEGA_LANDLOCK_H
#define OMEGA_LANDLOCK_H

#include <omega/sandbox-plugin.h>

/* All that the answer about an atom depends on. */
struct holds_view {
	int abi;
	int is_complement; /* denied places may be held at a price */
	const struct omega_sandbox_request *request;
	uint32_t limited; /* holds_limited of all atoms */
};

void holds_say(const struct holds_view *view,
    const struct omega_sandbox_atom *atom, struct omega_sandbox_state *state);

/* The bits that lists among the atoms limit to the grants. */
uint32_t holds_limited(
    const struct omega_sandbox_atom *const *atoms, size_t count);

/*
 * Make the ruleset that holds these atoms on a kernel of this ABI, and add
 * the step that takes it on. 0 or a negative errno.
 */
int ruleset_build(int abi, int is_complement,
    const struct omega_sandbox_request *request,
    const struct omega_sandbox_atom *const *atoms, size_t count,
    struct omega_sandbox_launch *launch);

/*
 * With some capabilities a command samples every process, hangs up the
 * caller's terminal, loads modules or writes to ports of devices, whatever the
 * ruleset says; so root loses all but those for its daily work on files. This
 * comes behind the step of a backend that takes more, which is left as it is.
 */
#define CAPABILITIES_PHASE (OMEGA_SANDBOX_PHASE_CAPABILITIES + 1)

/* Has the caller more than a command is to have? */
int capabilities_are_many(void);

/* The child step that gives them up. state is not used. */
int capabilities_give_up(const void *state);

#endif
