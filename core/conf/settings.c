/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * settings.c - see settings.h. The table of options.
 */

#include "config.h"

#include "conf/settings.h"

#include <stdlib.h>
#include <string.h>

#include "conf/faults.h"
#include "conf/list.h"
#include "conf/nearest.h"
#include "conf/running.h"
#include "conf/sections.h"
#include "conf/set.h"
#include "error.h"

#define FAULT(c, line, ...) \
	omega_error_conf((c)->error, (c)->file, line, __VA_ARGS__)

enum shape { ONE, LIST, ONE_OR_LIST };

static const struct setting {
	const char *name;
	enum shape shape;
	bool is_once; /* cannot be combined: one file sets it */
	bool is_users; /* can only tighten: a user's file may have it */
	int (*set)(const struct omega_change *c);
} settings[OMEGA_CONF_COUNT] = {
    [OMEGA_CONF_ENABLED] = {"enabled", ONE, false, false, omega_set_enabled},
    [OMEGA_CONF_BACKEND] = {"backend", ONE_OR_LIST, true, false,
	omega_set_backend},
    [OMEGA_CONF_FAIL_CLOSED] = {"fail_closed", ONE, false, false,
	omega_set_fail_closed},
    [OMEGA_CONF_ACCEPT] = {"accept", LIST, false, false, omega_set_accept},
    [OMEGA_CONF_ALLOW_ROOT] = {"allow_root", ONE, false, false,
	omega_set_allow_root},
    [OMEGA_CONF_DATA_DIR] = {"data_dir", ONE, true, false, omega_set_data_dir},
    [OMEGA_CONF_CONFIG_FILE] = {"config_file", ONE, true, false,
	omega_set_config_file},
    [OMEGA_CONF_BLOCKED_PATHS] = {"blocked_paths", LIST, false, true,
	omega_set_blocked_paths},
    [OMEGA_CONF_DATA_DIR_MODE] = {"data_dir_mode", ONE, false, false,
	omega_set_data_dir_mode},
    [OMEGA_CONF_HIDE_SOCKETS] = {"hide_sockets", ONE, false, false,
	omega_set_hide_sockets},
    [OMEGA_CONF_ALLOW_SOCKETS] = {"allow_sockets", LIST, false, false,
	omega_set_allow_sockets},
    [OMEGA_CONF_ALLOW_DEVICES] = {"allow_devices", LIST, false, false,
	omega_set_allow_devices},
    [OMEGA_CONF_LOG] = {"log", ONE, true, false, omega_set_log},
    [OMEGA_CONF_FLOOR] = {"floor", ONE_OR_LIST, false, true, omega_set_floor},
    [OMEGA_CONF_WITNESS] = {"witness", ONE, false, false, omega_set_witness},
    [OMEGA_CONF_TIMEOUT] = {"timeout", ONE, false, false, omega_set_timeout},
    [OMEGA_CONF_MAX_OUTPUT] = {"max_output", ONE, false, false,
	omega_set_max_output},
    [OMEGA_CONF_MAX_EXECUTION_TIME_SECS] = {"max_execution_time_secs", ONE,
	false, false, omega_set_max_execution_time_secs},
    [OMEGA_CONF_MAX_OUTPUT_BYTES] = {"max_output_bytes", ONE, false, false,
	omega_set_max_output_bytes},
    [OMEGA_CONF_ENV_DENY] = {"env_deny", LIST, false, false,
	omega_running_env_deny},
    [OMEGA_CONF_ENV_ALLOW] = {"env_allow", LIST, true, false,
	omega_running_env_allow},
    [OMEGA_CONF_ENV_SET] = {"env_set", LIST, true, false,
	omega_running_env_set},
    [OMEGA_CONF_ALLOWED_COMMANDS] = {"allowed_commands", LIST, false, false,
	omega_running_allowed_commands},
    [OMEGA_CONF_SAFE_PATH] = {"safe_path", LIST, true, false,
	omega_running_safe_path},
    [OMEGA_CONF_CHECK_ARGUMENTS] = {"check_arguments", ONE, false, false,
	omega_running_check_arguments},
    [OMEGA_CONF_AUDIT] = {"audit", ONE_OR_LIST, true, false,
	omega_running_audit},
    [OMEGA_CONF_AUDIT_MASK] = {"audit_mask", LIST, false, false,
	omega_running_audit_mask},
    [OMEGA_CONF_AUDIT_FAILURE] = {"audit_failure", ONE, false, false,
	omega_running_audit_failure},
};

const char *
omega_settings_name(enum omega_conf_id id)
{
	return settings[id].name;
}

bool
omega_settings_has(const char *name)
{
	size_t i;

	for (i = 0; i < OMEGA_CONF_COUNT; i++)
		if (strcmp(settings[i].name, name) == 0)
			return true;
	return false;
}

static int
unknown_option(const struct omega_change *c)
{
	const char *reason = omega_nearest_reason(c->option->name);
	size_t i;

	if (reason != NULL)
		return FAULT(c, c->option->line, "%s is refused: %s",
		    c->option->name, reason);
	for (i = 0; i < OMEGA_CONF_COUNT; i++)
		if (omega_nearest(c->option->name, settings[i].name))
			return FAULT(c, c->option->line,
			    "unknown option '%s'; did you mean '%s'?",
			    c->option->name, settings[i].name);
	return FAULT(c, c->option->line,
	    "unknown option '%s'; see "
	    "sandbox.conf(5)",
	    c->option->name);
}

