/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * scan.h - the shape of a configuration text: which options it sets, in which
 * section, as one value or as a list, and on which line.
 *
 * The values themselves come from libconfuse (confuse.h), what they mean is
 * for option.h and read.h.
 */

#ifndef OMEGA_CONF_SCAN_H
#define OMEGA_CONF_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <omega/sandbox.h>

#include "base/list.h"

#define OMEGA_SCAN_MAX_BYTES (1024 * 1024)
#define OMEGA_SCAN_MAX_OPTIONS 512 /* and sections, together */
#define OMEGA_SCAN_MAX_NAME 63

/* The words that begin a section: TYPE "TITLE" { ... }. */
enum omega_scan_type {
	OMEGA_SCAN_TOP, /* no section at all */
	OMEGA_SCAN_PLUGIN,
	OMEGA_SCAN_POLICY,
	OMEGA_SCAN_AGENT,
	OMEGA_SCAN_GROUP,
	OMEGA_SCAN_TIER,
	OMEGA_SCAN_TYPES
};
extern const char *const omega_scan_types[OMEGA_SCAN_TYPES];

/* An option as it was written; what it means is for others to say. */
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
	char *title; /* NULL at the top level */
	char *file;
	uint32_t line;
	struct omega_conf_entry *entries;
	size_t entry_count;
};

struct omega_scan {
	char *text; /* without its comments; lines are where they were */
	size_t len;
	/* The first is the text's top level. Values with escapes have no text
	 * before omega_confuse_fill(). */
	struct omega_conf_section *sections;
	size_t section_count;
	size_t entry_count; /* of all of them */
	bool has_escapes;
};

struct omega_faults;

/*
 * Take the text of file apart. Nothing is set twice in what comes out, names
 * are names. Returns 0, or OMEGA_SANDBOX_E_CONFIG or _E_MEMORY with error
 * filled; scan is to be given to omega_scan_clear() in either case. With
 * faults (conf/faults.h, may be NULL) what is wrong is kept there and left
 * out.
 */
int omega_scan_text(struct omega_scan *scan, const char *file, const char *text,
    size_t len, struct omega_faults *faults, struct omega_sandbox_error *error);

/*
 * May a backend, or any section, be called this? As the loader has it
 * (load/loader.h), but known here, where there is a line to name.
 */
bool omega_scan_is_backend(const char *name, size_t len);
#define OMEGA_SCAN_BACKEND "at most 31 lower-case letters, digits, '_' and '-'"

void omega_scan_clear_section(struct omega_conf_section *section);
void omega_scan_clear(struct omega_scan *scan);

#endif
