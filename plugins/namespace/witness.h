/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * witness.h - the child's last look: is what must not be seen still covered?
 */

#ifndef NAMESPACE_WITNESS_H
#define NAMESPACE_WITNESS_H

#include "setup.h"

/* Have every child look, before it executes. 0 or -errno. */
int witness_add(const struct setup *setup, struct omega_sandbox_launch *launch);

#endif
