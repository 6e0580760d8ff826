/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * rules.c - the rules and the search among them. See rules.h.
 *
 * A handful of rules is compared in turn. A long list has an index: the path
 * is hashed byte by byte, and at the end of every component the hash so far
 * is looked up, so the work depends on the path and not on the list.
 */

#include "config.h"

#include "path/rules.h"

#include <omega/sandbox.h>

#include "path/text.h"

#define HASH_START 2166136261u

/*
 * FNV-1a with the bit set that tells small letters from large ones, so that
 * both spellings meet in one slot. That some signs meet there too does not
 * matter: what is found is compared.
 */
static uint32_t
hash_byte(uint32_t hash, char c)
{
	return (hash ^ ((unsigned char)c | 0x20u)) * 16777619u;
}

static size_t
slot_of(const struct omega_rules *rules, uint32_t hash)
{
	return (hash ^ hash >> 15) & (rules->slot_count - 1);
}

void
omega_rules_note(struct omega_rules *rules, const struct omega_rule *rule)
{
	rules->is_odd = rules->is_odd || omega_text_is_odd(rule->text);
	if (!rule->guarded)
		return;
	if (rules->has_guarded && rules->mount != rule->mount)
		rules->is_scattered = true;
	rules->has_guarded = true;
	rules->mount = rule->mount;
}

void
omega_rules_index(struct omega_rules *rules, size_t i)
{
	const struct omega_rule *rule = &rules->list[i];
	uint32_t hash = HASH_START;
	size_t slot;
	size_t j;

	for (j = 0; rule->len > 1 && j < rule->len; j++)
		hash = hash_byte(hash, rule->text[j]);
	slot = slot_of(rules, hash);
	while (rules->slots[slot] != 0)
		slot = (slot + 1) & (rules->slot_count - 1);
	rules->slots[slot] = (uint32_t)i + 1;
	if (rule->len > rules->longest)
		rules->longest = rule->len;
}

/* Compare with one rule; true when the search is over. */
static bool
compare(const struct omega_rule *rule, unsigned access, const char *path,
    size_t len, enum omega_rules_match *match, const struct omega_rule **found)
{
	if ((rule->access & access) == 0)
		return false;
	/* Most differ in the first letter, whatever its case. */
	if (rule->len > 1 && ((path[1] ^ rule->text[1]) & ~0x20) != 0)
		return false;
	if (omega_text_is_below(path, len, rule->text, rule->len)) {
		*found = rule;
		*match = OMEGA_RULES_EXACT;
		return true;
	}
	if (*match == OMEGA_RULES_NONE &&
	    omega_text_is_below_folded(path, len, rule->text, rule->len)) {
		*found = rule;
		*match = OMEGA_RULES_FOLDED;
	}
	return false;
}

static enum omega_rules_match
find_in_turn(const struct omega_rules *rules, unsigned access, const char *path,
    size_t len, const struct omega_rule **found)
{
	enum omega_rules_match match = OMEGA_RULES_NONE;
	size_t i;

	for (i = 0; i < rules->count; i++)
		if (compare(&rules->list[i], access, path, len, &match, found))
			break;
	return match;
}

/* Compare with the rules of one slot; true when the search is over. */
static bool
compare_slot(const struct omega_rules *rules, uint32_t hash, unsigned access,
    const char *path, size_t len, enum omega_rules_match *match,
    const struct omega_rule **found)
{
	size_t slot = slot_of(rules, hash);

	for (; rules->slots[slot] != 0;
	     slot = (slot + 1) & (rules->slot_count - 1))
		if (compare(&rules->list[rules->slots[slot] - 1], access, path,
			len, match, found))
			return true;
	return false;
}

static enum omega_rules_match
find_by_hash(const struct omega_rules *rules, unsigned access, const char *path,
    size_t len, const struct omega_rule **found)
{
	enum omega_rules_match match = OMEGA_RULES_NONE;
	uint32_t hash = HASH_START;
	size_t last = len < rules->longest ? len : rules->longest;
	size_t i = 0;

	/* Offset 0 stands for the root, which every path is below. */
	while (!compare_slot(rules, hash, access, path, len, &match, found) &&
	       i < last) {
		do
			hash = hash_byte(hash, path[i++]);
		while (i < last && path[i] != '/');
		if (i < len && path[i] != '/')
			break; /* longer than any rule, inside a name */
	}
	return match;
}

enum omega_rules_match
omega_rules_find(const struct omega_rules *rules, unsigned access,
    const char *path, size_t len, const struct omega_rule **found)
{
	return rules->slots == NULL
		   ? find_in_turn(rules, access, path, len, found)
		   : find_by_hash(rules, access, path, len, found);
}
