/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * options.c - see options.h.
 */

#include "config.h"

#include "load/options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conf/faults.h"
#include "conf/option.h"
#include "conf/value.h"
#include "load/object.h"

/* A longer table has lost the NULL at its end. */
#define MAX_OPTIONS 256
#define MAX_NAME 63

struct value {
	struct omega_sandbox_option option; /* our zero-padded copy */
	/* While being made: what was written, and in which section. */
	const struct omega_conf_section *section;
	const struct omega_conf_entry *written;
	int64_t number;
	char *text;
	char **items; /* NULL-terminated, or NULL for none */
};

struct omega_options {
	size_t count;
	struct value *values;
};

/* Texts for messages; cut when there are very many. */
struct line {
	char text[512];
};

__attribute__((format(printf, 2, 3))) static void
append(struct line *line, const char *format, ...)
{
	size_t used = strlen(line->text);
	va_list args;

	va_start(args, format);
	vsnprintf(line->text + used, sizeof(line->text) - used, format, args);
	va_end(args);
}

static const char *
list_words(struct line *line, const char *const *words)
{
	size_t i;

	line->text[0] = '\0';
	for (i = 0; words[i] != NULL; i++)
		append(line, "%s%s", i == 0 ? "" : ", ", words[i]);
	return line->text;
}

static const char *
list_options(struct line *line, const struct omega_options *options)
{
	size_t i;

	line->text[0] = '\0';
	for (i = 0; i < options->count; i++)
		append(line, "%s%s", i == 0 ? "it takes " : ", ",
		    options->values[i].option.name);
	if (options->count == 0)
		append(line, "it takes none");
	return line->text;
}

static struct value *
find(const struct omega_options *options, const char *name)
{
	size_t i;

	if (options == NULL || name == NULL)
		return NULL;
	for (i = 0; i < options->count; i++)
		if (strcmp(options->values[i].option.name, name) == 0)
			return &options->values[i];
	return NULL;
}

static bool
is_word(const char *const *words, const char *text)
{
	if (words == NULL)
		return true;
	for (; *words != NULL; words++)
		if (strcmp(*words, text) == 0)
			return true;
	return false;
}

/* ---- The table ---------------------------------------------------------- */

static bool
is_option_name(const char *name)
{
	size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");

	return len > 0 && len <= MAX_NAME && name[len] == '\0';
}

/* What is wrong with an option whose name and type are right, or NULL. */
static const char *
find_fault(const struct omega_sandbox_option *option)
{
	bool is_text = option->type == OMEGA_SANDBOX_OPTION_STRING;

	if (option->help == NULL)
		return "no help text";
	if (option->type == OMEGA_SANDBOX_OPTION_BOOL && option->initial != 0 &&
	    option->initial != 1)
		return "a default that is neither 0 nor 1";
	if (option->type == OMEGA_SANDBOX_OPTION_INT) {
		if (option->minimum > option->maximum)
			return "a minimum above its maximum";
		if (option->initial < option->minimum ||
		    option->initial > option->maximum)
			return "a default outside of its range";
	}
	if (option->words != NULL) {
		if (!is_text && option->type != OMEGA_SANDBOX_OPTION_LIST)
			return "words, though it takes no text";
		if (option->words[0] == NULL)
			return "an empty list of words";
	}
	if (option->initial_text != NULL) {
		if (!is_text)
			return "a default text, though it is no text";
		if (!is_word(option->words, option->initial_text))
			return "a default that is not one of its words";
	}
	return NULL;
}

/* Take one entry of the table over. */
static int
add_option(struct omega_options *options,
    const struct omega_sandbox_option *entry, struct omega_sandbox_error *error)
{
	struct value *value = &options->values[options->count];
	struct omega_sandbox_option *option = &value->option;
	const char *fault;

	if (entry->size < OMEGA_ABI_OPTION_SIZE)
		return omega_error_set(error, OMEGA_SANDBOX_E_PLUGIN, 0,
		    "entry %zu of its option table has %" PRIu32
		    " bytes, but ABI 1.0 has %zu",
		    options->count + 1, entry->size, OMEGA_ABI_OPTION_SIZE);
	memcpy(option, entry,
	    entry->size < sizeof(*option) ? entry->size : sizeof(*option));
	if (option->name == NULL || !is_option_name(option->name))
		return omega_error_set(error, OMEGA_SANDBOX_E_PLUGIN, 0,
		    "entry %zu of its option table has no proper name",
		    options->count + 1);
	if (option->type < OMEGA_SANDBOX_OPTION_BOOL ||
	    option->type > OMEGA_SANDBOX_OPTION_LIST)
		return omega_error_set(error, OMEGA_SANDBOX_E_PLUGIN, 0,
		    "its option '%s' has type %" PRIu32
		    ", which this library does not know",
		    option->name, option->type);
	if (find(options, option->name) != NULL)
		return omega_error_set(error, OMEGA_SANDBOX_E_PLUGIN, 0,
		    "its option '%s' is declared twice", option->name);
	fault = find_fault(option);
	if (fault != NULL)
		return omega_error_set(error, OMEGA_SANDBOX_E_PLUGIN, 0,
		    "its option '%s' has %s", option->name, fault);
	value->number = option->initial;
	options->count++;
	return 0;
}

