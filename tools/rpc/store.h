/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * store.h - prepared policies, kept for the next call that asks for the same.
 */

#ifndef OMEGA_RPC_STORE_H
#define OMEGA_RPC_STORE_H

#include <omega/sandbox.h>

#include "rpc/call.h"

struct store;

/* NULL when out of memory. The sandbox must live longer. */
struct store *store_new(struct omega_sandbox *sandbox);
void store_free(struct store *store);

/* The policy that the call asks for, also where the answer is not 0; NULL or
 * the caller's to drop. */
int store_policy(struct store *store, const struct call *call,
    struct omega_sandbox_policy **policy, struct omega_sandbox_error *error);

/* What the call is to run under, with a reference. 0 or a code, error filled.
 * From any thread. */
int store_get(struct store *store, const struct call *call,
    struct omega_sandbox_prepared **prepared,
    struct omega_sandbox_error *error);

#endif
