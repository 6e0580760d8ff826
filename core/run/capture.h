/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * capture.h - run a command under a supervisor to the end of all of its
 * processes, serving its streams meanwhile.
 */

#ifndef OMEGA_RUN_CAPTURE_H
#define OMEGA_RUN_CAPTURE_H

#include <limits.h>

#include <omega/sandbox.h>

#include "child/end.h"
#include "launch/command.h"
#include "launch/launch.h"
#include "run/excerpt.h"

/* Whom to tell what happens to it. */
struct omega_event {
	omega_sandbox_event_fn *fn; /* NULL: nobody wants to know */
	void *arg;
};

/* What was answered; 0 when nobody was told. */
static inline int
omega_event_tell(const struct omega_event *event,
    enum omega_sandbox_event_kind kind, pid_t pid, int fd, int signal)
{
	struct omega_sandbox_event told = {.size = sizeof(told),
	    .kind = kind,
	    .pid = pid,
	    .fd = fd,
	    .signal = signal};

	return event->fn == NULL ? 0 : event->fn(event->arg, &told);
}

/* How to run it. */
struct omega_capture {
	uint64_t timeout_ms; /* 0: none */
	uint64_t grace_ms;
	uint64_t max_output; /* of both streams; 0: all of it */
	omega_sandbox_output_fn *output; /* NULL: keep it */
	void *output_arg;
	const uint8_t *input; /* NULL: nothing */
	size_t input_len;
	bool is_inheriting; /* streams nobody has set stay the host's */
	struct omega_event event; /* who is told what happens */
	int cancel; /* polls readable when it is to be ended */
};

/* What became of it. */
struct omega_captured {
	pid_t pid; /* it was started; set after a failure too */
	struct omega_sandbox_outcome outcome; /* all but the streams */
	struct omega_excerpt streams[2]; /* out and err; to be dropped */
	char dir_left[PATH_MAX]; /* as struct omega_spawned has it */
};

/* 0, or a code of omega_spawn(); then there is nothing to drop. */
int omega_capture_run(const struct omega_launch *launch,
    const struct omega_command *command, const struct omega_capture *how,
    struct omega_captured *captured, struct omega_sandbox_error *error);

void omega_capture_drop(struct omega_captured *captured);

#endif
