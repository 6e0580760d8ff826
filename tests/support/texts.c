/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * texts.c - see texts.h.
 */

#include "texts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

char *
texts_dump(const struct omega_conf *conf)
{
	const struct omega_kind *kind;
	char *content = NULL;
	size_t len;
	size_t i;
	FILE *out = open_memstream(&content, &len);

	assert_non_null(out);
	fprintf(out, "%s %s %s %s\n", conf->is_enabled ? "enabled" : "disabled",
	    conf->is_fail_closed ? "fail_closed" : "fail_open",
	    conf->is_root_allowed ? "root" : "no_root",
	    conf->is_syslog ? "syslog" : "no_log");
	fprintf(out, "accept");
	for (kind = omega_kinds; kind->name != NULL; kind++)
		if ((conf->accept & omega_kinds_bit(kind->number)) != 0)
			fprintf(out, " %s", kind->name);
	fprintf(out, "\n");
	dump_places(out, "backend", &conf->backends);
	if (conf->data_dir.text != NULL)
		fprintf(out, "data_dir \"%s\" at %s:%u\n", conf->data_dir.text,
		    conf->data_dir.file, conf->data_dir.line);
	if (conf->config_file.text != NULL)
		fprintf(out, "config_file \"%s\" at %s:%u\n",
		    conf->config_file.text, conf->config_file.file,
		    conf->config_file.line);
	dump_places(out, "blocked", &conf->blocked_paths);
	if (conf->data_dir_mode != 0)
		fprintf(out, "data_dir_mode %u\n", conf->data_dir_mode);
	if (conf->hide_sockets != 0)
		fprintf(out, "hide_sockets %u\n", conf->hide_sockets);
	dump_places(out, "socket", &conf->allow_sockets);
	dump_places(out, "device", &conf->allow_devices);
	dump_places(out, "env_deny", &conf->env_deny);
	dump_places(out, "env_allow", &conf->env_allow);
	dump_places(out, "env_set", &conf->env_set);
	dump_places(out, "command", &conf->allowed_commands);
	dump_places(out, "safe", &conf->safe_path);
	dump_places(out, "mask", &conf->audit_mask);
	if (!conf->has_unchecked_arguments)
		fprintf(out, "check_arguments\n");
	if (conf->audit_file.text != NULL)
		fprintf(out, "audit \"%s\" at %s:%u\n", conf->audit_file.text,
		    conf->audit_file.file, conf->audit_file.line);
	if (conf->is_audit_syslog)
		fprintf(out, "audit syslog\n");
	if (conf->is_audit_optional)
		fprintf(out, "audit optional\n");
	for (i = 0; i < conf->option_count; i++) {
		const struct omega_conf_option *option = &conf->options[i];

		fprintf(out, "plugin %s: %s%s at %s:%u\n", option->plugin,
		    option->name, option->is_list ? " list" : "", option->file,
		    option->line);
		dump_places(out, "\tvalue", &option->values);
	}
	dump_places(out, "floor", &conf->floors);
	for (i = 0; i < conf->section_count; i++)
		dump_section(out, &conf->sections[i]);
	for (i = 0; i < OMEGA_CONF_COUNT; i++)
		if (conf->places[i].file != NULL)
			fprintf(out, "option %u at %s:%u\n", (unsigned)i,
			    conf->places[i].file, conf->places[i].line);
	fclose(out);
	return content;
}
