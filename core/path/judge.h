/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * judge.h - the verdict on a path: every way of being protected, in order.
 */

#ifndef OMEGA_PATH_JUDGE_H
#define OMEGA_PATH_JUDGE_H

#include <stdbool.h>

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

#endif
