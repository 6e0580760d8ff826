/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * ports.h - rules about ports.
 */

#ifndef OMEGA_LANDLOCK_PORTS_H
#define OMEGA_LANDLOCK_PORTS_H

#include <omega/sandbox-plugin.h>

/* The right that atoms of this kind are about; 0: none. */
uint64_t ports_right(uint32_t kind);

/* The ABI from which on kernels know it. */
int ports_abi(uint32_t kind);

/* Allow what the request lists for the rights that are handled. 0 or
 * -errno. */
int ports_allow(
    int ruleset, uint64_t handled, const struct omega_sandbox_request *request);

#endif
