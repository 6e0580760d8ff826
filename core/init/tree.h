/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * tree.h - all processes that descend from this one, found in /proc, where
 * there is no better way to end them.
 */

#ifndef OMEGA_INIT_TREE_H
#define OMEGA_INIT_TREE_H

#include <stdint.h>

/* More at a time are found the next time. What is not used takes no memory. */
#define OMEGA_TREE_MOST (1U << 18)

struct omega_tree {
	int proc; /* a descriptor of /proc */
	int32_t self; /* our number in it */
	uint32_t count;
	int32_t pids[2 * OMEGA_TREE_MOST]; /* pairs: a process, its parent */
};

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
