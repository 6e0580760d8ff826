/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * clone.h - making the child.
 */

#ifndef OMEGA_CHILD_CLONE_H
#define OMEGA_CHILD_CLONE_H

#include <sys/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "child/inner.h"

/* ---- Stacks for children that share our memory -------------------------- */

/*
 * Such a child must not run on the stack of the thread that starts it. Each
 * stack has a guard below it: a step that needs too much ends the child, and
 * nothing of the host is overwritten. Mapping one costs 3 % of a start, so a
 * few are kept for the next.
 */

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

/* ---- Children ----------------------------------------------------------- */

struct omega_clone {
	pid_t pid; /* or a negative errno */
	int pidfd;
	bool is_past; /* exec has been done or has failed */
};

/*
 * A child that does what inner says. Both set in it how signals are to be
 * reset and how the child is to speak; signals do not disturb them, and errno
 * may be changed by the child.
 *
 * The first lends it our memory; what it has said last is in said. The pid is
 * -ENOSYS when that cannot be done and known to be done: filters, valgrind,
 * qemu-user. The second makes a copy (inner->is_hidden) or does the first as
 * well as it can; inner->report is a pipe.
 */
struct omega_clone omega_clone_lending(struct omega_inner *inner,
    struct omega_stacks *stacks, struct omega_inner_fault *said);
struct omega_clone omega_clone_piped(
    struct omega_inner *inner, struct omega_stacks *stacks);

/*
 * A copy of this process that calls fn, with all signals blocked. No signal
 * tells of its end, and nothing else in the host can collect it. The pid, or a
 * negative errno. Not on Linux, where the supervisor is a program.
 */
struct omega_clone omega_clone_copy(
    void (*fn)(const void *arg), const void *arg);

/* What the kernel itself writes, whatever becomes of who has called it. */
struct omega_clone_told {
	int pidfd; /* when pid is set */
	int pid; /* 0: none was made, or there is no clone3 */
	int is_there; /* 1 before; 0 when it has let go of our memory */
};

/*
 * Linux only: a process of any kind that does fn(arg) on a stack of which top
 * is the end, and never returns from it. flags are those of clone(2). The
 * host's handlers are taken from it unless *has_handlers is true, which it
 * becomes where that cannot be done. Plain system calls. The pid, or a negative
 * errno.
 */
long omega_clone_on(char *stack, void *top, uint64_t flags, int signal,
    int (*fn)(void *), void *arg, struct omega_clone_told *told,
    bool *has_handlers);

/* What a child on this stack is told; it is the end of the stack too. */
struct omega_inner_start *omega_clone_start(
    char *stack, const struct omega_inner *inner);

/* The signals that the host ignores, and its children would. */
uint64_t omega_clone_ignored(void);

/* Block every signal, those the libraries keep to themselves included. */
struct omega_clone_mask {
	unsigned long bits[16 / sizeof(unsigned long)];
};

void omega_clone_block(struct omega_clone_mask *old);
void omega_clone_unblock(const struct omega_clone_mask *old);

#endif
