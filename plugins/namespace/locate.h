/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * locate.h - where the path sockets are that somebody has bound.
 */

#ifndef NAMESPACE_LOCATE_H
#define NAMESPACE_LOCATE_H

#include <stddef.h>

#include "places.h"

enum locate_kind {
	LOCATE_NAME, /* a socket is said to be there */
	LOCATE_CLOSED /* a directory that may have one in it; see search.h */
};

/* What is not 0 ends it. */
typedef int locate_found(void *arg, const char *path, enum locate_kind kind);

/*
 * Tell all the names of sockets; own: the caller's in our network namespace,
 * others may be among them; else everybody's, wherever they were bound. fn may
 * be NULL. gap[size] says why some may be missing, or is "". 0, what fn
 * returned, or -errno.
 */
int locate_each(const struct caller *caller, int own, locate_found *fn,
    void *arg, char *gap, size_t size);

#endif
