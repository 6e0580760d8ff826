/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * sections.c - see sections.h.
 */

#include "config.h"

#include "conf/sections.h"

#include <string.h>

#include "base/error.h"
#include "base/list.h"
#include "conf/faults.h"

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

/* Is there one of this name? Then it is shipped, and an administrator replaces
 * it: *room is where it was. */
static int
find_taken(struct omega_conf *conf, const struct omega_conf_section *named,
    struct omega_conf_section **room, struct omega_sandbox_error *error)
{
	*room = find(conf, named->type, named->title);
	if (*room == NULL)
		return 0;
	if ((*room)->rank != OMEGA_CONF_SHIPPED ||
	    conf->rank != OMEGA_CONF_ADMIN)
		return omega_error_conf(error, named->file, named->line,
		    "%s \"%s\" is already there (%s:%u); give yours another "
		    "name",
		    omega_scan_types[named->type], named->title, (*room)->file,
		    (*room)->line);
	omega_scan_clear_section(*room);
	return 0;
}

/* Has another file set one of these options of the plugin? */
static int
check_plugin(const struct omega_conf *conf,
    const struct omega_conf_section *section, struct omega_sandbox_error *error)
{
	size_t i;
	size_t j;
	int ret = 0;

	for (i = 0; i < conf->section_count; i++) {
		const struct omega_conf_section *other = &conf->sections[i];

		if (other->type != OMEGA_SCAN_PLUGIN ||
		    strcmp(other->title, section->title) != 0)
			continue;
		for (j = 0; ret == 0 && j < section->entry_count; j++) {
			const struct omega_conf_entry *entry =
			    &section->entries[j];
			const struct omega_conf_entry *before =
			    omega_sections_entry(other, entry->name);

			if (before != NULL)
				ret = omega_faults_keep(conf->faults,
				    omega_error_conf(error, section->file,
					entry->line,
					"%s of plugin \"%s\" is already set at "
					"%s:%u; one file only may set it",
					entry->name, section->title,
					other->file, before->line),
				    error);
		}
	}
	return ret;
}

int
omega_sections_add(struct omega_conf *conf, struct omega_conf_section *section,
    struct omega_sandbox_error *error)
{
	struct omega_conf_section *room = NULL;
	int ret = section->type == OMEGA_SCAN_PLUGIN
		      ? check_plugin(conf, section, error)
		      : find_taken(conf, section, &room, error);

	if (ret == 0 && room == NULL) {
		room = omega_list_grow(
		    conf->sections, conf->section_count, sizeof(*room));
		if (room == NULL)
			return omega_error_memory(error);
		conf->sections = room;
		room += conf->section_count++;
	}
	if (ret < 0)
		return ret;
	*room = *section;
	room->rank = conf->rank;
	memset(section, 0, sizeof(*section));
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
