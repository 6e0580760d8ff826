/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * judge.h - the verdict on a path: every way of being protected, in order; and
 * its two uses that need no guard, or open what was judged.
 */

#ifndef OMEGA_PATH_JUDGE_H
#define OMEGA_PATH_JUDGE_H

#include <stdbool.h>
#include <sys/types.h>

#include <omega/sandbox.h>

#include "path/place.h"
#include "path/rules.h"

struct omega_finding {
	enum omega_sandbox_reason reason;
	int error; /* errno, when UNDECIDED */
	const struct omega_rule *rule; /* NULL when UNDECIDED or not blocked */
};

/* Judge a name by its spelling alone. *is_folded: it came near a rule. */
bool omega_judge_name(const struct omega_rules *rules, unsigned access,
    const char *path, bool *is_folded, struct omega_finding *finding);

/* Judge a place that was resolved or opened. True: blocked. */
bool omega_judge_place(const struct omega_rules *rules, unsigned access,
    const struct omega_place *place, bool is_folded,
    struct omega_finding *finding);

/*
 * Judge a path by its name and by where it leads. place is filled as far as
 * the judgement went; its text is "" if it was not resolved.
 */
bool omega_judge_path(const struct omega_rules *rules, unsigned access,
    const char *path, struct omega_place *place, struct omega_finding *finding);

/* What came of opening, besides the descriptor. */
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

/* The two questions that work from nothing. */
bool omega_judge_is_write_blocked(const char *path, const char *data_dir);
bool omega_judge_is_read_blocked(
    const char *path, const char *data_dir, const char *config_path);

#endif
