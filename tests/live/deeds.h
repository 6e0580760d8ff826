/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * deeds.h - what a program can do under a policy, and that it can do the same
 * without one.
 */

#ifndef OMEGA_TEST_DEEDS_H
#define OMEGA_TEST_DEEDS_H

#include <stdbool.h>

#include <omega/sandbox.h>

/* Make home/name with some content, and the directories on the way. How many
 * faults there were; they were said. */
int deeds_put(const char *home, const char *name);

/*
 * Have an interpreter, NULL: the shell, run the script in home, without a
 * sandbox, which must succeed, and then with it. Returns how many faults were
 * found; they were said, with who did it.
 */
int deeds_judge(const char *who, struct omega_sandbox_prepared *prepared,
    const char *home, const char *script, bool is_allowed);
int deeds_judge_by(const char *interpreter, const char *who,
    struct omega_sandbox_prepared *prepared, const char *home,
    const char *script, bool is_allowed);

#endif
