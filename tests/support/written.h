/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * written.h - a configuration with plugin options in it, as if it had been
 * read from a file. Nothing is freed: the texts are the test's own.
 */

#ifndef OMEGA_TEST_WRITTEN_H
#define OMEGA_TEST_WRITTEN_H

#include <stdint.h>

#include "conf/conf.h"

#define WRITTEN_MAX 8

struct written {
	struct omega_conf conf;
	struct omega_conf_section sections[WRITTEN_MAX]; /* of one each */
	struct omega_conf_entry entries[WRITTEN_MAX];
	struct omega_conf_text items[WRITTEN_MAX][WRITTEN_MAX];
};

/* plugin "PLUGIN" { NAME = VALUE } at line; a NULL value ends a list. */
static inline void
write_option(struct written *written, const char *plugin, const char *name,
    bool is_list, const char *const *values, uint32_t line)
{
	size_t index = written->conf.section_count++;
	struct omega_conf_section *section = &written->sections[index];
	struct omega_conf_entry *entry = &written->entries[index];
	size_t i;

	written->conf.sections = written->sections;
	section->type = OMEGA_SCAN_PLUGIN;
	section->title = (char *)(uintptr_t)plugin;
	section->file = (char *)(uintptr_t) "/etc/test.conf";
	section->line = line;
	section->entries = entry;
	section->entry_count = 1;
	entry->name = (char *)(uintptr_t)name;
	entry->is_list = is_list;
	entry->line = line;
	entry->values.items = written->items[index];
	for (i = 0; values[i] != NULL; i++)
		written->items[index][i] = (struct omega_conf_text){
		    .text = (char *)(uintptr_t)values[i],
		    .file = section->file,
		    .line = line + (uint32_t)i};
	entry->values.count = i;
}

static inline void
write_value(struct written *written, const char *plugin, const char *name,
    const char *value, uint32_t line)
{
	const char *values[] = {value, NULL};

	write_option(written, plugin, name, false, values, line);
}

#endif
