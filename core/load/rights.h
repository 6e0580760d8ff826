/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * rights.h - do owners and modes mean anything to us?
 *
 * A command has the caller's uid and can have its capabilities. Where these
 * reach beyond owners and modes, what is root's alone is not safe from it.
 * One implementation per system.
 */

#ifndef OMEGA_LOAD_RIGHTS_H
#define OMEGA_LOAD_RIGHTS_H

#include <stdbool.h>

/* True for root, and when it cannot be found out. */
bool omega_rights_override(void);

#endif
