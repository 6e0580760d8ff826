/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * clone.h - making the child.
 */

#ifndef OMEGA_RUN_CLONE_H
#define OMEGA_RUN_CLONE_H

#include <stdbool.h>
#include <sys/types.h>

#include "run/inner.h"
#include "run/stack.h"

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
 * tells of its end, and only a wait with __WALL sees it, so that nothing else
 * in the host can collect it. The pid, or a negative errno.
 */
struct omega_clone omega_clone_copy(
    void (*fn)(const void *arg), const void *arg);

/* Block every signal, those the libraries keep to themselves included. */
struct omega_clone_mask {
	unsigned long bits[16 / sizeof(unsigned long)];
};

void omega_clone_block(struct omega_clone_mask *old);
void omega_clone_unblock(const struct omega_clone_mask *old);

#endif
