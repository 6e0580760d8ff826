/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * symbol-macho.c - see object.h; for Mach-O.
 *
 * Looks through the table of symbols, which a library that is to be loaded
 * always has; whether a symbol is data is told by the section it is in.
 */

#include "config.h"

#include "load/object.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/macho.h"

/* More than any real file has; ends a long walk. */
#define MAX_SYMBOLS (1u << 20)
#define MAX_SECTIONS 255
#define MAX_NAME 64

/* Bits and values of a symbol's type. */
#define TYPE_DEBUG 0xe0u
#define TYPE_PRIVATE 0x10u
#define TYPE_MASK 0x0eu
#define TYPE_IN_SECTION 0x0eu
#define TYPE_EXTERNAL 0x01u

/* Of a section: it holds nothing but, or some, instructions. */
#define HOLDS_CODE (0x80000000u | 0x00000400u)

struct section {
	char names[32];
	uint64_t address;
	uint64_t size;
	uint32_t places[4];
	uint32_t flags;
	uint32_t reserved[3];
};

struct symbol {
	uint32_t name;
	uint8_t type;
	uint8_t section;
	uint16_t description;
	uint64_t value;
};

_Static_assert(sizeof(struct section) == 80, "section_64");
_Static_assert(sizeof(struct symbol) == 16, "nlist_64");

/* What the load commands say. */
struct table {
	unsigned section_count;
	bool is_code[MAX_SECTIONS + 1]; /* numbered from 1 */
	uint32_t symbols; /* where they are, and how many */
	uint32_t symbol_count;
	uint32_t strings;
	uint32_t strings_size;
};

static int
note_sections(const struct omega_macho *macho,
    const struct omega_macho_command *command, struct table *table)
{
	const uint64_t first = command->at + 72;
	struct section section;
	uint32_t count;
	uint32_t i;
	int ret;

	ret = omega_macho_read(macho, command->at + 64, &count, sizeof(count));
	if (ret < 0)
		return ret;
	if (count > MAX_SECTIONS - table->section_count ||
	    command->size < 72 + count * sizeof(section))
		return -ENOEXEC;
	for (i = 0; i < count; i++) {
		ret = omega_macho_read(macho, first + i * sizeof(section),
		    &section, sizeof(section));
		if (ret < 0)
			return ret;
		table->is_code[++table->section_count] =
		    (section.flags & HOLDS_CODE) != 0;
	}
	return 0;
}

static int
read_table(struct omega_macho *macho, struct table *table)
{
	struct omega_macho_command command;
	uint32_t words[4];
	int ret;

	while ((ret = omega_macho_next(macho, &command)) == 1) {
		if (command.kind == OMEGA_MACHO_SEGMENT_64)
			ret = note_sections(macho, &command, table);
		if (ret >= 0 && command.kind == OMEGA_MACHO_SYMTAB) {
			ret = omega_macho_read(
			    macho, command.at + 8, words, sizeof(words));
			table->symbols = words[0];
			table->symbol_count = words[1];
			table->strings = words[2];
			table->strings_size = words[3];
		}
		if (ret < 0)
			return ret;
	}
	if (ret == 0 && table->symbol_count > MAX_SYMBOLS)
		ret = -ENOEXEC;
	return ret;
}

/* Is it an exported symbol of this name? 1, 0 or a negative errno. */
static int
match(const struct omega_macho *macho, const struct table *table,
    const struct symbol *symbol, const char *name, size_t size)
{
	char text[MAX_NAME];
	int ret;

	if ((symbol->type & TYPE_DEBUG) != 0 ||
	    (symbol->type & TYPE_PRIVATE) != 0 ||
	    (symbol->type & TYPE_EXTERNAL) == 0 ||
	    (symbol->type & TYPE_MASK) != TYPE_IN_SECTION)
		return 0;
	if (symbol->name >= table->strings_size ||
	    size > table->strings_size - symbol->name)
		return 0;
	ret = omega_macho_read(
	    macho, (uint64_t)table->strings + symbol->name, text, size);
	if (ret < 0)
		return ret;
	return memcmp(text, name, size) == 0;
}

static int
find(const struct omega_macho *macho, const struct table *table,
    const char *name, size_t size)
{
	struct symbol symbols[64];
	uint32_t done = 0;
	int ret;

	while (done < table->symbol_count) {
		uint32_t count = table->symbol_count - done;
		uint32_t i;

		if (count > 64)
			count = 64;
		ret = omega_macho_read(macho,
		    (uint64_t)table->symbols + done * sizeof(symbols[0]),
		    symbols, count * sizeof(symbols[0]));
		if (ret < 0)
			return ret;
		for (i = 0; i < count; i++) {
			ret = match(macho, table, &symbols[i], name, size);
			if (ret < 0)
				return ret;
			if (ret == 0)
				continue;
			if (symbols[i].section > table->section_count)
				return -ENOEXEC;
			return table->is_code[symbols[i].section]
				   ? OMEGA_SYMBOL_NOT_DATA
				   : OMEGA_SYMBOL_FOUND;
		}
		done += count;
	}
	return OMEGA_SYMBOL_MISSING;
}

int
omega_symbol_find(int fd, const char *name)
{
	struct table table = {.section_count = 0};
	struct omega_macho macho;
	char spelled[MAX_NAME] = "_"; /* as C's names are in such files */
	size_t len = strlen(name);
	int ret;

	if (len + 2 > sizeof(spelled))
		return OMEGA_SYMBOL_MISSING;
	memcpy(spelled + 1, name, len + 1);
	ret = omega_macho_open(&macho, fd);
	if (ret == 0 && macho.type != OMEGA_MACHO_DYLIB &&
	    macho.type != OMEGA_MACHO_BUNDLE)
		ret = -ENOEXEC;
	if (ret == 0)
		ret = read_table(&macho, &table);
	if (ret == 0)
		ret = find(&macho, &table, spelled, len + 2);
	if (ret == -EBADMSG)
		return OMEGA_SYMBOL_FOREIGN;
	return ret == -ENOEXEC ? OMEGA_SYMBOL_NOT_SHARED : ret;
}
