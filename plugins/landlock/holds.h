/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * holds.h - what Landlock holds of an atom on a kernel of some ABI.
 */

#ifndef OMEGA_LANDLOCK_HOLDS_H
#define OMEGA_LANDLOCK_HOLDS_H

#include <omega/sandbox-plugin.h>

/* All that the answer depends on. */
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

#endif
