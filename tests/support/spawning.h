/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * spawning.h - short words for tests that start commands: a launch with or
 * without memory of its own, and the program "inspect" run under it.
 */

#ifndef OMEGA_TEST_SPAWNING_H
#define OMEGA_TEST_SPAWNING_H

#include "harness.h"

#include "launch/command.h"
#include "launch/launch.h"
#include "run/child.h"
#include "run/spawn.h"

/* Take a copy of the inspect program; before any test, while it can be read. */
void spawning_begin(void);

/* Where it is for everybody to execute. */
const char *inspect_program(void);

/* Are we under valgrind, which forks where we share memory? */
bool is_under_valgrind(void);

/* Is this a build with the address or the thread sanitizer? */
bool is_sanitized(void);

/* So many rounds, or fewer where each one takes much longer: valgrind,
 * sanitizers. */
int rounds_of(int many);

/* A launch, finished when nothing is added. */
struct omega_launch *make_launch(bool has_own_memory);

/* Add a step of the backend "mock"; state may be NULL. */
void add_step(struct omega_launch *launch, uint32_t phase, const char *name,
    omega_sandbox_step *step, const void *state, size_t size);

/* Steps: give the answer that is the state (int), write a letter. */
int fail_with(const void *state);

struct note {
	int fd;
	char letter;
};

int write_note(const void *state);

/* Keep a descriptor in the launch. */
int keep_fd(struct omega_launch *launch, int fd);

/* The command "inspect WORD...", output by pipe. The list ends with NULL. */
void make_inspect(struct omega_command *command, ...);

/* Start it, read what it says, wait for its end. 0 or the code of spawn. */
struct outcome {
	int code;
	struct omega_sandbox_error error;
	struct omega_sandbox_outcome end;
	char out[16384];
};

void run_command(const struct omega_launch *launch,
    const struct omega_command *command, struct outcome *outcome);

/* The same for "inspect WORD...". */
void run_inspect(const struct omega_launch *launch, struct outcome *outcome,
    ... /* words, NULL */);

/* From now on this system call ends with the given errno, here and in all
 * children. False where there are no filters. */
bool deny_call(long number, int sys_errno);

/* Fail the test when this process has a child that nobody has collected. */
void assert_no_children(void);

#endif
