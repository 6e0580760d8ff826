/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * holds.h - what this backend holds of an atom on this host. describe tells
 * it, apply keeps to it.
 */

#ifndef NAMESPACE_HOLDS_H
#define NAMESPACE_HOLDS_H

#include "setup.h"

void holds_say(const struct setup *setup, const struct omega_sandbox_atom *atom,
    struct omega_sandbox_state *state);

#endif
