/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * opener.h - open a path and judge what was opened.
 */

#ifndef OMEGA_PATH_OPENER_H
#define OMEGA_PATH_OPENER_H

#include <sys/types.h>

#include "path/judge.h"

/* What came of it, besides the descriptor. */
struct omega_opening {
	struct omega_place place; /* where it led, text "" if unknown */
	struct omega_finding finding;
};

/*
 * See omega_sandbox_open_checked. Returns the descriptor, -EACCES with a
 * finding that blocks, -EINVAL for flags that are not taken, or the errno of
 * the system with a finding that does not block.
 */
int omega_opener_open(const struct omega_rules *rules, const char *path,
    int flags, mode_t mode, struct omega_opening *opening);

#endif
