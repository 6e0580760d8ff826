/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * sections.c - see sections.h.
 */

#include "config.h"

#include "conf/sections.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/list.h"

static void
clear_section(struct omega_conf_section *section)
{
	size_t i;

	for (i = 0; i < section->entry_count; i++) {
		free(section->entries[i].name);
		omega_list_clear(&section->entries[i].values);
	}
	free(section->entries);
	free(section->title);
	free(section->file);
	memset(section, 0, sizeof(*section));
}

static int
add_entry(struct omega_conf_section *section, const char *file,
    const struct omega_scan *scan, const struct omega_scan_option *option)
{
	struct omega_conf_entry *entry;
	size_t i;
	int ret = 0;

	entry = omega_list_grow(
	    section->entries, section->entry_count, sizeof(*entry));
	if (entry == NULL)
		return -ENOMEM;
	section->entries = entry;
	entry += section->entry_count++;
	entry->line = option->line;
	entry->is_list = option->is_list;
	entry->name = strdup(option->name);
	if (entry->name == NULL)
		return -ENOMEM;
	for (i = 0; ret == 0 && i < option->count; i++) {
		const struct omega_conf_text *value =
		    &scan->values[option->first + i];

		ret = omega_list_add(
		    &entry->values, value->text, file, value->line);
	}
	return ret;
}

static int
fill_section(struct omega_conf_section *section, enum omega_conf_rank rank,
    const char *file, const struct omega_scan *scan, size_t index)
{
	size_t i;
	int ret = 0;

	section->type = scan->sections[index].type;
	section->rank = rank;
	section->line = scan->sections[index].line;
	section->title = strdup(scan->sections[index].title);
	section->file = strdup(file);
	if (section->title == NULL || section->file == NULL)
		return -ENOMEM;
	for (i = 0; ret == 0 && i < scan->option_count; i++)
		if (scan->options[i].section == index)
			ret = add_entry(section, file, scan, &scan->options[i]);
	return ret;
}

static struct omega_conf_section *
find(
    const struct omega_conf *conf, enum omega_scan_type type, const char *title)
{
	size_t i;

	for (i = 0; i < conf->section_count; i++)
		if (conf->sections[i].type == type &&
		    strcmp(conf->sections[i].title, title) == 0)
			return &conf->sections[i];
	return NULL;
}

/* The place for a section of this name: a new one, or a shipped one that an
 * administrator replaces. */
static int
find_room(struct omega_conf *conf, const char *file,
    const struct omega_scan_section *named, struct omega_conf_section **room,
    struct omega_sandbox_error *error)
{
	struct omega_conf_section *list;

	*room = find(conf, named->type, named->title);
	if (*room != NULL && (*room)->rank == OMEGA_CONF_SHIPPED &&
	    conf->rank == OMEGA_CONF_ADMIN) {
		clear_section(*room);
		return 0;
	}
	if (*room != NULL)
		return omega_error_conf(error, file, named->line,
		    "%s \"%s\" is already there (%s:%u); give yours another "
		    "name",
		    omega_scan_types[named->type], named->title, (*room)->file,
		    (*room)->line);
	list =
	    omega_list_grow(conf->sections, conf->section_count, sizeof(*list));
	if (list == NULL)
		return omega_error_memory(error);
	conf->sections = list;
	*room = &list[conf->section_count++];
	return 0;
}

int
omega_sections_add(struct omega_conf *conf, const char *file,
    const struct omega_scan *scan, size_t index,
    struct omega_sandbox_error *error)
{
	struct omega_conf_section *room;
	int ret;

	ret = find_room(conf, file, &scan->sections[index], &room, error);
	if (ret < 0)
		return ret;
	if (fill_section(room, conf->rank, file, scan, index) < 0)
		return omega_error_memory(error);
	return 0;
}

const struct omega_conf_section *
omega_sections_find(
    const struct omega_conf *conf, enum omega_scan_type type, const char *title)
{
	return find(conf, type, title);
}

const struct omega_conf_entry *
omega_sections_entry(const struct omega_conf_section *section, const char *name)
{
	size_t i;

	for (i = 0; i < section->entry_count; i++)
		if (strcmp(section->entries[i].name, name) == 0)
			return &section->entries[i];
	return NULL;
}

void
omega_sections_clear(struct omega_conf *conf)
{
	while (conf->section_count > 0)
		clear_section(&conf->sections[--conf->section_count]);
	free(conf->sections);
	conf->sections = NULL;
}
