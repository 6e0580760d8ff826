/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * stack.h - stacks for children that share our memory.
 *
 * Such a child must not run on the stack of the thread that starts it. Each
 * stack has a guard below it: a step that needs too much ends the child, and
 * nothing of the host is overwritten. Mapping one costs 3 % of a start, so a
 * few are kept for the next.
 */

#ifndef OMEGA_RUN_STACK_H
#define OMEGA_RUN_STACK_H

#include <stddef.h>

/* What the steps of a child may use is a quarter of it, so that neither the
 * core's own frames nor a large page size eat into the promise. */
#define OMEGA_STACK_SIZE ((size_t)256 * 1024)

struct omega_stacks;

/* A store of stacks, empty; NULL when out of memory. */
struct omega_stacks *omega_stacks_new(void);
void omega_stacks_free(struct omega_stacks *stacks);

/* A stack of OMEGA_STACK_SIZE: its lowest address, or NULL with errno. Any
 * number of threads may take and give at once. */
void *omega_stacks_take(struct omega_stacks *stacks);
void omega_stacks_give(struct omega_stacks *stacks, void *stack);

#endif
