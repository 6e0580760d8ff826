/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * init.h - what the parts of omega-sandbox-init know.
 */

#ifndef OMEGA_INIT_INIT_H
#define OMEGA_INIT_INIT_H

#include <stdbool.h>
#include <stdint.h>

#include "run/supervisor.h"

/* ---- tree.c: all descendants, where there is no better way to end them -- */

/* More at a time are found the next time. What is not used takes no memory. */
#define OMEGA_TREE_MOST (1U << 18)

struct omega_tree {
	int proc; /* a descriptor of /proc */
	int32_t self; /* our number in it */
	uint32_t count;
	uint32_t living; /* of them; the others are to be reaped */
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

/* ---- init.c and command.c ----------------------------------------------- */

extern struct watch {
	struct omega_orders orders;
	struct omega_supervisor_word word;
	struct omega_tree tree;
	bool is_first; /* of a pid namespace */
	bool is_seen; /* the command's number may be given to another */
	bool has_ended; /* the command itself */
	bool has_none; /* no process is left */
	bool has_more; /* to be taken leave of */
	uint32_t reaped;
	char **argv; /* ours; the child's are behind them */
	char **env;
	int control;
	int children;
	int events;
} watch;

/* Start the command. */
void command_start(void);

/* Say what went wrong, as struct omega_inner_fault has it, and end. */
_Noreturn void command_fail(uint32_t kind, uint32_t index, long error);

#endif
