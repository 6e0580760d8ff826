/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * recorded.h - a sandbox with noop and a log, commands in it,
 * and the lines that were written down.
 */

#ifndef OMEGA_TEST_RECORDED_H
#define OMEGA_TEST_RECORDED_H

#include "harness.h"

#include <jansson.h>

#include <omega/sandbox.h>

struct world {
	char dir[512];
	struct omega_sandbox *sandbox;
	struct omega_sandbox_policy *policy;
	struct omega_sandbox_prepared *prepared;
	struct omega_sandbox_error error;
};

/* A sandbox with noop and this; %D is its directory, where the log is. */
int recorded_open(struct world *world, const char *conf);

int recorded_ready(struct world *world);

void recorded_make(struct world *world, const char *conf);

void recorded_close(struct world *world);

struct omega_sandbox_command *recorded_command(
    struct world *world, const char *const *words);

/* Run it; its exit, or the code of the failure. */
int recorded_run(struct world *world, const char *const *words);

/* The index-th line of the log, to be given back; NULL behind the last. */
json_t *recorded_line(const struct world *world, int index);

const char *recorded_text(const json_t *json, const char *name);

#endif
