/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * search.h - go through what is mounted, name by name, for sockets. Costly,
 * so for what cannot be found in any other way.
 */

#ifndef NAMESPACE_SEARCH_H
#define NAMESPACE_SEARCH_H

#include <sys/types.h>
#include <limits.h>
#include <stdint.h>

#include "places.h"

/* So many names are looked at, not more. */
#define SEARCH_MAX_NAMES 500000

enum search_kind {
	SEARCH_SOCKET,
	/* A directory of the caller's into which it cannot look now, or that
	 * is too deep to be named: what is in there is not known. */
	SEARCH_CLOSED
};

/* Told what was found; inode is the socket's. What is not 0 ends it. */
typedef int search_found(
    void *arg, const char *path, enum search_kind kind, uint64_t inode);

/* Is this file system to be gone through? */
typedef int search_wants(void *arg, const char *point, dev_t device);

struct search {
	const struct caller *caller;
	search_wants *wants;
	search_found *fn;
	void *arg;
	size_t left; /* names that may still be looked at */
	/* A directory of others that cannot be listed, but be entered by
	 * whoever knows a name in it; or "". */
	char obstacle[PATH_MAX];
};

/*
 * 0: all was seen, but for the obstacle; what fn returned; -E2BIG: there are
 * too many names; -errno.
 */
int search_run(struct search *search);

#endif
