/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * layer.h - one layer of a policy: what one author has asked for, as it was
 * written.
 *
 * A section policy "NAME" { ... }, an agent profile, and the calls of a host
 * application all become rules. Several layers are combined in combine.h;
 * paths are given their meaning there, because only then the data directory
 * and the work directory are known.
 */

#ifndef OMEGA_POLICY_LAYER_H
#define OMEGA_POLICY_LAYER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <omega/sandbox.h>

#include "conf/list.h"

/* The rules, in the order of sandbox.conf(5). */
enum omega_layer_rule {
	OMEGA_RULE_READ_ALL,
	OMEGA_RULE_READ,
	OMEGA_RULE_WRITE,
	OMEGA_RULE_EXECUTE,
	OMEGA_RULE_DENY,
	OMEGA_RULE_DENY_READ,
	OMEGA_RULE_DENY_WRITE,
	OMEGA_RULE_GIT_METADATA,
	OMEGA_RULE_NETWORK,
	OMEGA_RULE_UNIX_SOCKETS,
	OMEGA_RULE_CONNECT,
	OMEGA_RULE_BIND,
	OMEGA_RULE_CONNECT_UDP,
	OMEGA_RULE_BIND_UDP,
	OMEGA_RULE_FORK,
	OMEGA_RULE_SIGNALS,
	OMEGA_RULE_PTRACE,
	OMEGA_RULE_NEW_PRIVILEGES,
	OMEGA_RULE_TERMINAL_INJECTION,
	OMEGA_RULE_SESSION,
	OMEGA_RULE_ENV_DENY,
	OMEGA_RULE_ENV_ALLOW,
	OMEGA_RULE_ENV_SET,
	OMEGA_RULE_MAX_MEMORY,
	OMEGA_RULE_MAX_OPEN_FILES,
	OMEGA_RULE_MAX_PROCESSES,
	OMEGA_RULE_MAX_CPU_SECONDS,
	OMEGA_RULE_MAX_FILE_SIZE,
	OMEGA_RULE_TIMEOUT,
	OMEGA_RULE_MAX_OUTPUT,
	OMEGA_RULE_COUNT
};

/* How the value of a rule is written. */
enum omega_rule_shape {
	OMEGA_RULE_SWITCH, /* true, false; ptrace also deny */
	OMEGA_RULE_PATHS, /* { "/path", "~/path", "{work_dir}", "@group" } */
	OMEGA_RULE_PORTS, /* { 443, 8080 } */
	OMEGA_RULE_PATTERNS, /* { HOME, "*_KEY" } */
	OMEGA_RULE_SETTINGS, /* { "NAME=VALUE" } */
	OMEGA_RULE_WORD, /* one of a few */
	OMEGA_RULE_BYTES, /* 512M */
	OMEGA_RULE_TIME, /* 30s */
	OMEGA_RULE_NUMBER
};

/* The words of network, as numbers. */
enum omega_rule_network {
	OMEGA_RULE_NETWORK_ALLOW,
	OMEGA_RULE_NETWORK_UNIX_ONLY,
	OMEGA_RULE_NETWORK_DENY
};

/* The words of git_metadata. */
enum omega_rule_git {
	OMEGA_RULE_GIT_ALLOW,
	OMEGA_RULE_GIT_DENY,
	OMEGA_RULE_GIT_KEEP /* of what git obeys nothing is changed */
};

struct omega_rule_value {
	bool is_set;
	uint64_t number; /* of everything but lists */
	struct omega_conf_list items; /* of lists: text, file, line */
	char *file; /* where it was set last, or who set it */
	uint32_t line; /* 0: not in a file */
};

struct omega_layer {
	char *name; /* "policy tool", "host application" */
	struct omega_rule_value values[OMEGA_RULE_COUNT];
};

/* One setting, as it was written. */
struct omega_rule_setting {
	const char *name;
	const char *const *texts;
	const uint32_t *lines; /* of the texts; NULL: that of the setting */
	size_t count;
	bool is_list;
	const char *file; /* or who says it */
	uint32_t line;
};

/* NULL behind the last one. */
const char *omega_layer_name(enum omega_layer_rule rule);
enum omega_rule_shape omega_layer_shape(enum omega_layer_rule rule);

/* Is this number of a switch its yes? 0 is the most it can refuse. */
bool omega_layer_is_yes(enum omega_layer_rule rule, uint64_t number);

/* Is there a rule of this name? And is it one whose value is a list? */
bool omega_layer_is_known(const char *name);
bool omega_layer_is_list(const char *name);

/*
 * Take one setting on: a list adds to what is there, anything else replaces
 * it. Returns 0, or OMEGA_SANDBOX_E_CONFIG (in a file) or _E_INVALID_POLICY
 * (elsewhere), _E_MEMORY with error filled.
 */
int omega_layer_set(struct omega_layer *rules,
    const struct omega_rule_setting *setting,
    struct omega_sandbox_error *error);

/* Only see that every text of the setting is a path as lists have them.
 * Returns as omega_layer_set(). */
int omega_layer_check_paths(const struct omega_rule_setting *setting,
    struct omega_sandbox_error *error);

/*
 * Put base under rules, which extends it: lists add up, what rules says itself
 * stands. 0 or -ENOMEM.
 */
int omega_layer_extend(
    struct omega_layer *rules, const struct omega_layer *base);

/*
 * See that the rules do not contradict each other. Returns as
 * omega_layer_set().
 */
int omega_layer_check(
    const struct omega_layer *rules, struct omega_sandbox_error *error);

/* 0 or -ENOMEM; to is empty before. */
int omega_layer_copy(struct omega_layer *to, const struct omega_layer *from);
void omega_layer_clear(struct omega_layer *rules);

#endif
