/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * option.h - the one table of options: what each is called, how its value is
 * written, what two that set it come to, and who may set it.
 *
 * The top level of a file, the sections policy and agent, the calls of a host
 * application and a project's own file all go by it.
 * To add an option: its number here, its row in option.c, sandbox.conf(5), and
 * who acts on it.
 */

#ifndef OMEGA_CONF_OPTION_H
#define OMEGA_CONF_OPTION_H

#include <stdbool.h>
#include <stdint.h>

enum omega_option_id {
	/* At the top level of a file, in the order of sandbox.conf(5). */
	OMEGA_OPTION_ENABLED,
	OMEGA_OPTION_BACKEND,
	OMEGA_OPTION_FAIL_CLOSED,
	OMEGA_OPTION_ACCEPT,
	OMEGA_OPTION_ALLOW_ROOT,
	OMEGA_OPTION_DATA_DIR,
	OMEGA_OPTION_CONFIG_FILE,
	OMEGA_OPTION_BLOCKED_PATHS,
	OMEGA_OPTION_DATA_DIR_MODE,
	OMEGA_OPTION_HIDE_SOCKETS,
	OMEGA_OPTION_ALLOW_SOCKETS,
	OMEGA_OPTION_ALLOW_DEVICES,
	OMEGA_OPTION_LOG,
	OMEGA_OPTION_FLOOR,
	OMEGA_OPTION_WITNESS,
	OMEGA_OPTION_TIMEOUT, /* a rule as well, as some of the next are */
	OMEGA_OPTION_MAX_OUTPUT,
	OMEGA_OPTION_MAX_EXECUTION_TIME_SECS,
	OMEGA_OPTION_MAX_OUTPUT_BYTES,
	OMEGA_OPTION_ENV_DENY,
	OMEGA_OPTION_ENV_ALLOW,
	OMEGA_OPTION_ENV_SET,
	OMEGA_OPTION_ALLOWED_COMMANDS,
	OMEGA_OPTION_SAFE_PATH,
	OMEGA_OPTION_CHECK_ARGUMENTS,
	OMEGA_OPTION_AUDIT,
	OMEGA_OPTION_AUDIT_MASK,
	OMEGA_OPTION_AUDIT_FAILURE,
	OMEGA_OPTION_HOSTS_PROXY,
	OMEGA_OPTION_TOP_COUNT,
	/* The rules that policies and agents have beside the shared ones. */
	OMEGA_OPTION_READ_ALL = OMEGA_OPTION_TOP_COUNT,
	OMEGA_OPTION_READ,
	OMEGA_OPTION_WRITE,
	OMEGA_OPTION_STATE,
	OMEGA_OPTION_EXECUTE,
	OMEGA_OPTION_DENY,
	OMEGA_OPTION_DENY_READ,
	OMEGA_OPTION_DENY_WRITE,
	OMEGA_OPTION_ALLOW_READ, /* beside what the chosen policy lists */
	OMEGA_OPTION_ALLOW_WRITE,
	OMEGA_OPTION_ALLOW_EXECUTE,
	OMEGA_OPTION_GIT_METADATA,
	OMEGA_OPTION_NETWORK,
	OMEGA_OPTION_UNIX_SOCKETS,
	OMEGA_OPTION_CONNECT,
	OMEGA_OPTION_BIND,
	OMEGA_OPTION_CONNECT_UDP,
	OMEGA_OPTION_BIND_UDP,
	OMEGA_OPTION_HOSTS,
	OMEGA_OPTION_ALLOW_HOSTS, /* beside what the chosen policy has */
	OMEGA_OPTION_DENY_HOSTS,
	OMEGA_OPTION_NAMES,
	OMEGA_OPTION_FORK,
	OMEGA_OPTION_SIGNALS,
	OMEGA_OPTION_PTRACE,
	OMEGA_OPTION_NEW_PRIVILEGES,
	OMEGA_OPTION_TERMINAL_INJECTION,
	OMEGA_OPTION_SESSION,
	OMEGA_OPTION_USER_NAMESPACES,
	OMEGA_OPTION_MAX_MEMORY,
	OMEGA_OPTION_MAX_OPEN_FILES,
	OMEGA_OPTION_MAX_PROCESSES,
	OMEGA_OPTION_MAX_CPU_SECONDS,
	OMEGA_OPTION_MAX_FILE_SIZE,
	OMEGA_OPTION_COUNT
};