static int
take_table(struct omega_options *options,
    const struct omega_sandbox_option *const *table,
    struct omega_sandbox_error *error)
{
	size_t count = 0;
	size_t i;
	int ret;

	while (table != NULL && table[count] != NULL)
		if (++count > MAX_OPTIONS)
			return omega_error_set(error, OMEGA_SANDBOX_E_PLUGIN, 0,
			    "its option table has more than %d entries; is "
			    "the NULL at its end missing?",
			    MAX_OPTIONS);
	if (count == 0)
		return 0;
	options->values = calloc(count, sizeof(*options->values));
	if (options->values == NULL)
		return omega_error_memory(error);
	for (i = 0; i < count; i++) {
		ret = add_option(options, table[i], error);
		if (ret != 0)
			return ret;
	}
	return 0;
}

/* ---- The values --------------------------------------------------------- */

/* A value was written that the option does not take. */
__attribute__((format(printf, 4, 5))) static int
refuse(struct omega_sandbox_error *error, const struct value *value,
    const struct omega_conf_text *item, const char *format, ...)
{
	struct line what;
	va_list args;

	va_start(args, format);
	vsnprintf(what.text, sizeof(what.text), format, args);
	va_end(args);
	return omega_error_conf(error, value->section->file,
	    item != NULL ? item->line : value->written->line,
	    "option '%s' of plugin \"%s\" takes %s", value->written->name,
	    value->section->title, what.text);
}

static int
set_bool(struct value *value, const struct omega_conf_text *item,
    struct omega_sandbox_error *error)
{
	value->number = omega_value_switch(item->text);
	if (value->number < 0)
		return refuse(error, value, item, "true or false, not '%.64s'",
		    item->text);
	return 0;
}

/* Decimal only: 010 must not be 8 for one reader and 10 for another. */
static bool
parse_int(const char *text, int64_t *number)
{
	const char *digits = text + (text[0] == '-');
	size_t len = strspn(digits, "0123456789");
	intmax_t parsed;

	if (len == 0 || digits[len] != '\0' || (len > 1 && digits[0] == '0'))
		return false;
	errno = 0;
	parsed = strtoimax(text, NULL, 10);
	if (errno != 0 || parsed < INT64_MIN || parsed > INT64_MAX)
		return false;
	*number = parsed;
	return true;
}

static int
set_int(struct value *value, const struct omega_conf_text *item,
    struct omega_sandbox_error *error)
{
	int64_t number;

	if (!parse_int(item->text, &number) || number < value->option.minimum ||
	    number > value->option.maximum)
		return refuse(error, value, item,
		    "a whole number from %" PRId64 " to %" PRId64
		    ", not '%.64s'",
		    value->option.minimum, value->option.maximum, item->text);
	value->number = number;
	return 0;
}

static int
copy_word(const struct value *value, const struct omega_conf_text *item,
    char **copy, struct omega_sandbox_error *error)
{
	struct line words;

	if (!is_word(value->option.words, item->text))
		return refuse(error, value, item, "one of: %s; not '%.64s'",
		    list_words(&words, value->option.words), item->text);
	*copy = strdup(item->text);
	return *copy == NULL ? omega_error_memory(error) : 0;
}

static int
set_list(struct value *value, struct omega_sandbox_error *error)
{
	const struct omega_conf_list *list = &value->written->values;
	size_t i;
	int ret;

	value->items = calloc(list->count + 1, sizeof(*value->items));
	if (value->items == NULL)
		return omega_error_memory(error);
	for (i = 0; i < list->count; i++) {
		ret =
		    copy_word(value, &list->items[i], &value->items[i], error);
		if (ret != 0)
			return ret;
	}
	return 0;
}

