/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * config.c - what is configured, to be shown, and what is wrong with it.
 * Documentation is in omega/sandbox.h.
 */

#include "config.h"

#include <omega/sandbox.h>

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "conf/faults.h"
#include "conf/kinds.h"
#include "conf/named.h"
#include "conf/sections.h"
#include "conf/show.h"
#include "conf/value.h"
#include "load/sandbox.h"

/* ---- Options ------------------------------------------------------------- */

/* The index-th kind of a set. */
static const char *
kind_of(uint64_t set, size_t index)
{
	const struct omega_kind *kind;

	for (kind = omega_kinds; kind->name != NULL; kind++)
		if ((set & omega_kinds_bit(kind->number)) != 0 && index-- == 0)
			return kind->name;
	return NULL;
}

/* What stands where nobody has set anything; NULL: nothing. */
static const char *
default_of(const struct omega_sandbox *sandbox, enum omega_option_id id)
{
	if (id == OMEGA_OPTION_DATA_DIR)
		return sandbox->default_data_dir;
	return id == OMEGA_OPTION_BACKEND ? "auto" : NULL;
}

/* The index-th value of an option; NULL when there are fewer. */
static const char *
value_of(
    const struct omega_sandbox *sandbox, enum omega_option_id id, size_t index)
{
	const struct omega_conf *conf = sandbox->conf;
	const struct omega_conf_list *items = omega_conf_items(conf, id);

	if (omega_option_table[id].shape == OMEGA_SHAPE_KINDS)
		return kind_of(omega_conf_number(conf, id), index);
	if (omega_option_table[id].shape >= OMEGA_SHAPE_PROXY &&
	    index < items->count)
		return items->items[index].text;
	if (index > 0)
		return NULL;
	if (omega_option_table[id].shape == OMEGA_SHAPE_SWITCH)
		return omega_conf_is(conf, id) ? "true" : "false";
	if (omega_option_table[id].shape == OMEGA_SHAPE_WORD)
		return omega_conf_word(conf, id);
	if (!omega_option_is_amount(id))
		return default_of(sandbox, id);
	if (!omega_conf_is(conf, id))
		return NULL;
	return id == OMEGA_OPTION_TIMEOUT ||
		       id == OMEGA_OPTION_MAX_EXECUTION_TIME_SECS
		   ? sandbox->timeout_text
		   : sandbox->max_output_text;
}

const char *
omega_sandbox_get_option(const struct omega_sandbox *sandbox, const char *name,
    size_t index, const char **file, uint32_t *line)
{
	const struct omega_option_value *set;
	const struct omega_conf_list *items;
	enum omega_option_id id;
	bool is_item;

	if (sandbox == NULL || name == NULL)
		return NULL;
	id = omega_option_find(name, OMEGA_BY_ADMIN);
	if (id >= OMEGA_OPTION_TOP_COUNT)
		return NULL;
	set = &sandbox->conf->top.values[id];
	items = &set->items;
	is_item = omega_option_table[id].shape >= OMEGA_SHAPE_PROXY &&
		  omega_option_table[id].shape != OMEGA_SHAPE_KINDS &&
		  index < items->count;
	if (file != NULL)
		*file = is_item		    ? items->items[index].file
			: set->file == NULL ? ""
					    : set->file;
	if (line != NULL)
		*line = is_item ? items->items[index].line : set->line;
	return value_of(sandbox, id, index);
}

const char *
omega_sandbox_get_config_file(const struct omega_sandbox *sandbox, size_t index)
{
	if (sandbox == NULL || index >= sandbox->conf->files.count)
		return NULL;
	return sandbox->conf->files.items[index].text;
}

const char *
omega_sandbox_get_config_text(struct omega_sandbox *sandbox)
{
	const char *text;

	if (sandbox == NULL)
		return NULL;
	pthread_mutex_lock(&sandbox->lock);
	if (sandbox->config_text == NULL)
		sandbox->config_text = omega_show(sandbox->conf);
	text = sandbox->config_text;
	pthread_mutex_unlock(&sandbox->lock);
	return text;
}

/* ---- What has a name ----------------------------------------------------- */

/* The text of an entry, otherwise when there is none. */
static const char *
text_of(const struct omega_conf_section *section, const char *name,
    const char *otherwise)
{
	const struct omega_conf_entry *entry =
	    omega_sections_entry(section, name);

	return entry == NULL || entry->values.count == 0
		   ? otherwise
		   : entry->values.items[0].text;
}

static const struct omega_conf_section *
find(const struct omega_conf *conf, enum omega_scan_type type, size_t index)
{
	size_t i;

	for (i = 0; i < conf->section_count; i++)
		if (conf->sections[i].type == type && index-- == 0)
			return &conf->sections[i];
	return NULL;
}

