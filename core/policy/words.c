/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * words.c - see words.h.
 */

#include "config.h"

#include "policy/words.h"

#include <stdio.h>
#include <string.h>

#include <omega/sandbox-plugin.h>

const struct omega_word omega_words_data_dir_mode[] = {
    {"mask", OMEGA_SANDBOX_DATA_DIR_MASK},
    {"auto", OMEGA_SANDBOX_DATA_DIR_AUTO},
    {"shield", OMEGA_SANDBOX_DATA_DIR_SHIELD},
    {NULL, 0},
};

const struct omega_word omega_words_hide_sockets[] = {
    {"none", OMEGA_SANDBOX_HIDE_NONE},
    {"launchers", OMEGA_SANDBOX_HIDE_LAUNCHERS},
    {"own", OMEGA_SANDBOX_HIDE_OWN},
    {NULL, 0},
};

const struct omega_word *
omega_words_find(const struct omega_word *table, const char *name)
{
	for (; table->name != NULL; table++)
		if (strcmp(table->name, name) == 0)
			return table;
	return NULL;
}

/* The entry with this value, or the end of the table. */
static const struct omega_word *
entry_of(const struct omega_word *table, uint32_t value)
{
	while (table->name != NULL && table->value != value)
		table++;
	return table;
}

const char *
omega_words_name(const struct omega_word *table, uint32_t value)
{
	const char *name = entry_of(table, value)->name;

	return name != NULL ? name : "";
}

bool
omega_words_is_milder(
    const struct omega_word *table, uint32_t value, uint32_t other)
{
	return entry_of(table, value) < entry_of(table, other);
}

void
omega_words_list(const struct omega_word *table, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (; table->name != NULL && used < size; table++)
		used += (size_t)snprintf(text + used, size - used, "%s%s",
		    used == 0 ? "" : ", ", table->name);
}
