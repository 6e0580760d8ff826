/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * show.c - see show.h.
 */

#include "config.h"

#include "conf/show.h"

#include <inttypes.h>
#include <string.h>

#include "base/buffer.h"
#include "base/glyph.h"
#include "conf/kinds.h"
#include "conf/value.h"

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

/* One value, or a list unless it is of one. */
static void
put_texts(struct omega_buffer *out, enum omega_option_id id,
    const struct omega_conf_list *items, size_t first, size_t end)
{
	enum omega_option_shape shape = omega_option_table[id].shape;
	enum form form =
	    shape == OMEGA_SHAPE_PATHS || shape == OMEGA_SHAPE_COMMANDS ||
		    shape == OMEGA_SHAPE_PATH || shape == OMEGA_SHAPE_AUDIT
		? AS_PATH
		: AS_IT_IS;

	if (omega_option_is_list(id) || items->count > 1) {
		put_items(out, items, first, end, form, "");
		return;
	}
	put_value(out,
	    items->count == 0 ? omega_option_table[id].unset
			      : items->items[0].text,
	    form);
	omega_buffer_add(out, "\n");
}

static void
put_kinds(struct omega_buffer *out, const struct omega_conf *conf)
{
	const struct omega_kind *kind;
	const char *between = "{ ";

	for (kind = omega_kinds; kind->name != NULL; kind++)
		if ((omega_conf_number(conf, OMEGA_OPTION_ACCEPT) &
			omega_kinds_bit(kind->number)) != 0) {
			omega_buffer_print(out, "%s%s", between, kind->name);
			between = ", ";
		}
	omega_buffer_add(out, between[0] == '{' ? "{ }\n" : " }\n");
}

/* The end of the list that begins at first: that of one file where the lists
 * of every file hold. */
static size_t
end_of(
    enum omega_option_id id, const struct omega_conf_list *items, size_t first)
{
	size_t end = first;

	if (id != OMEGA_OPTION_ALLOWED_COMMANDS)
		return items->count;
	while (end < items->count &&
	       strcmp(items->items[first].file, items->items[end].file) == 0)
		end++;
	return end;
}

/*
 * "NAME = VALUE", as a comment when nobody has set it. What lists of several
 * files come to together one file cannot say: two lists in it are an error, and
 * that is better than one that allows more.
 */
static void
put_option(struct omega_buffer *out, const struct omega_conf *conf,
    enum omega_option_id id)
{
	const struct omega_option *option = &omega_option_table[id];
	const struct omega_option_value *value = &conf->top.values[id];
	size_t first = 0;

	do {
		size_t end = end_of(id, &value->items, first);

		if (first > 0)
			omega_buffer_add(out,
			    "# A command must be in both lists, which cannot "
			    "be said in one file.\n");
		omega_buffer_print(out, "%s%s = ",
		    value->is_set || omega_option_is_amount(id) ? "" : "# ",
		    option->name);
		if (option->shape == OMEGA_SHAPE_SWITCH)
			omega_buffer_add(
			    out, value->number != 0 ? "true\n" : "false\n");
		else if (option->shape == OMEGA_SHAPE_WORD)
			omega_buffer_print(
			    out, "%s\n", option->words[value->number]);
		else if (omega_option_is_amount(id))
			omega_buffer_print(out, "%" PRIu64 "%s\n",
			    value->number,
			    option->shape == OMEGA_SHAPE_TIME ? "s" : "");
		else if (option->shape == OMEGA_SHAPE_KINDS)
			put_kinds(out, conf);
		else
			put_texts(out, id, &value->items, first, end);
		first = end;
	} while (first < value->items.count);
}

static void
put_options(struct omega_buffer *out, const struct omega_conf *conf)
{
	int i;

	for (i = 0; i < OMEGA_OPTION_TOP_COUNT; i++) {
		enum omega_option_id id = (enum omega_option_id)i;

		/* What has no default is not shown, nor by two names. */
		if ((omega_option_is_amount(id) &&
			(!omega_conf_is(conf, id) ||
			    id > omega_option_table[id].twin)) ||
		    (id == OMEGA_OPTION_SAFE_PATH &&
			!conf->top.values[id].is_set))
			continue;
		put_option(out, conf, id);
	}
}

static void
put_entries(struct omega_buffer *out, const struct omega_conf_section *section)
{
	size_t i;

	for (i = 0; i < section->entry_count; i++) {
		const struct omega_conf_list *values =
		    &section->entries[i].values;

		omega_buffer_print(out, "\t%s = ", section->entries[i].name);
		if (section->entries[i].is_list) {
			put_items(
			    out, values, 0, values->count, AS_IT_IS, "\t");
			continue;
		}
		put_value(out, values->items[0].text, AS_IT_IS);
		omega_buffer_add(out, "\n");
	}
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
		for (j = 0; j < conf->section_count; j++)
			if (conf->sections[j].type == OMEGA_SCAN_PLUGIN &&
			    strcmp(conf->sections[j].title, name) == 0)
				put_entries(out, &conf->sections[j]);
		omega_buffer_add(out, "}\n");
	}
}

static void
put_sections(struct omega_buffer *out, const struct omega_conf *conf)
{
	size_t i;

	for (i = 0; i < conf->section_count; i++) {
		const struct omega_conf_section *section = &conf->sections[i];

		if (section->rank == OMEGA_CONF_SHIPPED ||
		    section->type == OMEGA_SCAN_PLUGIN)
			continue;
		omega_buffer_add(out, "# ");
		omega_buffer_visible(out, section->file);
		omega_buffer_print(out, ":%u\n%s \"%s\" {\n", section->line,
		    omega_scan_types[section->type], section->title);
		put_entries(out, section);
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
