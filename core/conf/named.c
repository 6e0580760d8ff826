/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * named.c - see named.h.
 */

#include "config.h"

#include "conf/named.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/nearest.h"
#include "conf/faults.h"
#include "conf/sections.h"
#include "conf/value.h"

/* The entries a section may have beside rules. */
static const char *const own_entries[OMEGA_SCAN_TYPES][4] = {
    [OMEGA_SCAN_POLICY] = {"extends", "description", NULL},
    [OMEGA_SCAN_AGENT] = {"extends", "description", "pass", NULL},
    [OMEGA_SCAN_GROUP] = {"description", "paths", NULL},
    [OMEGA_SCAN_TIER] = {"policy", "sandbox", "description", NULL},
};

static bool
has_rules(enum omega_scan_type type)
{
	return type == OMEGA_SCAN_POLICY || type == OMEGA_SCAN_AGENT;
}

static bool
is_own(enum omega_scan_type type, const char *name)
{
	size_t i;

	for (i = 0; own_entries[type][i] != NULL; i++)
		if (strcmp(own_entries[type][i], name) == 0)
			return true;
	return false;
}

static int
fault(struct omega_sandbox_error *error,
    const struct omega_conf_section *section,
    const struct omega_conf_entry *entry, const char *text)
{
	return omega_error_conf(error, section->file, entry->line,
	    "%s of %s \"%s\": %s", entry->name, omega_scan_types[section->type],
	    section->title, text);
}

/* The one text of an entry; NULL when the section does not have it. */
static const char *
text_of(const struct omega_conf_section *section, const char *name)
{
	const struct omega_conf_entry *entry =
	    omega_sections_entry(section, name);

	return entry == NULL || entry->values.count == 0
		   ? NULL
		   : entry->values.items[0].text;
}

/* ---- Rules ----------------------------------------------------------------
 */

/* Take one entry into rules; of a group, only see that it has paths. */
static int
set_rule(const struct omega_conf_section *section,
    const struct omega_conf_entry *entry, struct omega_layer *rules,
    struct omega_sandbox_error *error)
{
	const struct omega_setting setting =
	    omega_conf_setting(entry, section->file);

	return section->type == OMEGA_SCAN_GROUP
		   ? omega_read_places(&setting, error)
		   : omega_layer_set(rules, &setting, error);
}

/* The variables an agent's own program needs: env_allow by another name. */
static int
pass_names(const struct omega_conf_section *section,
    const struct omega_conf_entry *entry, struct omega_layer *rules,
    struct omega_sandbox_error *error)
{
	char allow[] = "env_allow";
	struct omega_conf_entry given = *entry;

	given.name = allow;
	return set_rule(section, &given, rules, error);
}

/* The rules of one section, without what it extends. */
static int
own_rules(const struct omega_conf *conf,
    const struct omega_conf_section *section, struct omega_layer *rules,
    struct omega_sandbox_error *error)
{
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < section->entry_count; i++) {
		const struct omega_conf_entry *entry = &section->entries[i];

		if (section->type == OMEGA_SCAN_AGENT &&
		    strcmp(entry->name, "pass") == 0)
			ret = pass_names(section, entry, rules, error);
		else if (!is_own(section->type, entry->name))
			ret = set_rule(section, entry, rules, error);
		ret = omega_faults_keep(conf->faults, ret, error);
	}
	return ret;
}

/* One that could be meant by name; NULL: none. */
static const char *
find_meant(
    const struct omega_conf *conf, enum omega_scan_type type, const char *name)
{
	size_t i;

	if (name[0] == '@')
		name++;
	for (i = 0; i < conf->section_count; i++)
		if (conf->sections[i].type == type &&
		    omega_nearest(name, conf->sections[i].title))
			return conf->sections[i].title;
	return NULL;
}

/* "there is no policy 'x'; known: ...", to be freed; NULL: no memory. */
static char *
missing(
    const struct omega_conf *conf, enum omega_scan_type type, const char *name)
{
	struct omega_buffer text = {.text = NULL};
	const char *before = "; known: ";
	const char *meant = find_meant(conf, type, name);
	size_t i;

	omega_buffer_print(
	    &text, "there is no %s '%.64s'", omega_scan_types[type], name);
	if (meant != NULL) {
		omega_buffer_print(&text, "; did you mean '%s'?", meant);
		return omega_buffer_take(&text);
	}
	if (type == OMEGA_SCAN_POLICY &&
	    omega_sections_find(conf, type, "default") == NULL) {
		omega_buffer_print(&text, "%sdefault", before);
		before = ", ";
	}
	for (i = 0; i < conf->section_count; i++)
		if (conf->sections[i].type == type) {
			omega_buffer_print(
			    &text, "%s%s", before, conf->sections[i].title);
			before = ", ";
		}
	if (before[0] == ';')
		omega_buffer_add(&text, "; none is known");
	return omega_buffer_take(&text);
}

