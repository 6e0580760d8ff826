/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * supervise.h - the host's side of a supervisor (supervisor.h): start a
 * command below one, hear what became of it, have it ended.
 */

#ifndef OMEGA_RUN_SUPERVISE_H
#define OMEGA_RUN_SUPERVISE_H

#include <limits.h>

#include "run/command.h"
#include "run/launch.h"
#include "run/supervisor.h"

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