static void
fill(const struct omega_conf_section *from, struct omega_sandbox_section *to)
{
	to->is_shipped = from->rank == OMEGA_CONF_SHIPPED;
	to->is_sandboxed =
	    omega_value_switch(text_of(from, "sandbox", "true")) != 0;
	to->name = from->title;
	to->description = text_of(from, "description", "");
	to->policy = from->type == OMEGA_SCAN_TIER
			 ? text_of(from, "policy", "default")
			 : text_of(from, "extends", "");
	to->file = from->file;
	to->line = from->line;
}

int
omega_sandbox_get_section(const struct omega_sandbox *sandbox,
    enum omega_sandbox_section_type type, const char *name, size_t index,
    struct omega_sandbox_section *section, struct omega_sandbox_error *error)
{
	static const enum omega_scan_type types[] = {
	    [OMEGA_SANDBOX_SECTION_POLICY] = OMEGA_SCAN_POLICY,
	    [OMEGA_SANDBOX_SECTION_AGENT] = OMEGA_SCAN_AGENT,
	    [OMEGA_SANDBOX_SECTION_GROUP] = OMEGA_SCAN_GROUP,
	    [OMEGA_SANDBOX_SECTION_TIER] = OMEGA_SCAN_TIER,
	};
	struct omega_sandbox_section full = {.is_sandboxed = 1,
	    .name = "default",
	    .description = "everything is allowed but what is always protected",
	    .policy = "",
	    .file = ""};
	const struct omega_conf_section *found;
	bool is_built_in;

	if (sandbox == NULL || section == NULL ||
	    section->size < sizeof(section->size) ||
	    type < OMEGA_SANDBOX_SECTION_POLICY ||
	    type > OMEGA_SANDBOX_SECTION_TIER)
		return omega_error_set(error, OMEGA_SANDBOX_E_ARGUMENT, EINVAL,
		    "a sandbox, a type and a place for the answer are needed");
	is_built_in = type == OMEGA_SANDBOX_SECTION_POLICY &&
		      omega_sections_find(
			  sandbox->conf, OMEGA_SCAN_POLICY, "default") == NULL;
	if (!is_built_in ||
	    (name != NULL ? strcmp(name, "default") != 0 : index != 0)) {
		found =
		    name != NULL
			? omega_sections_find(sandbox->conf, types[type], name)
			: find(sandbox->conf, types[type], index - is_built_in);
		if (found == NULL)
			return omega_named_missing(
			    sandbox->conf, types[type], name, error);
		fill(found, &full);
	}
	omega_sized_give(section, &full, sizeof(full));
	return 0;
}

/* ---- Checks -------------------------------------------------------------- */

/* Load what a list names, so that its options are looked at. */
static int
load_named(struct omega_sandbox *sandbox, const struct omega_conf_list *names,
    struct omega_sandbox_error *error)
{
	struct omega_backend *backend;
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < names->count; i++)
		if (omega_loader_is_installed(
			sandbox->plugindir, names->items[i].text))
			ret = omega_faults_keep(sandbox->conf->faults,
			    omega_sandbox_object_backend(
				sandbox, names->items[i].text, &backend, error),
			    error);
	return ret;
}

int
omega_sandbox_check_config(const char *config_file,
    omega_sandbox_fault_fn *fault, void *arg, struct omega_sandbox_error *error)
{
	struct omega_sandbox_error found = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_sources sources;
	struct omega_sandbox *sandbox = NULL;
	struct omega_faults faults = {.list = NULL};
	struct omega_log log = {.fn = NULL};
	size_t i;
	int ret;

	ret = omega_sandbox_object_sources(config_file, &sources, &found);
	sources.conf.faults = &faults;
	if (ret == 0)
		ret =
		    omega_sandbox_object_new(&sources, &log, &sandbox, &found);
	if (ret == 0)
		ret = load_named(sandbox, &sandbox->conf->plugins, &found);
	if (ret == 0)
		ret = load_named(sandbox,
		    omega_conf_items(sandbox->conf, OMEGA_OPTION_BACKEND),
		    &found);
	if (ret < 0)
		ret = omega_faults_keep(&faults, ret, &found);
	omega_faults_sort(&faults);
	for (i = 0; ret == 0 && fault != NULL && i < faults.count; i++)
		fault(arg, &faults.list[i]);
	if (ret < 0) {
		omega_error_copy(error, &found);
	} else if (faults.count > 0) {
		omega_error_copy(error, &faults.list[0]);
		ret = faults.list[0].code;
	}
	omega_faults_clear(&faults);
	omega_sandbox_unref(sandbox);
	return ret;
}

int
omega_sandbox_check_audit(
    struct omega_sandbox *sandbox, struct omega_sandbox_error *error)
{
	if (sandbox == NULL)
		return omega_error_set(
		    error, OMEGA_SANDBOX_E_ARGUMENT, EINVAL, "no sandbox");
	return omega_audit_check(&sandbox->audit, error);
}
