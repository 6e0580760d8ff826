/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * conf.h - the administrator's settings, read from sandbox.conf and sandbox.d.
 *
 * The only room that knows libconfuse. What it gives out is plain data that
 * owns its texts. A text goes through four hands: token.c and scan.c find its
 * shape and refuse everything libconfuse would let pass, confuse.c has
 * libconfuse read the values, settings.c and set.c give them their meaning
 * and combine the files. load.c finds the files.
 */

#ifndef OMEGA_CONF_H
#define OMEGA_CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <omega/sandbox.h>

#include "conf/scan.h"
#include "conf/kinds.h"

/* A text and where it was written. */
struct omega_conf_text {
	char *text; /* NULL: not set */
	char *file;
	uint32_t line;
};

struct omega_conf_list {
	struct omega_conf_text *items;
	size_t count;
};

/* One option of a plugin "NAME" { ... } section, as it was written. What it
 * means is for the plugin's own table to say (load/options.h). */
struct omega_conf_option {
	char *plugin;
	char *name;
	bool is_list; /* written as { ... } */
	struct omega_conf_list values; /* one of them unless a list */
	char *file;
	uint32_t line;
};

/* What stands in a section of another type, as it was written. What it means
 * is for policy/named.h to say. */
struct omega_conf_entry {
	char *name;
	bool is_list; /* written as { ... } */
	struct omega_conf_list values; /* one of them unless a list */
	uint32_t line;
};

/* Whose word a file is. */
enum omega_conf_rank {
	OMEGA_CONF_SHIPPED, /* with the product: sections only */
	OMEGA_CONF_ADMIN,
	OMEGA_CONF_USER /* may only tighten */
};

struct omega_conf_section {
	enum omega_scan_type type;
	enum omega_conf_rank rank;
	char *title;
	char *file;
	uint32_t line;
	struct omega_conf_entry *entries;
	size_t entry_count;
};

/* The options themselves, in the order of sandbox.conf(5). */
enum omega_conf_id {
	OMEGA_CONF_ENABLED,
	OMEGA_CONF_BACKEND,
	OMEGA_CONF_FAIL_CLOSED,
	OMEGA_CONF_ACCEPT,
	OMEGA_CONF_ALLOW_ROOT,
	OMEGA_CONF_DATA_DIR,
	OMEGA_CONF_CONFIG_FILE,
	OMEGA_CONF_BLOCKED_PATHS,
	OMEGA_CONF_DATA_DIR_MODE,
	OMEGA_CONF_HIDE_SOCKETS,
	OMEGA_CONF_ALLOW_SOCKETS,
	OMEGA_CONF_ALLOW_DEVICES,
	OMEGA_CONF_LOG,
	OMEGA_CONF_FLOOR,
	OMEGA_CONF_WITNESS,
	OMEGA_CONF_TIMEOUT,
	OMEGA_CONF_MAX_OUTPUT,
	OMEGA_CONF_MAX_EXECUTION_TIME_SECS, /* other names of the two above */
	OMEGA_CONF_MAX_OUTPUT_BYTES,
	OMEGA_CONF_ENV_DENY,
	OMEGA_CONF_ENV_ALLOW,
	OMEGA_CONF_ENV_SET,
	OMEGA_CONF_ALLOWED_COMMANDS,
	OMEGA_CONF_SAFE_PATH,
	OMEGA_CONF_CHECK_ARGUMENTS,
	OMEGA_CONF_AUDIT,
	OMEGA_CONF_AUDIT_MASK,
	OMEGA_CONF_AUDIT_FAILURE,
	OMEGA_CONF_COUNT
};

