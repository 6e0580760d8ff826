/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * command.h - the public command object, for the files that serve it.
 */

#ifndef OMEGA_API_COMMAND_H
#define OMEGA_API_COMMAND_H

#include <pthread.h>
#include <stdatomic.h>

#include "launch/command.h"
#include "plan/prepared.h"
#include "run/capture.h"

#define OMEGA_COMMAND_GRACE_MS 2000

/* A capture under way, as long as it is. */
struct omega_command_run {
	struct omega_command_run *next;
	int cancel; /* of run/wake.h */
};

struct omega_sandbox_command {
	atomic_uint refs;
	struct omega_sandbox_prepared *prepared;
	struct omega_command command;
	/* For captures. */
	uint64_t timeout_ms; /* 0: not set */
	uint64_t max_output; /* 0: not set */
	uint64_t grace_ms;
	uint8_t *input; /* NULL: none */
	size_t input_len;
	omega_sandbox_output_fn *output;
	void *output_arg;
	struct omega_event event;
	pthread_mutex_t lock; /* for the list */
	struct omega_command_run *runs;
};

/* The code of a setter, with its error: no memory, or what would have been
 * right. */
int omega_command_told(
    int ret, struct omega_sandbox_error *error, const char *what);

/* Starts a command; codes of omega_spawn(). */
typedef int omega_command_starter(void *arg, const struct omega_launch *launch,
    struct omega_sandbox_report *report, const struct omega_command *command,
    struct omega_sandbox_error *error);

/*
 * Have it started under the launch that is right now. A step that says ESTALE
 * has seen from inside what the parent could not: it is prepared again. error
 * is not NULL.
 */
int omega_command_start(struct omega_sandbox_command *command,
    omega_command_starter *starter, void *arg,
    struct omega_sandbox_error *error);

/* Does anybody limit its time or its output? */
bool omega_command_is_limited(const struct omega_sandbox_command *command);

/* Run it within these limits, with the host's own streams. end and error are
 * not NULL. In capture.c. */
int omega_command_run_limited(struct omega_sandbox_command *command,
    struct omega_sandbox_outcome *end, struct omega_sandbox_error *error);

/* A directory that is not there inside; the command starts in "/". */
void omega_command_say_left(
    struct omega_sandbox_prepared *prepared, const char *dir);

#endif
