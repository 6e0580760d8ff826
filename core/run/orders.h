/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * orders.h - what a host tells omega-sandbox-init (core/init), through the
 * socket whose number is its first argument.
 *
 * The second argument is "-": it is the first process of a pid namespace,
 * confined as the command will be, which it starts: program and arguments are
 * the rest of its arguments. Or it is the number of a command that was started
 * already, as its child, outside of every sandbox.
 *
 * What comes back are records of two sizes. Whoever becomes the command says
 * READY or a fault (struct omega_inner_fault) itself, and the kernel tells its
 * number; all else is said by a struct omega_supervisor_word.
 */

#ifndef OMEGA_RUN_ORDERS_H
#define OMEGA_RUN_ORDERS_H

#include <stdint.h>

#define OMEGA_ORDERS_PROGRAM "omega-sandbox-init"
#define OMEGA_ORDERS_FIRST "-"

/* One byte each, later: the command's number was seen, it may be given back;
 * make an end. */
#define OMEGA_ORDERS_SEEN 's'
#define OMEGA_ORDERS_END 'e'

#define OMEGA_ORDERS_LIMITS 5

struct omega_orders {
	uint64_t timeout_ms; /* 0: none */
	uint64_t grace_ms;
	uint64_t to_ignore; /* signals of the command, as in inner.h */
	uint64_t to_block;
	int32_t host; /* descriptor of the host's process */
	int32_t group; /* of its cgroup.procs, or of the directory; or -1 */
	uint32_t group_step; /* as a fault has it */
	uint32_t limits_step;
	uint32_t is_telling; /* when the command stops */
	uint32_t session; /* enum omega_sandbox_session, as in inner.h */
	uint32_t is_front; /* of the terminal that one of 0 to 2 is */
	uint32_t limit_count;
	struct {
		int32_t resource;
		uint32_t reserved;
		uint64_t most;
	} limits[OMEGA_ORDERS_LIMITS];
};

#endif
