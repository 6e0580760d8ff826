/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * settings.c - see settings.h.
 */

#include "config.h"

#include "conf/settings.h"

#include "base/error.h"
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

/* May a file of this rank have a section of this type? */
static int
check_section(const struct work *w, const struct omega_conf_section *section)
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
apply_section(const struct work *w, struct omega_conf_section *section)
{
	int ret = check_section(w, section);

	if (ret == 0 && section->type == OMEGA_SCAN_PLUGIN &&
	    omega_list_add(
		&w->conf->plugins, section->title, w->file, section->line) < 0)
		ret = omega_error_memory(w->error);
	return ret < 0 ? ret : omega_sections_add(w->conf, section, w->error);
}

int
omega_settings_apply(struct omega_conf *conf, const char *file,
    struct omega_scan *scan, struct omega_sandbox_error *error)
{
	const struct work w = {.conf = conf, .file = file, .error = error};
	const struct omega_conf_section *top = &scan->sections[0];
	size_t i;
	int ret = 0;

	for (i = 1; ret == 0 && i < scan->section_count; i++)
		ret = omega_faults_keep(
		    conf->faults, apply_section(&w, &scan->sections[i]), error);
	for (i = 0; ret == 0 && i < top->entry_count; i++) {
		const struct omega_setting setting =
		    omega_conf_setting(&top->entries[i], file);

		ret = omega_faults_keep(
		    conf->faults, apply_setting(&w, &setting), error);
	}
	return ret;
}
