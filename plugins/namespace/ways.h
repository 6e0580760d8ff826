/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * ways.h - symbolic links on the ways to protected places. Whoever points one
 * of them elsewhere leads the next command away from what is protected.
 */

#ifndef NAMESPACE_WAYS_H
#define NAMESPACE_WAYS_H

#include "setup.h"

/* Called with the canonical place of each link. 0, or -errno to stop. */
typedef int ways_link(void *arg, const char *link);
int ways_each_link(const struct setup *setup, ways_link *fn, void *arg);

#endif