static int
set_value(struct value *value, struct omega_sandbox_error *error)
{
	const struct omega_conf_entry *written = value->written;
	const struct omega_conf_text *item = written->values.items;

	if (value->option.type == OMEGA_SANDBOX_OPTION_LIST) {
		if (!written->is_list)
			return refuse(error, value, NULL,
			    "a list, written { \"a\", \"b\" }");
		return set_list(value, error);
	}
	if (written->is_list || written->values.count != 1)
		return refuse(error, value, NULL, "one value, not a list");
	switch (value->option.type) {
	case OMEGA_SANDBOX_OPTION_BOOL:
		return set_bool(value, item, error);
	case OMEGA_SANDBOX_OPTION_INT:
		return set_int(value, item, error);
	default:
		return copy_word(value, item, &value->text, error);
	}
}

static int
take_written(struct omega_options *options,
    const struct omega_conf_section *section,
    const struct omega_conf_entry *written, struct omega_sandbox_error *error)
{
	struct value *value = find(options, written->name);
	struct line line;

	if (value == NULL && omega_option_find(written->name, OMEGA_BY_ADMIN) !=
				 OMEGA_OPTION_COUNT)
		return omega_error_conf(error, section->file, written->line,
		    "plugin \"%s\" takes no option '%s': it is an option for "
		    "every backend; write it outside of the section",
		    section->title, written->name);
	if (value == NULL)
		return omega_error_conf(error, section->file, written->line,
		    "plugin \"%s\" takes no option '%s'; %s", section->title,
		    written->name, list_options(&line, options));
	value->section = section;
	value->written = written;
	return set_value(value, error);
}

/* What all sections of the plugin have. */
static int
take_sections(struct omega_options *options, const char *name,
    const struct omega_conf *conf, struct omega_sandbox_error *error)
{
	size_t i;
	size_t j;
	int ret = 0;

	for (i = 0; i < conf->section_count; i++) {
		const struct omega_conf_section *section = &conf->sections[i];

		if (section->type != OMEGA_SCAN_PLUGIN ||
		    strcmp(section->title, name) != 0)
			continue;
		for (j = 0; ret == 0 && j < section->entry_count; j++)
			ret = omega_faults_keep(conf->faults,
			    take_written(
				options, section, &section->entries[j], error),
			    error);
	}
	return ret;
}

int
omega_options_new(const struct omega_sandbox_option *const *table,
    const char *name, const struct omega_conf *conf,
    struct omega_options **options, struct omega_sandbox_error *error)
{
	struct omega_options *made = calloc(1, sizeof(*made));
	int ret;

	if (made == NULL)
		return omega_error_memory(error);
	ret = take_table(made, table, error);
	if (ret == 0 && conf != NULL)
		ret = take_sections(made, name, conf, error);
	if (ret != 0) {
		omega_options_free(made);
		return ret;
	}
	*options = made;
	return 0;
}

void
omega_options_free(struct omega_options *options)
{
	size_t i;
	char **item;

	if (options == NULL)
		return;
	for (i = 0; i < options->count; i++) {
		struct value *value = &options->values[i];

		free(value->text);
		for (item = value->items; item != NULL && *item != NULL; item++)
			free(*item);
		free(value->items);
	}
	free(options->values);
	free(options);
}

int64_t
omega_options_int(const struct omega_options *options, const char *name)
{
	const struct value *value = find(options, name);

	if (value == NULL ||
	    (value->option.type != OMEGA_SANDBOX_OPTION_INT &&
		value->option.type != OMEGA_SANDBOX_OPTION_BOOL))
		return 0;
	return value->number;
}

const char *
omega_options_text(const struct omega_options *options, const char *name)
{
	const struct value *value = find(options, name);

	if (value == NULL || value->option.type != OMEGA_SANDBOX_OPTION_STRING)
		return NULL;
	return value->text != NULL ? value->text : value->option.initial_text;
}

const char *
omega_options_item(
    const struct omega_options *options, const char *name, size_t index)
{
	const struct value *value = find(options, name);
	size_t i;

	if (value == NULL || value->option.type != OMEGA_SANDBOX_OPTION_LIST ||
	    value->items == NULL)
		return NULL;
	for (i = 0; i < index; i++)
		if (value->items[i] == NULL)
			return NULL;
	return value->items[index];
}
