/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * texts.c - see texts.h.
 */

#include "texts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/kinds.h"
#include "conf/scan.h"

int
texts_parse(struct omega_conf *conf, const char *content,
    struct omega_sandbox_error *error)
{
	return omega_conf_parse(
	    conf, "x.conf", content, strlen(content), error);
}

char *
texts_read(const char *name, size_t *len)
{
	const char *top = getenv("top_srcdir");
	FILE *in = fopen(text("%s/%s", top == NULL ? "." : top, name), "r");
	char *content;

	if (in == NULL)
		return NULL;
	content = calloc(1, 65536);
	assert_non_null(content);
	*len = fread(content, 1, 65535, in);
	fclose(in);
	return content;
}

static void
dump_places(FILE *out, const char *name, const struct omega_conf_list *list)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		fprintf(out, "%s \"%s\" at %s:%u\n", name, list->items[i].text,
		    list->items[i].file, list->items[i].line);
}

static void
dump_section(FILE *out, const struct omega_conf_section *section)
{
	size_t i;

	fprintf(out, "%s %s at %s:%u\n", omega_scan_types[section->type],
	    section->title, section->file, section->line);
	for (i = 0; i < section->entry_count; i++) {
		const struct omega_conf_entry *entry = &section->entries[i];

		fprintf(out, "\t%s%s at line %u\n", entry->name,
		    entry->is_list ? " list" : "", entry->line);
		dump_places(out, "\tvalue", &entry->values);
	}
}

static void
dump_plugin(FILE *out, const struct omega_conf_section *section)
{
	size_t i;

	for (i = 0; i < section->entry_count; i++) {
		const struct omega_conf_entry *entry = &section->entries[i];

		fprintf(out, "plugin %s: %s%s at %s:%u\n", section->title,
		    entry->name, entry->is_list ? " list" : "", section->file,
		    entry->line);
		dump_places(out, "\tvalue", &entry->values);
	}
}

char *
texts_dump(const struct omega_conf *conf)
{
	static const unsigned modes[] = {1, 0, 2}; /* as plugins know them */
	const struct omega_kind *kind;
	unsigned mode;
	unsigned hide;
	char *content = NULL;
	size_t len;
	size_t i;
	FILE *out = open_memstream(&content, &len);

	assert_non_null(out);
	fprintf(out, "%s %s %s %s\n",
	    omega_conf_is(conf, OMEGA_OPTION_ENABLED) ? "enabled" : "disabled",
	    omega_conf_is(conf, OMEGA_OPTION_FAIL_CLOSED) ? "fail_closed"
							  : "fail_open",
	    omega_conf_is(conf, OMEGA_OPTION_ALLOW_ROOT) ? "root" : "no_root",
	    omega_conf_is(conf, OMEGA_OPTION_LOG) ? "syslog" : "no_log");
	fprintf(out, "accept");
	for (kind = omega_kinds; kind->name != NULL; kind++)
		if ((omega_conf_number(conf, OMEGA_OPTION_ACCEPT) &
			omega_kinds_bit(kind->number)) != 0)
			fprintf(out, " %s", kind->name);
	fprintf(out, "\n");
	dump_places(
	    out, "backend", omega_conf_items(conf, OMEGA_OPTION_BACKEND));
	if (omega_conf_first(conf, OMEGA_OPTION_DATA_DIR)->text != NULL)
		fprintf(out, "data_dir \"%s\" at %s:%u\n",
		    omega_conf_first(conf, OMEGA_OPTION_DATA_DIR)->text,
		    omega_conf_first(conf, OMEGA_OPTION_DATA_DIR)->file,
		    omega_conf_first(conf, OMEGA_OPTION_DATA_DIR)->line);
	if (omega_conf_first(conf, OMEGA_OPTION_CONFIG_FILE)->text != NULL)
		fprintf(out, "config_file \"%s\" at %s:%u\n",
		    omega_conf_first(conf, OMEGA_OPTION_CONFIG_FILE)->text,
		    omega_conf_first(conf, OMEGA_OPTION_CONFIG_FILE)->file,
		    omega_conf_first(conf, OMEGA_OPTION_CONFIG_FILE)->line);
	dump_places(
	    out, "blocked", omega_conf_items(conf, OMEGA_OPTION_BLOCKED_PATHS));
	mode = modes[omega_conf_number(conf, OMEGA_OPTION_DATA_DIR_MODE)];
	if (mode != 0)
		fprintf(out, "data_dir_mode %u\n", mode);
	hide = (unsigned)omega_conf_number(conf, OMEGA_OPTION_HIDE_SOCKETS);
	if (hide != 0)
		fprintf(out, "hide_sockets %u\n", hide);
	dump_places(
	    out, "socket", omega_conf_items(conf, OMEGA_OPTION_ALLOW_SOCKETS));
	dump_places(
	    out, "device", omega_conf_items(conf, OMEGA_OPTION_ALLOW_DEVICES));
	dump_places(
	    out, "env_deny", omega_conf_items(conf, OMEGA_OPTION_ENV_DENY));
	dump_places(
	    out, "env_allow", omega_conf_items(conf, OMEGA_OPTION_ENV_ALLOW));
	dump_places(
	    out, "env_set", omega_conf_items(conf, OMEGA_OPTION_ENV_SET));
	dump_places(out, "command",
	    omega_conf_items(conf, OMEGA_OPTION_ALLOWED_COMMANDS));
	dump_places(
	    out, "safe", omega_conf_items(conf, OMEGA_OPTION_SAFE_PATH));
	dump_places(
	    out, "mask", omega_conf_items(conf, OMEGA_OPTION_AUDIT_MASK));
	if (omega_conf_is(conf, OMEGA_OPTION_CHECK_ARGUMENTS))
		fprintf(out, "check_arguments\n");
	if (omega_conf_audit_file(conf)->text != NULL)
		fprintf(out, "audit \"%s\" at %s:%u\n",
		    omega_conf_audit_file(conf)->text,
		    omega_conf_audit_file(conf)->file,
		    omega_conf_audit_file(conf)->line);
	if (omega_conf_is_audit_syslog(conf))
		fprintf(out, "audit syslog\n");
	if (omega_conf_is(conf, OMEGA_OPTION_AUDIT_FAILURE))
		fprintf(out, "audit optional\n");
	for (i = 0; i < conf->section_count; i++)
		if (conf->sections[i].type == OMEGA_SCAN_PLUGIN)
			dump_plugin(out, &conf->sections[i]);
	dump_places(out, "floor", omega_conf_items(conf, OMEGA_OPTION_FLOOR));
	for (i = 0; i < conf->section_count; i++)
		if (conf->sections[i].type != OMEGA_SCAN_PLUGIN)
			dump_section(out, &conf->sections[i]);
	for (i = 0; i < OMEGA_OPTION_TOP_COUNT; i++)
		if (conf->top.values[i].file != NULL)
			fprintf(out, "option %u at %s:%u\n", (unsigned)i,
			    conf->top.values[i].file, conf->top.values[i].line);
	fclose(out);
	return content;
}