static int
no_such(const struct omega_conf *conf, enum omega_scan_type type,
    const char *name, struct omega_sandbox_error *error)
{
	char *text = missing(conf, type, name);
	int ret = text == NULL
		      ? omega_error_memory(error)
		      : omega_error_set(error, OMEGA_SANDBOX_E_INVALID_POLICY,
			    0, "%s", text);

	free(text);
	return ret;
}

int
omega_named_missing(const struct omega_conf *conf, enum omega_scan_type type,
    const char *name, struct omega_sandbox_error *error)
{
	if (name == NULL)
		return omega_error_set(error, OMEGA_SANDBOX_E_NOT_FOUND, 0,
		    "there are not so many");
	no_such(conf, type, name, error);
	if (error != NULL)
		error->code = OMEGA_SANDBOX_E_NOT_FOUND;
	return OMEGA_SANDBOX_E_NOT_FOUND;
}

/* The same of a file and line; what is written there comes first. */
static int
no_such_at(const struct omega_conf *conf, enum omega_scan_type type,
    const struct omega_conf_text *at, const char *what,
    struct omega_sandbox_error *error)
{
	char *text = missing(conf, type, at->text);
	int ret = text == NULL ? omega_error_memory(error)
			       : omega_error_conf(error, at->file, at->line,
				     "%s%s", what, text);

	free(text);
	return ret;
}

/* The same of a section's entry that names a policy. */
static int
no_policy(const struct omega_conf *conf,
    const struct omega_conf_section *section,
    const struct omega_conf_entry *entry, const char *name,
    struct omega_sandbox_error *error)
{
	char *text = missing(conf, OMEGA_SCAN_POLICY, name);
	int ret = text == NULL ? omega_error_memory(error)
			       : fault(error, section, entry, text);

	free(text);
	return ret;
}

/* What section extends: NULL and 0 when nothing. */
static int
find_base(const struct omega_conf *conf,
    const struct omega_conf_section *section,
    const struct omega_conf_section **base, struct omega_sandbox_error *error)
{
	const struct omega_conf_entry *entry =
	    omega_sections_entry(section, "extends");
	const char *name = text_of(section, "extends");

	*base = NULL;
	if (entry == NULL)
		return 0;
	if (entry->is_list)
		return fault(error, section, entry, "takes one name");
	*base = omega_sections_find(conf, OMEGA_SCAN_POLICY, name);
	if (*base == NULL && section->type == OMEGA_SCAN_AGENT)
		*base = omega_sections_find(conf, OMEGA_SCAN_AGENT, name);
	if (*base != NULL || strcmp(name, "default") == 0)
		return 0;
	return no_policy(conf, section, entry, name, error);
}

static int
rules_of(const struct omega_conf *conf,
    const struct omega_conf_section *section, struct omega_layer *rules,
    struct omega_sandbox_error *error)
{
	const struct omega_conf_section *at = section;
	const struct omega_conf_section *base = NULL;
	int depth = 0;
	int ret;

	ret = own_rules(conf, section, rules, error);
	while (ret == 0) {
		struct omega_layer under;

		ret = find_base(conf, at, &base, error);
		if (ret < 0 || base == NULL)
			break;
		if (base == section || ++depth == OMEGA_NAMED_MAX_DEPTH) {
			ret = fault(error, at,
			    omega_sections_entry(at, "extends"),
			    base == section ? "the policies extend each other "
					      "in a circle"
					    : "the policies extend each other "
					      "too deeply, or in a circle");
			break;
		}
		memset(&under, 0, sizeof(under));
		ret = own_rules(conf, base, &under, error);
		if (ret == 0 && omega_layer_extend(rules, &under) < 0)
			ret = omega_error_memory(error);
		omega_layer_clear(&under);
		at = base;
	}
	ret = omega_faults_keep(conf->faults, ret, error);
	return ret < 0 ? ret
		       : omega_faults_keep(conf->faults,
			     omega_layer_check(rules, error), error);
}

int
omega_named_rules(const struct omega_conf *conf, enum omega_scan_type type,
    const char *name, struct omega_layer *rules,
    struct omega_sandbox_error *error)
{
	const struct omega_conf_section *section =
	    omega_sections_find(conf, type, name);

	if (asprintf(&rules->name, "%s %s", omega_scan_types[type], name) < 0) {
		rules->name = NULL;
		return omega_error_memory(error);
	}
	if (section != NULL)
		return rules_of(conf, section, rules, error);
	if (type == OMEGA_SCAN_POLICY && strcmp(name, "default") == 0)
		return 0;
	return no_such(conf, type, name, error);
}