static int
check_shape(const struct omega_change *c, enum shape shape)
{
	if (shape == ONE && c->option->is_list)
		return FAULT(c, c->option->line,
		    "%s takes one value, not a list", c->option->name);
	if (shape == LIST && !c->option->is_list)
		return FAULT(c, c->option->line,
		    "%s takes a list: %s = { ... }", c->option->name,
		    c->option->name);
	return 0;
}

static int
apply_setting(struct omega_change *c)
{
	struct omega_conf_text *place;
	size_t i;
	int ret;

	for (i = 0; i < OMEGA_CONF_COUNT; i++)
		if (strcmp(settings[i].name, c->option->name) == 0)
			break;
	if (i == OMEGA_CONF_COUNT)
		return unknown_option(c);
	if (c->conf->rank == OMEGA_CONF_USER && !settings[i].is_users)
		return FAULT(c, c->option->line,
		    "%s is for the administrator to set; a user's file has "
		    "blocked_paths, floor, and policies and groups",
		    c->option->name);
	ret = check_shape(c, settings[i].shape);
	if (ret < 0)
		return ret;
	place = &c->conf->places[i];
	c->is_first = place->file == NULL;
	if (settings[i].is_once && !c->is_first)
		return FAULT(c, c->option->line,
		    "%s is already set at %s:%u; one file only may set it",
		    c->option->name, place->file, place->line);
	ret = settings[i].set(c);
	if (ret < 0)
		return ret;
	omega_list_clear_text(place);
	ret = omega_list_set(place, NULL, c->file, c->option->line);
	return ret < 0 ? omega_error_memory(c->error) : 0;
}

/* Kept as it is written; the plugin's own table says what it means. */
static int
apply_plugin_option(const struct omega_change *c, const char *plugin)
{
	struct omega_conf *conf = c->conf;
	struct omega_conf_option *option;
	size_t i;
	int ret = 0;

	for (i = 0; i < conf->option_count; i++) {
		option = &conf->options[i];
		if (strcmp(option->plugin, plugin) == 0 &&
		    strcmp(option->name, c->option->name) == 0)
			return FAULT(c, c->option->line,
			    "%s of plugin \"%s\" is already set at %s:%u; one "
			    "file only may set it",
			    option->name, plugin, option->file, option->line);
	}
	option =
	    omega_list_grow(conf->options, conf->option_count, sizeof(*option));
	if (option == NULL)
		return omega_error_memory(c->error);
	conf->options = option;
	option += conf->option_count++;
	option->plugin = strdup(plugin);
	option->name = strdup(c->option->name);
	option->file = strdup(c->file);
	option->line = c->option->line;
	option->is_list = c->option->is_list;
	if (option->plugin == NULL || option->name == NULL ||
	    option->file == NULL)
		return omega_error_memory(c->error);
	for (i = 0; i < c->option->count && ret == 0; i++)
		ret = omega_list_add(&option->values, c->values[i].text,
		    c->file, c->values[i].line);
	return ret < 0 ? omega_error_memory(c->error) : 0;
}

/* May a file of this rank have a section of this type? */
static int
check_section(
    const struct omega_change *c, const struct omega_scan_section *section)
{
	if (c->conf->rank == OMEGA_CONF_USER &&
	    section->type != OMEGA_SCAN_POLICY &&
	    section->type != OMEGA_SCAN_GROUP)
		return FAULT(c, section->line,
		    "%s sections are for the administrator to write; a user's "
		    "file has blocked_paths, floor, and policies and groups",
		    omega_scan_types[section->type]);
	if (c->conf->rank == OMEGA_CONF_SHIPPED &&
	    section->type == OMEGA_SCAN_PLUGIN)
		return FAULT(c, section->line,
		    "options of plugins are for the administrator to set");
	return 0;
}

static int
add_plugin(
    const struct omega_change *c, const struct omega_scan_section *section)
{
	if (omega_list_add(
		&c->conf->plugins, section->title, c->file, section->line) < 0)
		return omega_error_memory(c->error);
	return 0;
}

static int
apply_sections(struct omega_change *c, const struct omega_scan *scan)
{
	size_t i;
	int ret = 0;

	for (i = 1; ret == 0 && i < scan->section_count; i++) {
		ret = check_section(c, &scan->sections[i]);
		if (ret == 0)
			ret = scan->sections[i].type == OMEGA_SCAN_PLUGIN
				  ? add_plugin(c, &scan->sections[i])
				  : omega_sections_add(
					c->conf, c->file, scan, i, c->error);
		ret = omega_faults_keep(c->conf->faults, ret, c->error);
	}
	return ret;
}

int
omega_settings_apply(struct omega_conf *conf, const char *file,
    const struct omega_scan *scan, struct omega_sandbox_error *error)
{
	struct omega_change c = {.conf = conf, .file = file, .error = error};
	size_t i;
	int ret;

	ret = apply_sections(&c, scan);
	for (i = 0; i < scan->option_count && ret == 0; i++) {
		const struct omega_scan_section *section;

		c.option = &scan->options[i];
		c.values = c.option->count == 0
			       ? NULL
			       : &scan->values[c.option->first];
		section = &scan->sections[c.option->section];
		if (section->type == OMEGA_SCAN_PLUGIN)
			ret = apply_plugin_option(&c, section->title);
		else if (section->type == OMEGA_SCAN_TOP &&
			 conf->rank == OMEGA_CONF_SHIPPED)
			ret = FAULT(&c, c.option->line,
			    "%s is for the administrator to set",
			    c.option->name);
		else if (section->type == OMEGA_SCAN_TOP)
			ret = apply_setting(&c);
		ret = omega_faults_keep(conf->faults, ret, error);
	}
	return ret;
}
