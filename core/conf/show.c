/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * show.c - see show.h.
 */

#include "config.h"

#include "conf/show.h"

#include <inttypes.h>
#include <string.h>

#include "buffer.h"
#include "conf/settings.h"
#include "conf/value.h"
#include "glyph.h"
#include "policy/words.h"

/* How the items of a list are written. */
enum form { AS_IT_IS, AS_PATH };

/* One character of a string that is not plain, or has a meaning there. */
static size_t
put_character(struct omega_buffer *out, const char *at, enum form form)
{
	size_t len = omega_glyph_length(at);
	size_t i;

	if (*at == '\n' || *at == '\t')
		omega_buffer_add(out, *at == '\n' ? "\\n" : "\\t");
	else if (len == 0 ||
		 !omega_glyph_is_plain(omega_glyph_point(at, len)) ||
		 (at[0] == '$' && at[1] == '{'))
		for (i = 0; i < (len == 0 ? 1 : len); i++)
			omega_buffer_print(
			    out, "\\x%02x", (unsigned char)at[i]);
	else if (*at == '"' || *at == '\\')
		omega_buffer_print(out, "\\%c", *at);
	else if (form == AS_PATH && omega_value_is_sign(*at))
		omega_buffer_print(out, "[%c]", *at);
	else
		omega_buffer_print(out, "%.*s", (int)len, at);
	return len == 0 ? 1 : len;
}

static bool
is_word(const char *text)
{
	return text[0] != '\0' &&
	       text[strspn(text, "abcdefghijklmnopqrstuvwxyz"
				 "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.")] ==
		   '\0';
}

static void
put_value(struct omega_buffer *out, const char *text, enum form form)
{
	if (is_word(text)) {
		omega_buffer_add(out, text);
		return;
	}
	omega_buffer_add(out, "\"");
	while (*text != '\0')
		text += put_character(out, text, form);
	omega_buffer_add(out, "\"");
}

/* The items from first up to end as a list: on one line if they are words. */
static void
put_items(struct omega_buffer *out, const struct omega_conf_list *list,
    size_t first, size_t end, enum form form, const char *indent)
{
	bool is_short = true;
	size_t i;

	for (i = first; i < end; i++)
		is_short = is_short && is_word(list->items[i].text);
	omega_buffer_add(out, "{");
	for (i = first; i < end; i++) {
		omega_buffer_add(out, i == first ? "" : ",");
		if (is_short)
			omega_buffer_add(out, " ");
		else
			omega_buffer_print(out, "\n%s\t", indent);
		put_value(out, list->items[i].text, form);
	}
	if (!is_short)
		omega_buffer_print(out, "\n%s", indent);
	omega_buffer_add(out, is_short && end > first ? " }\n" : "}\n");
}

/* "NAME = ", as a comment when nobody has set it. */
static void
begin(struct omega_buffer *out, const struct omega_conf *conf,
    enum omega_conf_id id)
{
	omega_buffer_print(out,
	    "%s%s = ", conf->places[id].file == NULL ? "# " : "",
	    omega_settings_name(id));
}

static void
put_list(struct omega_buffer *out, const struct omega_conf *conf,
    enum omega_conf_id id, const struct omega_conf_list *list, enum form form)
{
	begin(out, conf, id);
	put_items(out, list, 0, list->count, form, "");
}

static void
put_one(struct omega_buffer *out, const struct omega_conf *conf,
    enum omega_conf_id id, const char *text)
{
	begin(out, conf, id);
	put_value(out, text, AS_PATH);
	omega_buffer_add(out, "\n");
}

static void
put_switch(struct omega_buffer *out, const struct omega_conf *conf,
    enum omega_conf_id id, bool is_on)
{
	put_one(out, conf, id, is_on ? "true" : "false");
}

/* One or several. */
static void
put_names(struct omega_buffer *out, const struct omega_conf *conf,
    enum omega_conf_id id, const struct omega_conf_list *list, const char *none)
{
	if (list->count > 1)
		put_list(out, conf, id, list, AS_IT_IS);
	else
		put_one(out, conf, id,
		    list->count == 0 ? none : list->items[0].text);
}

static void
put_accept(struct omega_buffer *out, const struct omega_conf *conf)
{
	const struct omega_kind *kind;
	const char *between = " ";

	begin(out, conf, OMEGA_CONF_ACCEPT);
	omega_buffer_add(out, "{");
	for (kind = omega_kinds; kind->name != NULL; kind++)
		if ((conf->accept & omega_kinds_bit(kind->number)) != 0) {
			omega_buffer_print(out, "%s%s", between, kind->name);
			between = ", ";
		}
	omega_buffer_add(out, " }\n");
}

/*
 * Those of every file hold, which one file cannot say: two lists in it are an
 * error, and that is better than one that allows more.
 */
static void
put_commands(struct omega_buffer *out, const struct omega_conf *conf)
{
	const struct omega_conf_list *list = &conf->allowed_commands;
	size_t first = 0;
	size_t end;

	do {
		for (end = first; end < list->count; end++)
			if (strcmp(list->items[first].file,
				list->items[end].file) != 0)
				break;
		if (first > 0)
			omega_buffer_add(out,
			    "# A command must be in both lists, which cannot "
			    "be said in one file.\n");
		begin(out, conf, OMEGA_CONF_ALLOWED_COMMANDS);
		put_items(out, list, first, end, AS_PATH, "");
		first = end;
	} while (end < list->count);
}

