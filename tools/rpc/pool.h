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

/* Is a call with this id under way, waiting or running? */
bool pool_has(struct pool *pool, const json_t *id);

/* Hand over a call with an id of its own; waits while too many wait already,
 * unless one is there that may itself wait for the host. False: nobody reads
 * the answers any more. The call is the pool's in any case. */
bool pool_add(struct pool *pool, struct call *call);

/* For the call with this id; false: there is none. End it; so much of its
 * output has been dealt with; send its command a signal, as soon as there is
 * one. */
bool pool_cancel(struct pool *pool, const json_t *id);
void pool_read(struct pool *pool, const json_t *id, uint64_t bytes);
bool pool_signal(struct pool *pool, const json_t *id, int number);

/* Tell an event, which is given up, unless the call has been answered. */
void pool_tell(struct pool *pool, const json_t *id, json_t *event);

/* No request will come any more: nobody waits for one. */
void pool_end(struct pool *pool);

/* Wait for all calls and end. is_hurried: cancel them first, as is done when
 * the host is gone. False: an answer could not be written. */
bool pool_free(struct pool *pool, bool is_hurried);

#endif
