/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * settings.c - see settings.h.
 */

#include "config.h"

#include "conf/settings.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/list.h"
#include "conf/faults.h"
#include "conf/sections.h"

/* One file on its way into the configuration. */
struct work {
	struct omega_conf *conf;
	const char *file;
	struct omega_sandbox_error *error;
};

#define FAULT(w, line, ...) \
	omega_error_conf((w)->error, (w)->file, line, __VA_ARGS__)

static int
apply_setting(const struct work *w, const struct omega_setting *setting)
{
	enum omega_option_id id =
	    omega_option_find(setting->name, OMEGA_BY_ADMIN);

	if (w->conf->rank == OMEGA_CONF_SHIPPED)
		return FAULT(w, setting->line,
		    "%s is for the administrator to set", setting->name);
	if (w->conf->rank == OMEGA_CONF_USER && id != OMEGA_OPTION_COUNT &&
	    (omega_option_table[id].by & OMEGA_BY_USER) == 0)
		return FAULT(w, setting->line,
		    "%s is for the administrator to set; a user's file has "
		    "blocked_paths, floor, and policies and groups",
		    setting->name);
	return omega_layer_merge(&w->conf->top, setting, w->error);
}

/* Kept as it is written; the plugin's own table says what it means. */
static int
apply_plugin_option(const struct work *w, const struct omega_setting *setting,
    const char *plugin)
{
	struct omega_conf *conf = w->conf;
	struct omega_conf_option *option;
	size_t i;
	int ret = 0;

	for (i = 0; i < conf->option_count; i++) {
		option = &conf->options[i];
		if (strcmp(option->plugin, plugin) == 0 &&
		    strcmp(option->name, setting->name) == 0)
			return FAULT(w, setting->line,
			    "%s of plugin \"%s\" is already set at %s:%u; one "
			    "file only may set it",
			    option->name, plugin, option->file, option->line);
	}
	option =
	    omega_list_grow(conf->options, conf->option_count, sizeof(*option));
	if (option == NULL)
		return omega_error_memory(w->error);
	conf->options = option;
	option += conf->option_count++;
	option->plugin = strdup(plugin);
	option->name = strdup(setting->name);
	option->file = strdup(w->file);
	option->line = setting->line;
	option->is_list = setting->is_list;
	if (option->plugin == NULL || option->name == NULL ||
	    option->file == NULL)
		return omega_error_memory(w->error);
	for (i = 0; i < setting->count && ret == 0; i++)
		ret = omega_list_add(&option->values, setting->values[i].text,
		    w->file, setting->values[i].line);
	return ret < 0 ? omega_error_memory(w->error) : 0;
}

/* May a file of this rank have a section of this type? */
static int
check_section(const struct work *w, const struct omega_scan_section *section)
{
	if (w->conf->rank == OMEGA_CONF_USER &&
	    section->type != OMEGA_SCAN_POLICY &&
	    section->type != OMEGA_SCAN_GROUP)
		return FAULT(w, section->line,
		    "%s sections are for the administrator to write; a user's "
		    "file has blocked_paths, floor, and policies and groups",
		    omega_scan_types[section->type]);
	if (w->conf->rank == OMEGA_CONF_SHIPPED &&
	    section->type == OMEGA_SCAN_PLUGIN)
		return FAULT(w, section->line,
		    "options of plugins are for the administrator to set");
	return 0;
}

static int
add_plugin(const struct work *w, const struct omega_scan_section *section)
{
	if (omega_list_add(
		&w->conf->plugins, section->title, w->file, section->line) < 0)
		return omega_error_memory(w->error);
	return 0;
}

static int
apply_sections(const struct work *w, const struct omega_scan *scan)
{
	size_t i;
	int ret = 0;

	for (i = 1; ret == 0 && i < scan->section_count; i++) {
		ret = check_section(w, &scan->sections[i]);
		if (ret == 0)
			ret = scan->sections[i].type == OMEGA_SCAN_PLUGIN
				  ? add_plugin(w, &scan->sections[i])
				  : omega_sections_add(
					w->conf, w->file, scan, i, w->error);
		ret = omega_faults_keep(w->conf->faults, ret, w->error);
	}
	return ret;
}

int
omega_settings_apply(struct omega_conf *conf, const char *file,
    const struct omega_scan *scan, struct omega_sandbox_error *error)
{
	const struct work w = {.conf = conf, .file = file, .error = error};
	size_t i;
	int ret;

	ret = apply_sections(&w, scan);
	for (i = 0; i < scan->option_count && ret == 0; i++) {
		const struct omega_scan_option *option = &scan->options[i];
		const struct omega_scan_section *section =
		    &scan->sections[option->section];
		const struct omega_setting setting = {.name = option->name,
		    .values = option->count == 0 ? NULL
						 : &scan->values[option->first],
		    .count = option->count,
		    .is_list = option->is_list,
		    .file = file,
		    .line = option->line};

		if (section->type == OMEGA_SCAN_PLUGIN)
			ret = apply_plugin_option(&w, &setting, section->title);
		else if (section->type == OMEGA_SCAN_TOP)
			ret = apply_setting(&w, &setting);
		ret = omega_faults_keep(conf->faults, ret, error);
	}
	return ret;
}
