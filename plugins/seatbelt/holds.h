/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * holds.h - what a profile holds of an atom.
 */

#ifndef OMEGA_SEATBELT_HOLDS_H
#define OMEGA_SEATBELT_HOLDS_H

#include "profile.h"

/* What everything is asked under. */
struct holds_view {
	const struct omega_sandbox_request *request;
	const struct texts *links; /* that lead to protected places */
	int sockets; /* 0: those bound are known; else a negative errno */
};

void holds_say(const struct holds_view *view,
    const struct omega_sandbox_atom *atom, struct omega_sandbox_state *state);

#endif
