/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * feed.h - input of commands that run. For the thread that reads requests,
 * and for no other.
 */

#ifndef OMEGA_RPC_FEED_H
#define OMEGA_RPC_FEED_H

#include <stdbool.h>

#include "rpc/call.h"
#include "rpc/pool.h"

struct feed;

struct feeds {
	struct pool *pool; /* whose calls these are */
	struct feed *first;
};

/* Make the pipe of a call that wants one, before it is the pool's. 0 or
 * -errno. */
int feed_open(struct feeds *feeds, struct call *call);

/* More input for the call with this id. False: it has no pipe (any more). */
bool feed_add(struct feeds *feeds, const struct call *more);

/* Write on until fd can be read; -1: until all is written, and nothing else
 * follows. False: nobody reads the answers any more. */
bool feed_until(struct feeds *feeds, int fd);

void feed_free(struct feeds *feeds);

#endif