/* A user's rules may not take away what holds without any. */
static int
check_tightens(const struct omega_conf_section *section,
    const struct omega_layer *rules, struct omega_sandbox_error *error)
{
	static const enum omega_option_id loosening[] = {OMEGA_OPTION_SIGNALS,
	    OMEGA_OPTION_PTRACE, OMEGA_OPTION_NEW_PRIVILEGES,
	    OMEGA_OPTION_TERMINAL_INJECTION};
	const struct omega_option_value *session =
	    &rules->values[OMEGA_OPTION_SESSION];
	size_t i;

	if (section->rank != OMEGA_CONF_USER)
		return 0;
	if (session->is_set && session->number == OMEGA_SANDBOX_SESSION_KEEP)
		return omega_error_conf(error, session->file, session->line,
		    "session = keep gives more than there is without it, which "
		    "only an administrator's file may do");
	for (i = 0; i < sizeof(loosening) / sizeof(loosening[0]); i++) {
		const struct omega_option_value *value =
		    &rules->values[loosening[i]];

		if (value->is_set &&
		    omega_option_is_yes(loosening[i], value->number))
			return omega_error_conf(error, value->file, value->line,
			    "%s = true gives more than there is without it, "
			    "which only an administrator's file may do",
			    omega_option_table[loosening[i]].name);
	}
	for (i = OMEGA_OPTION_ENV_ALLOW; i <= OMEGA_OPTION_ENV_SET; i++) {
		const struct omega_option_value *value = &rules->values[i];

		if (value->is_set && value->items.count > 0)
			return omega_error_conf(error, value->file, value->line,
			    "%s gives commands variables they would not have "
			    "without it, which only an administrator's file "
			    "may do",
			    omega_option_table[i].name);
	}
	return 0;
}

/* Every group that rules name must be there. */
static int
check_groups(const struct omega_conf *conf, const struct omega_layer *rules,
    struct omega_sandbox_error *error)
{
	size_t i;
	size_t j;
	int ret = 0;

	for (i = 0; i < OMEGA_OPTION_COUNT; i++) {
		const struct omega_conf_list *list = &rules->values[i].items;

		for (j = 0; ret == 0 && j < list->count; j++)
			if (list->items[j].text[0] == '@' &&
			    omega_option_table[i].shape != OMEGA_SHAPE_HOSTS &&
			    omega_named_group(conf, list->items[j].text + 1) ==
				NULL)
				ret = omega_faults_keep(conf->faults,
				    no_such_at(conf, OMEGA_SCAN_GROUP,
					&list->items[j], "", error),
				    error);
	}
	return ret;
}

static int
check_rules(const struct omega_conf *conf,
    const struct omega_conf_section *section, struct omega_sandbox_error *error)
{
	struct omega_layer rules;
	int ret;

	memset(&rules, 0, sizeof(rules));
	ret = rules_of(conf, section, &rules, error);
	if (ret == 0)
		ret = omega_faults_keep(conf->faults,
		    check_tightens(section, &rules, error), error);
	if (ret == 0)
		ret = check_groups(conf, &rules, error);
	omega_layer_clear(&rules);
	return ret;
}

/* ---- Groups ---------------------------------------------------------------
 */

const struct omega_conf_list *
omega_named_group(const struct omega_conf *conf, const char *name)
{
	const struct omega_conf_section *section =
	    omega_sections_find(conf, OMEGA_SCAN_GROUP, name);
	const struct omega_conf_entry *entry;

	if (section == NULL)
		return NULL;
	entry = omega_sections_entry(section, "paths");
	return entry == NULL ? NULL : &entry->values;
}

static int
check_group(
    const struct omega_conf_section *section, struct omega_sandbox_error *error)
{
	const struct omega_conf_entry *entry =
	    omega_sections_entry(section, "paths");
	size_t i;

	if (entry == NULL)
		return omega_error_conf(error, section->file, section->line,
		    "group \"%s\" has no paths = { ... }", section->title);
	if (!entry->is_list)
		return fault(
		    error, section, entry, "takes a list: paths = { ... }");
	for (i = 0; i < entry->values.count; i++)
		if (entry->values.items[i].text[0] == '@')
			return omega_error_conf(error, section->file,
			    entry->values.items[i].line,
			    "a group cannot have a group in it");
	return set_rule(section, entry, NULL, error);
}

/* ---- Tiers ----------------------------------------------------------------
 */

