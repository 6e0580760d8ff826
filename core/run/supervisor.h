/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * supervisor.h - the process between the host and a command whose end must be
 * seen to: it starts the command, inherits or follows whatever its descendants
 * leave behind, and ends all of them when the time is over, when the host says
 * so, or when the host is gone.
 *
 * It hears no signal but SIGKILL, cannot be traced, and keeps no descriptor of
 * the host. On Linux it is a program, the first process of a pid namespace
 * where there can be one; else it stays outside the sandbox, in a process group
 * of its own: a signal to the host's group does not reach it, and the command
 * goes back to that group, where a terminal finds it.
 */

#ifndef OMEGA_RUN_SUPERVISOR_H
#define OMEGA_RUN_SUPERVISOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "run/clone.h"
#include "run/inner.h"
#include "run/orders.h"
#include "run/setup.h"

/* What it is told, made before it is. */
struct omega_supervisor {
	struct omega_setup *setup;
	int ours; /* our end of the channel, */
	int control; /* and its own */
	int host; /* a descriptor of the host's process, or -1 */
	pid_t host_pid;
	uint64_t timeout_ms; /* 0: none */
	uint64_t grace_ms;
	bool is_telling; /* when the command stops */
	/* Linux only: what the program is told, and how it was put. */
	struct omega_orders orders;
	size_t fd_count; /* of the command's own descriptors */
	char text[16]; /* the number of control */
};

/* What it says, one record each. */
enum omega_supervisor_kind {
	OMEGA_SUPERVISOR_FAILED = 1, /* not started; error, or fault */
	OMEGA_SUPERVISOR_READY, /* pid, which is about to become it */
	OMEGA_SUPERVISOR_STARTED, /* pid, if nobody was ready */
	OMEGA_SUPERVISOR_STOPPED, /* the command, by this signal */
	OMEGA_SUPERVISOR_DONE /* the rest */
};

struct omega_supervisor_word {
	uint32_t kind;
	int32_t pid;
	int32_t error; /* errno of the clone, or 0 */
	struct omega_inner_fault fault; /* kind 0: it ended without a word */
	int32_t wait_status; /* as wait(2) has it */
	int32_t signal; /* that stopped it */
	uint32_t is_unended; /* the command itself still runs */
	uint32_t left; /* processes that could not be ended */
	uint32_t is_timed_out;
	uint32_t is_cancelled;
	uint64_t cpu_us;
	uint64_t peak; /* bytes */
};

/* How a tree of processes is ended on this host, for people to read; or why
 * it cannot be, with is_available false. Static. */
const char *omega_supervisor_how(bool *is_available);

/* A supervisor that was made. */
struct omega_supervisor_made {
	struct omega_clone clone;
	bool is_first; /* in a pid namespace: nothing outlives it */
	uint64_t group; /* the number of a control group; 0: the command's */
};

/* Make one, which starts the command. 0, or a code with nothing left. */
int omega_supervisor_start(struct omega_supervisor *told,
    struct omega_supervisor_made *made, struct omega_sandbox_error *error);

#endif
