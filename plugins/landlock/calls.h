/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * calls.h - the three Landlock system calls, without a header's help.
 *
 * Static inline because a child step may use the last one: no symbol, no
 * library state.
 */

#ifndef OMEGA_LANDLOCK_CALLS_H
#define OMEGA_LANDLOCK_CALLS_H

#include <sys/syscall.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#define SYS_CREATE_RULESET 444L
#define SYS_ADD_RULE 445L
#define SYS_RESTRICT_SELF 446L

#define CREATE_RULESET_VERSION 0x1u
#define RULE_PATH_BENEATH 1
#define RULE_PORT 2

/* As long as the ABI 6 form; older kernels take a shorter one. */
struct calls_ruleset {
	uint64_t fs;
	uint64_t net;
	uint64_t scoped;
};

struct calls_path_beneath {
	uint64_t allowed;
	int32_t parent_fd;
} __attribute__((packed));

struct calls_port {
	uint64_t allowed;
	uint64_t port; /* in the host's order */
};

/* The kernel's ABI, or a negative number and errno. */
static inline int
calls_abi(void)
{
	return (int)syscall(
	    SYS_CREATE_RULESET, NULL, (size_t)0, CREATE_RULESET_VERSION);
}

static inline int
calls_create(const struct calls_ruleset *ruleset, size_t size)
{
	return (int)syscall(SYS_CREATE_RULESET, ruleset, size, 0u);
}

static inline int
calls_allow(int ruleset, const struct calls_path_beneath *rule)
{
	return (int)syscall(SYS_ADD_RULE, ruleset, RULE_PATH_BENEATH, rule, 0u);
}

static inline int
calls_allow_port(int ruleset, const struct calls_port *rule)
{
	return (int)syscall(SYS_ADD_RULE, ruleset, RULE_PORT, rule, 0u);
}

static inline int
calls_restrict(int ruleset)
{
	return (int)syscall(SYS_RESTRICT_SELF, ruleset, 0u);
}

#endif