static int
check_tier(const struct omega_conf *conf,
    const struct omega_conf_section *section, struct omega_sandbox_error *error)
{
	const struct omega_conf_entry *policy =
	    omega_sections_entry(section, "policy");
	const struct omega_conf_entry *sandbox =
	    omega_sections_entry(section, "sandbox");
	const char *name = text_of(section, "policy");
	const char *word = text_of(section, "sandbox");
	int ret = 0;

	if (sandbox != NULL &&
	    (sandbox->is_list || omega_value_switch(word) < 0))
		ret = omega_faults_keep(conf->faults,
		    fault(error, section, sandbox, "is true or false"), error);
	if (ret < 0 || policy == NULL)
		return ret;
	if (policy->is_list)
		return fault(error, section, policy, "takes one name");
	if (strcmp(name, "default") != 0 &&
	    omega_sections_find(conf, OMEGA_SCAN_POLICY, name) == NULL)
		return no_policy(conf, section, policy, name, error);
	return 0;
}

/* ---- Agents ---------------------------------------------------------------
 */

static bool
is_variable(const char *name)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "abcdefghijklmnopqrstuvwxyz_0123456789";

	return name[0] != '\0' && strchr("0123456789", name[0]) == NULL &&
	       name[strspn(name, letters)] == '\0';
}

/* The variables of the environment that reach the program. */
static int
check_pass(
    const struct omega_conf_section *section, struct omega_sandbox_error *error)
{
	const struct omega_conf_entry *pass =
	    omega_sections_entry(section, "pass");
	size_t i;

	if (section->type != OMEGA_SCAN_AGENT || pass == NULL)
		return 0;
	if (!pass->is_list)
		return fault(
		    error, section, pass, "takes a list: pass = { ... }");
	for (i = 0; i < pass->values.count; i++)
		if (!is_variable(pass->values.items[i].text))
			return omega_error_conf(error, section->file,
			    pass->values.items[i].line,
			    "pass: '%.64s' is not the name of a variable of "
			    "the environment",
			    pass->values.items[i].text);
	return 0;
}

/* ---- All of them ----------------------------------------------------------
 */

static int
check_entries(const struct omega_conf *conf,
    const struct omega_conf_section *section, struct omega_sandbox_error *error)
{
	const struct omega_conf_entry *text =
	    omega_sections_entry(section, "description");
	size_t i;
	int ret = 0;

	if (text != NULL && text->is_list)
		ret = omega_faults_keep(conf->faults,
		    fault(error, section, text, "takes one text"), error);
	for (i = 0; ret == 0 && i < section->entry_count; i++)
		if (!has_rules(section->type) &&
		    !is_own(section->type, section->entries[i].name))
			ret = omega_faults_keep(conf->faults,
			    omega_error_conf(error, section->file,
				section->entries[i].line,
				"unknown option '%.64s' in a %s; see "
				"sandbox.conf(5)",
				section->entries[i].name,
				omega_scan_types[section->type]),
			    error);
	return ret < 0 ? ret : check_pass(section, error);
}

static int
check_floors(const struct omega_conf *conf, struct omega_sandbox_error *error)
{
	size_t i;
	int ret = 0;

	for (i = 0;
	     ret == 0 && i < omega_conf_items(conf, OMEGA_OPTION_FLOOR)->count;
	     i++) {
		const struct omega_conf_text *floor =
		    &omega_conf_items(conf, OMEGA_OPTION_FLOOR)->items[i];

		if (strcmp(floor->text, "default") != 0 &&
		    omega_sections_find(conf, OMEGA_SCAN_POLICY, floor->text) ==
			NULL)
			ret = omega_faults_keep(conf->faults,
			    no_such_at(conf, OMEGA_SCAN_POLICY, floor,
				"floor: ", error),
			    error);
	}
	return ret;
}

int
omega_named_check(
    const struct omega_conf *conf, struct omega_sandbox_error *error)
{
	bool is_shipped = conf->believes_shipped;
	size_t i;
	int ret = 0;

	/* It is right as long as nobody has added to it. */
	for (i = 0; i < conf->section_count; i++)
		is_shipped = is_shipped &&
			     conf->sections[i].rank == OMEGA_CONF_SHIPPED;
	for (i = 0; !is_shipped && ret == 0 && i < conf->section_count; i++) {
		const struct omega_conf_section *section = &conf->sections[i];

		if (section->type == OMEGA_SCAN_PLUGIN)
			continue;
		ret = omega_faults_keep(
		    conf->faults, check_entries(conf, section, error), error);
		if (ret < 0)
			break;
		if (has_rules(section->type))
			ret = check_rules(conf, section, error);
		else if (section->type == OMEGA_SCAN_GROUP)
			ret = check_group(section, error);
		else
			ret = check_tier(conf, section, error);
		ret = omega_faults_keep(conf->faults, ret, error);
	}
	return ret < 0 ? ret : check_floors(conf, error);
}
