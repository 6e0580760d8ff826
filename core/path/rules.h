/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * rules.h - what is protected, and finding the rule that names a path.
 *
 * The built-in list, the data directory and an administrator's paths are all
 * rules of this one kind. Text only; whoever owns the texts keeps them.
 */

#ifndef OMEGA_PATH_RULES_H
#define OMEGA_PATH_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct omega_rule {
	const char *text; /* clean path; what is at or below it matches */
	size_t len;
	unsigned access; /* OMEGA_SANDBOX_READ, OMEGA_SANDBOX_WRITE */
	/* Its other names are looked for too: hard links, and mounts of the
	 * same place. mount is where it lives. */
	bool guarded;
	uint64_t mount;
	const char *shown; /* as its author wrote it */
	const char *origin; /* "built in" or a file */
	uint32_t line;
};

struct omega_lists;

struct omega_rules {
	struct omega_rule *list;
	size_t count;
	/* An index of the list for when it is long: slots hold position + 1,
	 * found by the hash of the text. NULL: the list is searched in turn. */
	uint32_t *slots;
	size_t slot_count; /* a power of two */
	size_t longest; /* text in the index */
	/* Filled by omega_rules_note, to be asked once per check. */
	bool is_odd; /* some text is odd, see text.h */
	uint64_t mount; /* the one mount all guarded rules live on, */
	bool is_scattered; /* or they live on several */
	bool has_guarded;
	/* A hint: that mount was the root directory's when asked last. */
	bool is_on_root;
	/* Lists the path must be on as well, or NULL. */
	const struct omega_lists *lists;
};

/* How a path fits a rule. */
enum omega_rules_match {
	OMEGA_RULES_NONE,
	OMEGA_RULES_FOLDED, /* but for the case of letters */
	OMEGA_RULES_EXACT,
};

/* The built-in system directories (builtin.c), write-protected. */
#define OMEGA_RULES_SYSTEM_COUNT 21
extern const struct omega_rule omega_rules_system[OMEGA_RULES_SYSTEM_COUNT];

/* Take note of the rule just appended to the list. */
void omega_rules_note(struct omega_rules *rules, const struct omega_rule *rule);

/* Put rule number i into the index, which has room for it. */
void omega_rules_index(struct omega_rules *rules, size_t i);

/*
 * The rule that the clean path is at or below, for any of the accesses. An
 * exact match wins over a folded one. *found is set unless NONE.
 */
enum omega_rules_match omega_rules_find(const struct omega_rules *rules,
    unsigned access, const char *path, size_t len,
    const struct omega_rule **found);

#endif
