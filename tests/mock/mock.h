/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * mock.h - the base of all mock plugins: a backend that says it holds what its
 * mock_behaviour says, and protects nothing. Each mock is one file with one
 * thing altered. What they are for is in README.md.
 */

#ifndef OMEGA_TEST_MOCK_H
#define OMEGA_TEST_MOCK_H

#include <omega/sandbox-plugin.h>

#include <stdbool.h>
#include <stdint.h>

/* All bits an atom of kind PATH can have. */
#define MOCK_READS (OMEGA_SANDBOX_ATOM_READ | OMEGA_SANDBOX_ATOM_LIST)
#define MOCK_WRITES                                                 \
	(OMEGA_SANDBOX_ATOM_WRITE | OMEGA_SANDBOX_ATOM_CREATE |     \
	    OMEGA_SANDBOX_ATOM_REMOVE | OMEGA_SANDBOX_ATOM_RENAME | \
	    OMEGA_SANDBOX_ATOM_CHANGE)

struct mock_behaviour {
	uint32_t held; /* bits of PATH atoms it holds completely */
	uint32_t partial; /* bits of PATH atoms it holds in part */
	bool has_hardening; /* holds every hardening kind it knows */
	bool is_unusable; /* probe says so */
	bool is_forgetful; /* apply does not confirm the last atom */
	bool is_prefix; /* starts the command through env(1) */
	/* errno values; 0: does not fail there. */
	int probe_error;
	int describe_error;
	int apply_error; /* half way: one step added, half confirmed */
	int step_error; /* in the child */
	uint32_t phase; /* of its step; 0: it has none */
};

/* Every mock defines its own. */
extern const struct mock_behaviour mock_behaviour;

int mock_probe(
    const struct omega_sandbox_host *host, struct omega_sandbox_probe *probe);
int mock_describe(const struct omega_sandbox_host *host,
    const struct omega_sandbox_request *request,
    const struct omega_sandbox_atom *const *atoms, size_t count,
    struct omega_sandbox_state *const *states);
int mock_apply(const struct omega_sandbox_host *host,
    const struct omega_sandbox_request *request,
    const struct omega_sandbox_atom *const *atoms, size_t count,
    struct omega_sandbox_launch *launch);

/* The fields that are right in nearly all of them. */
#define MOCK_HEAD                                \
	.abi_version = OMEGA_SANDBOX_PLUGIN_ABI, \
	.struct_size = sizeof(struct omega_sandbox_plugin)
#define MOCK_FUNCTIONS \
	.probe = mock_probe, .describe = mock_describe, .apply = mock_apply

#endif
