/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * stack.h - which backends, in which order: from words to names.
 */

#ifndef OMEGA_PLAN_STACK_H
#define OMEGA_PLAN_STACK_H

#include <stdbool.h>
#include <stddef.h>

#include <omega/sandbox.h>

/* The platform's own stack, NULL ends; and the one to use in its place when
 * its first member cannot be used and it is installed (NULL: none). */
extern const char *const omega_stack_auto[];
extern const char *const omega_stack_auto_instead;

/*
 * Turn words into names: "" and "auto" (alone) give none at all, "none" is
 * noop, "native" the platform's own stack. names has room for
 * OMEGA_SANDBOX_MAX_BACKENDS and receives texts on the heap. Returns 0, or
 * OMEGA_SANDBOX_E_INVALID_POLICY, _E_MEMORY with nothing left behind.
 */
int omega_stack_expand(const char *const *words, size_t word_count,
    char **names, size_t *count, struct omega_sandbox_error *error);

/* The same for a comma-separated list. */
int omega_stack_parse(const char *list, char **names, size_t *count,
    struct omega_sandbox_error *error);

bool omega_stack_has(char *const *names, size_t count, const char *name);

/* The one that is named to have nothing held; is it among these? */
extern const char omega_stack_noop[];
bool omega_stack_has_noop(char *const *names, size_t count);

#endif
