/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * place.h - for tests that spoil the process they run in: each has a
 * child of the test to itself.
 */

#ifndef OMEGA_TEST_PLACE_H
#define OMEGA_TEST_PLACE_H

#include "spawn-tests.h"

/* What a child of the test works with. */
struct place {
	bool has_own_memory;
	int in; /* the other end of out */
	int out;
	const char *program;
	const char *dir;
	char *said; /* what came through the pipe */
};

/* Run fn in a child of its own; what it and its steps wrote is in said. */
int run_place(struct place *place, void **state, int (*fn)(void *));

/* inspect WORD, speaking into the pipe. */
void make_place_command(
    struct omega_command *command, const struct place *place, const char *word);

#endif
