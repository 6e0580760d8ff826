/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * tree.h - all processes that descend from this one, found in /proc.
 *
 * For the supervisor, a copy of a host in which other threads may have held
 * any lock there is: system calls and nothing else.
 */

#ifndef OMEGA_RUN_TREE_H
#define OMEGA_RUN_TREE_H

#include <stdint.h>

#define OMEGA_TREE_FEW 512

struct omega_tree {
	int proc; /* a descriptor of /proc */
	int32_t self; /* our number in it */
	int32_t *pids; /* pairs: a process, its parent */
	uint32_t count;
	uint32_t size;
	int32_t few[2 * OMEGA_TREE_FEW]; /* where there is no memory */
};

/*
 * Can the descendants of a process be listed here? 0, or a negative errno:
 * no /proc, one of another pid namespace, or a kernel without the lists.
 * May use the library.
 */
int omega_tree_is_available(void);

/* Before anything is closed that must stay open. 0 or a negative errno. */
int omega_tree_open(struct omega_tree *tree);

/*
 * Find them all and send each of them one signal, or two when the second is
 * not 0, parents before their children. One that comes into being meanwhile
 * may be missed: go on until there is none. Never reaches a process that has
 * got the number of another one. Returns how many could be signalled.
 */
uint32_t omega_tree_signal(struct omega_tree *tree, int first, int second);

#endif
