/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * subject.h - commands to be captured, for tests that want to know whether
 * anything of them is left.
 *
 * Every process of a command holds the writing end of a pipe that only they
 * have, so that its end of file tells that none of them is left.
 */

#ifndef OMEGA_TEST_SUBJECT_H
#define OMEGA_TEST_SUBJECT_H

#include "library.h"

/* A command with its mark. */
struct subject {
	struct omega_sandbox_command *command;
	int mark[2];
	int life[2];
};

/* This program with these words, of which arg may be NULL. */
bool subject_make(struct subject *subject,
    struct omega_sandbox_prepared *prepared, const char *act, const char *arg);

/* Is any process of it left? Asked once, when the last start is over. */
bool subject_is_alive(struct subject *subject, int wait_ms);

void subject_end(struct subject *subject);

/* Run it and look that it is gone. The result is the caller's, or NULL. */
struct omega_sandbox_result *subject_capture(struct subject *subject,
    struct omega_sandbox_outcome *outcome, int *faults);

/* All of that for one act; returns the number of faults. */
int subject_act(struct omega_sandbox_prepared *prepared, const char *word,
    const char *arg, uint64_t timeout_ms, uint64_t max_output,
    struct omega_sandbox_outcome *outcome,
    struct omega_sandbox_result **result);

bool subject_ends_with(
    const struct omega_sandbox_stream *stream, const char *text);

/* Is this guarantee enforced? */
bool subject_is_enforced(
    struct omega_sandbox_prepared *prepared, const char *kind);

/* Where they run: the library, and a data directory. */
struct subject_scene {
	struct library library;
	struct world world;
};

bool subject_open(
    struct subject_scene *scene, const char *base, const char *lines);
void subject_close(struct subject_scene *scene);

#endif
