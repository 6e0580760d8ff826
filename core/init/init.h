/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * init.h - what the parts of omega-sandbox-init know.
 */

#ifndef OMEGA_INIT_INIT_H
#define OMEGA_INIT_INIT_H

#include <stdbool.h>

#include "init/tree.h"
#include "run/supervisor.h"

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

/* command.c: start it. */
void command_start(void);

/* Say what went wrong, as struct omega_inner_fault has it, and end. */
_Noreturn void command_fail(uint32_t kind, uint32_t index, long error);

#endif
