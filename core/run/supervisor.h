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

#include <sys/types.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "child/clone.h"
#include "child/inner.h"
#include "launch/command.h"
#include "launch/launch.h"
#include "launch/limits.h"
#include "run/setup.h"

/* ---- What a host tells omega-sandbox-init (core/init), on Linux --------- */

/*
 * Through the socket whose number is its first argument. The second argument
 * is "-": it is the first process of a pid namespace, confined as the command
 * will be, which it starts: program and arguments are the rest of its
 * arguments. Or it is the number of a command that was started already, as its
 * child, outside of every sandbox.
 *
 * What comes back are records of two sizes. Whoever becomes the command says
 * READY or a fault (struct omega_inner_fault) itself, and the kernel tells its
 * number; all else is said by a struct omega_supervisor_word.
 */
#define OMEGA_ORDERS_PROGRAM "omega-sandbox-init"
#define OMEGA_ORDERS_FIRST "-"

/* One byte each, later: the command's number was seen, it may be given back;
 * make an end. */
#define OMEGA_ORDERS_SEEN 's'
#define OMEGA_ORDERS_END 'e'

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
	} limits[OMEGA_LIMITS_MAX];
};

/* ---- The supervisor ----------------------------------------------------- */

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

/* ---- The channel between the two ---------------------------------------- */

/* Two ends, ours first, and a descriptor by which a supervisor sees the end of
 * this process, or -1 where it needs none. Close-on-exec. 0 or a negative
 * errno. */
int omega_channel_make(int pair[2], int *host);

/*
 * One word. 1, -EPIPE when there will be none any more, or 0 when there is
 * none yet and is_waiting is false.
 */
int omega_channel_read(
    int control, bool is_waiting, struct omega_supervisor_word *word);

/* Tell it that the command's number was seen; and to make an end. */
void omega_channel_see(int control);
void omega_channel_cancel(int control);

/* ---- The host's side ---------------------------------------------------- */

/* Start a command below a supervisor, hear what became of it, have it ended. */
struct omega_supervised {
	pid_t supervisor;
	int supervisor_fd; /* of the process */
	int control; /* polls readable when there is a word to read */
	pid_t pid; /* of the command */
	int pidfd; /* or -1 */
	bool is_first; /* the supervisor is of a pid namespace */
	bool is_held; /* and something keeps it, which nobody can end */
	uint64_t group; /* the number of its control group */
	int stdio[3]; /* our ends of pipes, or -1 */
	char left[PATH_MAX]; /* as struct omega_spawned has it */
};

/* Start it; is_telling: when it stops, that is told. Codes of omega_spawn(),
 * with nothing started. */
int omega_supervise_start(const struct omega_launch *launch,
    const struct omega_command *command, uint64_t timeout_ms, uint64_t grace_ms,
    bool is_telling, struct omega_supervised *supervised,
    struct omega_sandbox_error *error);

/* 1: there is a word, of kind STOPPED or DONE. 0: not yet; does not block.
 * -EPIPE: the supervisor is gone. */
int omega_supervise_hear(const struct omega_supervised *supervised,
    struct omega_supervisor_word *word);

/* Have it ended. Any thread. */
void omega_supervise_cancel(const struct omega_supervised *supervised);

/* The command has stopped: it goes on. */
void omega_supervise_continue(const struct omega_supervised *supervised);

/* It should have been over by now: a supervisor that somebody has stopped goes
 * on. And when even that does not help, an end of both. */
void omega_supervise_wake(const struct omega_supervised *supervised);
void omega_supervise_kill(const struct omega_supervised *supervised);

/* Has the first process of a namespace ended, and everything with it? Waits as
 * long as that may take. */
bool omega_supervise_is_over(struct omega_supervised *supervised);

/* It is gone without a word: a code, and what is known of it is ended. */
int omega_supervise_lost(const struct omega_supervised *supervised,
    struct omega_sandbox_error *error);

/* Nothing is left of it: nor of its control group. */
void omega_supervise_leave(const struct omega_launch *launch,
    const struct omega_supervised *supervised);

/* When it is over, or to give it up: then everything is ended without us. */
void omega_supervise_drop(struct omega_supervised *supervised);

#endif
