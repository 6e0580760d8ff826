/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * words.h - options whose values are words of which one is stricter than the
 * other.
 */

#ifndef OMEGA_POLICY_WORDS_H
#define OMEGA_POLICY_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct omega_word {
	const char *name; /* NULL ends a table */
	uint32_t value; /* as plugins know it */
};

/* From the mildest to the strictest. */
extern const struct omega_word omega_words_data_dir_mode[];
extern const struct omega_word omega_words_hide_sockets[];

/* By name, or NULL. */
const struct omega_word *omega_words_find(
    const struct omega_word *table, const char *name);

/* The name of a value, which is one of the table's. */
const char *omega_words_name(const struct omega_word *table, uint32_t value);

/* Is value a milder one than other? */
bool omega_words_is_milder(
    const struct omega_word *table, uint32_t value, uint32_t other);

/* "mask, auto, shield", for messages. */
void omega_words_list(const struct omega_word *table, char *text, size_t size);

#endif
