/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * fakes.h - backends that hold exactly the bits their
 * test gives them, in a sandbox that has them loaded already.
 */

#ifndef OMEGA_TEST_FAKES_H
#define OMEGA_TEST_FAKES_H

#include "harness.h"

#include <omega/sandbox.h>

#include "load/sandbox.h"

/* What a fake backend holds, by kind. */
struct fake {
	const char *name;
	uint32_t path; /* bits of PATH atoms */
	uint32_t path_partial;
	bool all_hardening;
	uint32_t except_kind; /* but not this one */
	bool is_unusable;
	int probe_error;
	int describe_error;
	int apply_error;
	bool is_overrated; /* usable only as long as it is believed */
	bool is_believed; /* without a trial: by the last probe */
	unsigned stale; /* so many applies find that the world has changed */
	bool is_liar; /* confirms nothing */
	bool is_prefix;
	bool has_only_self; /* a way for the calling process, and no words */
	uint64_t flags;
	uint32_t launch_flags;
	/* What was seen. */
	uint32_t request_flags;
	unsigned applied;
	size_t assigned;
	uint32_t assigned_bits;
	uint32_t data_dir_mode; /* of the last request */
	uint32_t hide_sockets;
	char sockets[256]; /* joined by spaces */
	char devices[256];
};

#define EVERY_BIT 0xffu
#define READ_BITS (OMEGA_SANDBOX_ATOM_READ | OMEGA_SANDBOX_ATOM_LIST)

/* A sandbox whose backends are loaded already, and a data directory. */
struct world {
	struct omega_sandbox *sandbox;
	struct omega_sandbox_policy *policy;
	char data_dir[256];
};

extern char fakes_log[1024];

void fakes_open(
    struct world *world, struct fake *fakes, size_t count, const char *backend);

void fakes_close(struct world *world);

int fakes_verdict(struct world *world, struct omega_sandbox_error *error);

/* The state of the first guarantee whose text ends like this. */
struct omega_sandbox_guarantee fakes_guarantee(
    struct omega_sandbox_report *report, const char *ending);

#endif
