/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * agreement-tries.h - paths to read, write and run under a policy, many in
 * one process. What it claims to have written must be found in the real tree
 * afterwards.
 */

#ifndef OMEGA_TEST_AGREEMENT_TRIES_H
#define OMEGA_TEST_AGREEMENT_TRIES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include <omega/sandbox.h>

#define MAX_TRIES 128

struct trial {
	char path[PATH_MAX];
	char letter; /* r, w, x */
	bool was_there; /* before */
	int error; /* 0: it worked */
};

/* Shared with a worker. */
struct tries {
	int is_confined;
	char why[512];
	size_t count;
	struct trial list[MAX_TRIES];
};

/* NULL when there is no memory. */
struct tries *tries_new(void);

void tries_add(struct tries *tries, char letter, const char *path);

/* Let a worker confine itself and try everything; prepared NULL: without a
 * sandbox. false, and said why: it could not. */
bool tries_by_worker(
    struct omega_sandbox_prepared *prepared, struct tries *tries);

/* Have a command try everything: this program again. */
bool tries_by_command(
    struct omega_sandbox_prepared *prepared, struct tries *tries);

/* That command: "try", then letters and paths. */
int tries_main(int argc, char **argv);

#endif