static void
put_audit(struct omega_buffer *out, const struct omega_conf *conf)
{
	if (conf->audit_file.text == NULL) {
		put_one(out, conf, OMEGA_CONF_AUDIT,
		    conf->is_audit_syslog ? "syslog" : "none");
		return;
	}
	begin(out, conf, OMEGA_CONF_AUDIT);
	omega_buffer_add(out, "{ ");
	put_value(out, conf->audit_file.text, AS_PATH);
	omega_buffer_add(out, conf->is_audit_syslog ? ", syslog }\n" : " }\n");
}

static void
put_running(struct omega_buffer *out, const struct omega_conf *conf)
{
	if (conf->timeout != 0)
		omega_buffer_print(
		    out, "timeout = %" PRIu64 "s\n", conf->timeout);
	if (conf->max_output != 0)
		omega_buffer_print(
		    out, "max_output = %" PRIu64 "\n", conf->max_output);
	put_list(out, conf, OMEGA_CONF_ENV_DENY, &conf->env_deny, AS_IT_IS);
	put_list(out, conf, OMEGA_CONF_ENV_ALLOW, &conf->env_allow, AS_IT_IS);
	put_list(out, conf, OMEGA_CONF_ENV_SET, &conf->env_set, AS_IT_IS);
	put_commands(out, conf);
	if (conf->safe_path.count > 0)
		put_list(
		    out, conf, OMEGA_CONF_SAFE_PATH, &conf->safe_path, AS_PATH);
	put_switch(out, conf, OMEGA_CONF_CHECK_ARGUMENTS,
	    !conf->has_unchecked_arguments);
	put_audit(out, conf);
	put_list(out, conf, OMEGA_CONF_AUDIT_MASK, &conf->audit_mask, AS_IT_IS);
	put_one(out, conf, OMEGA_CONF_AUDIT_FAILURE,
	    conf->is_audit_optional ? "warn" : "refuse");
}

static void
put_options(struct omega_buffer *out, const struct omega_conf *conf)
{
	put_switch(out, conf, OMEGA_CONF_ENABLED, conf->is_enabled);
	put_names(out, conf, OMEGA_CONF_BACKEND, &conf->backends, "auto");
	put_switch(out, conf, OMEGA_CONF_FAIL_CLOSED, conf->is_fail_closed);
	put_accept(out, conf);
	put_switch(out, conf, OMEGA_CONF_ALLOW_ROOT, conf->is_root_allowed);
	put_one(out, conf, OMEGA_CONF_DATA_DIR,
	    conf->data_dir.text == NULL ? "~/.omega" : conf->data_dir.text);
	put_one(out, conf, OMEGA_CONF_CONFIG_FILE,
	    conf->config_file.text == NULL ? "" : conf->config_file.text);
	put_list(
	    out, conf, OMEGA_CONF_BLOCKED_PATHS, &conf->blocked_paths, AS_PATH);
	put_one(out, conf, OMEGA_CONF_DATA_DIR_MODE,
	    omega_words_name(omega_words_data_dir_mode, conf->data_dir_mode));
	put_one(out, conf, OMEGA_CONF_HIDE_SOCKETS,
	    omega_words_name(omega_words_hide_sockets, conf->hide_sockets));
	put_list(
	    out, conf, OMEGA_CONF_ALLOW_SOCKETS, &conf->allow_sockets, AS_PATH);
	put_list(
	    out, conf, OMEGA_CONF_ALLOW_DEVICES, &conf->allow_devices, AS_PATH);
	put_one(out, conf, OMEGA_CONF_LOG, conf->is_syslog ? "syslog" : "none");
	put_names(out, conf, OMEGA_CONF_FLOOR, &conf->floors, "default");
	put_switch(out, conf, OMEGA_CONF_WITNESS, conf->is_witnessed);
	put_running(out, conf);
}

static void
put_entry(struct omega_buffer *out, const char *name, bool is_list,
    const struct omega_conf_list *values)
{
	omega_buffer_print(out, "\t%s = ", name);
	if (is_list) {
		put_items(out, values, 0, values->count, AS_IT_IS, "\t");
		return;
	}
	put_value(out, values->items[0].text, AS_IT_IS);
	omega_buffer_add(out, "\n");
}

static void
put_plugins(struct omega_buffer *out, const struct omega_conf *conf)
{
	size_t i;
	size_t j;

	for (i = 0; i < conf->plugins.count; i++) {
		const char *name = conf->plugins.items[i].text;

		for (j = 0; j < i; j++)
			if (strcmp(conf->plugins.items[j].text, name) == 0)
				break;
		if (j < i)
			continue; /* several files may have a section */
		omega_buffer_print(out, "plugin \"%s\" {\n", name);
		for (j = 0; j < conf->option_count; j++)
			if (strcmp(conf->options[j].plugin, name) == 0)
				put_entry(out, conf->options[j].name,
				    conf->options[j].is_list,
				    &conf->options[j].values);
		omega_buffer_add(out, "}\n");
	}
}

static void
put_sections(struct omega_buffer *out, const struct omega_conf *conf)
{
	size_t i;
	size_t j;

	for (i = 0; i < conf->section_count; i++) {
		const struct omega_conf_section *section = &conf->sections[i];

		if (section->rank == OMEGA_CONF_SHIPPED)
			continue;
		omega_buffer_add(out, "# ");
		omega_buffer_visible(out, section->file);
		omega_buffer_print(out, ":%u\n%s \"%s\" {\n", section->line,
		    omega_scan_types[section->type], section->title);
		for (j = 0; j < section->entry_count; j++)
			put_entry(out, section->entries[j].name,
			    section->entries[j].is_list,
			    &section->entries[j].values);
		omega_buffer_add(out, "}\n");
	}
}

char *
omega_show(const struct omega_conf *conf)
{
	struct omega_buffer out = {.text = NULL};

	put_options(&out, conf);
	put_plugins(&out, conf);
	put_sections(&out, conf);
	return omega_buffer_take(&out);
}