/* How the value is written, and what is kept of it. */
enum omega_option_shape {
	/* One value, kept as a number. */
	OMEGA_SHAPE_SWITCH, /* true, false; ptrace also deny */
	OMEGA_SHAPE_WORD, /* one of a few, by its place among them */
	OMEGA_SHAPE_BYTES, /* 512M */
	OMEGA_SHAPE_TIME, /* 30s */
	OMEGA_SHAPE_NUMBER,
	/* One value, kept as a text. */
	OMEGA_SHAPE_PROXY, /* "http://HOST:PORT", without the first part */
	OMEGA_SHAPE_PATH, /* absolute, "~" put right */
	/* One value or a list. */
	OMEGA_SHAPE_BACKENDS,
	OMEGA_SHAPE_POLICIES,
	OMEGA_SHAPE_AUDIT, /* a file, syslog; number: one file for all users */
	/* A list. */
	OMEGA_SHAPE_PATHS,
	OMEGA_SHAPE_COMMANDS, /* paths, and names as they are */
	OMEGA_SHAPE_KINDS, /* number: the set; texts: the former names in it */
	OMEGA_SHAPE_MASKS, /* patterns of arguments */
	OMEGA_SHAPE_PATTERNS, /* { HOME, "*_KEY" } */
	OMEGA_SHAPE_SETTINGS, /* { "NAME=VALUE" } */
	OMEGA_SHAPE_PLACES, /* { "/path", "{work_dir}", "@group" }; as they are:
			       policy/expand.h puts them right */
	OMEGA_SHAPE_PORTS, /* { 443, 8080 } */
	OMEGA_SHAPE_HOSTS /* { "api.example.com:443" }; see base/hosts.h */
};

/* What two that set it come to. Nobody gives back what another takes away. */
enum omega_option_merge {
	OMEGA_MERGE_ONCE, /* no answer: only one file may set it */
	OMEGA_MERGE_LEAST, /* the smaller number: false, or fewer */
	OMEGA_MERGE_MOST, /* the larger */
	OMEGA_MERGE_SUM, /* the lists add up */
	OMEGA_MERGE_COMMON /* what both lists have */
};

/* Who may set it. */
enum omega_option_by {
	OMEGA_BY_ADMIN = 1, /* the top level of a file */
	OMEGA_BY_USER = 2, /* that of a user's own as well */
	OMEGA_BY_RULE = 4, /* the sections policy and agent, and a host */
	OMEGA_BY_HOST = 8, /* a host, within what the administrator leaves */
	OMEGA_BY_GRANT = 16 /* who runs a command: it widens what he chose */
};

struct omega_option {
	const char *name;
	enum omega_option_shape shape;
	enum omega_option_merge merge;
	unsigned by; /* enum omega_option_by */
	uint64_t initial; /* the number when nobody sets it */
	const char *words[5]; /* of WORD; of SWITCH one that is less than no */
	const char *form; /* what it is, for messages; NULL: goes by shape */
	const char *unset; /* of texts: what it comes to when nobody sets it */
	const char *empty; /* of lists: why an empty one is refused */
	enum omega_option_id twin; /* the same in other words; 0: none */
};

extern const struct omega_option omega_option_table[OMEGA_OPTION_COUNT];

/* The words of network, names and git_metadata, as numbers. */
enum omega_option_network {
	OMEGA_NETWORK_ALLOW,
	OMEGA_NETWORK_UNIX_ONLY,
	OMEGA_NETWORK_DENY
};
enum omega_option_names { OMEGA_NAMES_ANY, OMEGA_NAMES_STRICT };
enum omega_option_git {
	OMEGA_GIT_ALLOW,
	OMEGA_GIT_DENY,
	OMEGA_GIT_KEEP, /* of what git obeys nothing is changed */
	OMEGA_GIT_READ /* nothing of it is changed */
};

/* The option of this name that one of these may set; OMEGA_OPTION_COUNT when
 * there is none. */
enum omega_option_id omega_option_find(const char *name, unsigned by);

/* One that could be meant by it; NULL when none is near. */
const char *omega_option_nearest(const char *name, unsigned by);

bool omega_option_is_list(enum omega_option_id id);

/* Does it come to a number that is an amount? None of them is ever 0. */
bool omega_option_is_amount(enum omega_option_id id);

/* Is this number of a switch its yes? 0 is the most it can refuse. */
bool omega_option_is_yes(enum omega_option_id id, uint64_t number);

#endif
