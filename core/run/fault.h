/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * fault.h - what a fault of the child is called outside: code and text.
 */

#ifndef OMEGA_RUN_FAULT_H
#define OMEGA_RUN_FAULT_H

#include <omega/sandbox.h>

#include "run/end.h"
#include "run/inner.h"
#include "run/setup.h"

/* Fill error and return the code. */
int omega_fault_tell(const struct omega_inner_fault *fault,
    const struct omega_setup *setup, struct omega_sandbox_error *error);

/* The same for a child that ended without a word; end NULL: not known how. */
int omega_fault_tell_end(
    const struct omega_end *end, struct omega_sandbox_error *error);

#endif
