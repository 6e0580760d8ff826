/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * supervisor.h - the process between the host and a command whose end must be
 * seen to: a copy of the host that starts the command, inherits or follows
 * whatever its descendants leave behind, and ends all of them when the time is
 * over, when the host says so, or when the host is gone.
 *
 * It stays outside the sandbox, hears no signal but SIGKILL, cannot be traced,
 * keeps no descriptor of the host and is in a process group of its own: a
 * signal to the host's group does not reach it. The command goes back to that
 * group, where a terminal finds it.
 */

#ifndef OMEGA_RUN_SUPERVISOR_H
#define OMEGA_RUN_SUPERVISOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "run/inner.h"
#include "run/setup.h"

/* What it is told, made before it is. */
struct omega_supervisor {
	struct omega_setup *setup;
	int control; /* its end of the channel */
	int host; /* a descriptor of the host's process, or -1 */
	pid_t host_pid;
	uint64_t timeout_ms; /* 0: none */
	uint64_t grace_ms;
	bool is_telling; /* when the command stops */
};

/* What it says, one record each. */
enum omega_supervisor_kind {
	OMEGA_SUPERVISOR_FAILED = 1, /* not started; error, or fault */
	OMEGA_SUPERVISOR_STARTED, /* pid; its descriptor comes along */
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

/* In the new process, all signals blocked. Does not return. */
_Noreturn void omega_supervisor_run(const struct omega_supervisor *told);

#endif
