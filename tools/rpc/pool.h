/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * pool.h - calls, several at a time.
 */

#ifndef OMEGA_RPC_POOL_H
#define OMEGA_RPC_POOL_H

#include <stdbool.h>
#include <stddef.h>

#include "rpc/call.h"
#include "rpc/store.h"

#define POOL_MAX_JOBS 256

struct pool;

/* NULL when it cannot be had. */
struct pool *pool_new(struct store *store, size_t jobs);

/* Hand over a call; waits while too many wait already. False: nobody reads
 * the answers any more, or the id is that of a call under way, which has been
 * answered. The call is the pool's in any case. */
bool pool_add(struct pool *pool, struct call *call);

/* End the call with this id, waiting or running. False: there is none. */
bool pool_cancel(struct pool *pool, const json_t *id);

/* Wait for all calls and end. is_hurried: cancel them first. False: an answer
 * could not be written. */
bool pool_free(struct pool *pool, bool is_hurried);

#endif
