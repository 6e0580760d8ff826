/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * conf.h - the administrator's settings, read from sandbox.conf and sandbox.d.
 *
 * The only room that knows libconfuse. What it gives out is plain data that
 * owns its texts.
 */

#ifndef OMEGA_CONF_H
#define OMEGA_CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <omega/sandbox.h>

#include "policy/kinds.h"

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

struct omega_conf {
	struct omega_conf_list files; /* those that were read, in order */
	bool is_trusted_by_root; /* every file and its way is root's alone;
				    true when no file was read */
	bool is_enabled; /* enabled = true */
	bool is_fail_closed; /* fail_closed = true */
	bool is_root_allowed; /* allow_root = true */
	bool is_syslog; /* log = "syslog" */
	omega_kind_set accept;
	struct omega_conf_list backends; /* empty: not set, which is auto */
	struct omega_conf_text data_dir; /* absolute, ~ expanded */
	struct omega_conf_text config_file; /* absolute, ~ expanded */
	struct omega_conf_list blocked_paths; /* absolute, ~ expanded */
	struct omega_conf_option *options;
	size_t option_count;
};

/* Where to read from. */
struct omega_conf_paths {
	const char *file; /* .../omega/sandbox.conf */
	const char *dropin; /* .../omega/sandbox.d, or NULL */
	bool is_explicit; /* file must exist; no drop-ins */
};

/* The installed places. */
extern const struct omega_conf_paths omega_conf_installed;

/*
 * Read them. A missing file gives defaults unless it is explicit. On success
 * *conf is the caller's. Returns 0 or OMEGA_SANDBOX_E_CONFIG, _E_TRUST,
 * _E_SYSTEM, _E_MEMORY with error filled.
 */
int omega_conf_load(const struct omega_conf_paths *paths,
    struct omega_conf **conf, struct omega_sandbox_error *error);

/*
 * Parse text as if it were the file called name, on top of conf, for tests
 * and fuzzing. Not trusted, not opened.
 */
int omega_conf_parse(struct omega_conf *conf, const char *name,
    const char *text, size_t len, struct omega_sandbox_error *error);

/* Defaults only. NULL when out of memory. */
struct omega_conf *omega_conf_new(void);

void omega_conf_free(struct omega_conf *conf);

#endif