struct omega_conf {
	struct omega_conf_list files; /* those that were read, in order, but
					 for the product's own */
	struct omega_conf_list changeable; /* of the places looked at, present
					      or not, those that somebody
					      with our rights could change or
					      fill: what a child must not be
					      able to write */
	struct omega_conf_list warnings; /* about what was mended */
	char *users_dir; /* of the user's file, if it is to be made */
	bool is_enabled; /* enabled = true */
	bool is_fail_closed; /* fail_closed = true */
	bool is_root_allowed; /* allow_root = true */
	bool is_witnessed; /* witness = on */
	bool is_syslog; /* log = "syslog" */
	omega_kind_set accept;
	struct omega_conf_list old_kinds; /* in accept, by former names */
	struct omega_conf_list backends; /* empty: not set, which is auto;
					    "" has become auto, the other words
					    are as written */
	struct omega_conf_text data_dir; /* absolute, ~ expanded */
	struct omega_conf_text config_file; /* absolute, ~ expanded */
	struct omega_conf_list blocked_paths; /* absolute, ~ expanded */
	uint32_t data_dir_mode; /* enum omega_sandbox_data_dir_mode */
	uint32_t hide_sockets; /* enum omega_sandbox_hide_sockets */
	struct omega_conf_list allow_sockets; /* absolute, ~ expanded */
	struct omega_conf_list allow_devices; /* absolute, ~ expanded */
	uint64_t timeout; /* seconds that a run may take; 0: not set */
	uint64_t max_output; /* bytes of its output; 0: not set */
	struct omega_conf_list env_deny; /* patterns of variables */
	struct omega_conf_list env_allow;
	struct omega_conf_list env_set; /* NAME=VALUE */
	/* Of every file that has some one must fit; none: all commands. */
	struct omega_conf_list allowed_commands;
	struct omega_conf_list safe_path; /* empty: the built-in one */
	bool has_unchecked_arguments; /* check_arguments = false */
	struct omega_conf_text audit_file; /* absolute, ~ and {uid} expanded */
	bool is_audit_common; /* it is the same file for every user */
	bool is_audit_syslog; /* audit = { ..., syslog } */
	bool is_audit_optional; /* audit_failure = warn */
	struct omega_conf_list audit_mask; /* patterns of arguments */
	struct omega_conf_list floors; /* policies that hold for all commands */
	struct omega_conf_list plugins; /* that have a section */
	struct omega_conf_option *options;
	size_t option_count;
	struct omega_conf_section *sections; /* all but plugin's */
	size_t section_count;
	enum omega_conf_rank rank; /* of the file that is being read */
	struct omega_faults *faults; /* where faults are kept (faults.h); NULL:
					the first ends everything */
	struct omega_conf_text places[OMEGA_CONF_COUNT]; /* where each option
		was set, by the last file that did; no file: nowhere */
};

/* Where to read from. */
struct omega_conf_paths {
	const char *file; /* .../omega/sandbox.conf */
	const char *dropin; /* .../omega/sandbox.d, or NULL */
	bool is_explicit; /* file must exist; no drop-ins, no user's file */
	const char *shipped; /* directory of the product's own, or NULL */
	const char *user; /* below the user's home, or NULL */
	struct omega_faults *faults; /* as in struct omega_conf */
};

/* The installed places. */
extern const struct omega_conf_paths omega_conf_installed;

/*
 * Read every *.conf of shipped, file, every *.conf of dropin, each in the
 * order of their names, and user; other names there, and those that begin
 * with ".", are ignored. Later files only
 * tighten (settings.h). A missing file or directory gives defaults unless it
 * is explicit; a symbolic link that leads nowhere is not "missing". A
 * relative explicit file is taken from the working directory. With faults,
 * every file is read whatever the others are like. On success *conf is the
 * caller's. Returns 0 or OMEGA_SANDBOX_E_CONFIG, _E_TRUST,
 * _E_SYSTEM, _E_MEMORY with error filled. Thread-safe.
 */
int omega_conf_load(const struct omega_conf_paths *paths,
    struct omega_conf **conf, struct omega_sandbox_error *error);

/*
 * Make the directory of the user's file where it is missing, so that it can be
 * kept from being filled. It stays.
 */
void omega_conf_make_users_dir(const struct omega_conf *conf);

/*
 * Parse text as if it were the file called name, of the rank that conf has,
 * on top of conf. What stands in sections is not understood before
 * omega_named_check() (policy/named.h). After a
 * failure conf is good for nothing but to be freed. Thread-safe for different
 * conf.
 */
int omega_conf_parse(struct omega_conf *conf, const char *name,
    const char *text, size_t len, struct omega_sandbox_error *error);

/* Defaults only. NULL when out of memory. */
struct omega_conf *omega_conf_new(void);

void omega_conf_free(struct omega_conf *conf);

#endif
