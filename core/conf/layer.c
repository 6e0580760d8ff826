/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * layer.c - see layer.h.
 */

#include "config.h"

#include "conf/layer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static int
copy_items(struct omega_conf_list *to, const struct omega_conf_list *from)
{
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < from->count; i++)
		ret = omega_list_add(to, from->items[i].text,
		    from->items[i].file, from->items[i].line);
	return ret;
}

/* Note where it was set; from has done with its own. */
static void
take_place(struct omega_option_value *value, struct omega_option_value *from)
{
	free(value->file);
	value->file = from->file;
	value->line = from->line;
	value->is_set = true;
	from->file = NULL;
}

int
omega_layer_set(struct omega_layer *layer, const struct omega_setting *setting,
    struct omega_sandbox_error *error)
{
	unsigned by = setting->by != 0 ? setting->by : OMEGA_BY_RULE;
	enum omega_option_id id = omega_option_find(setting->name, by);
	struct omega_option_value read = {.is_set = false};
	int ret;

	if (id == OMEGA_OPTION_COUNT)
		return omega_read_unknown(setting, by, "rule", error);
	ret = omega_read(id, setting, &read, error);
	if (ret == 0 && copy_items(&layer->values[id].items, &read.items) < 0)
		ret = omega_error_memory(error);
	if (ret == 0) {
		layer->values[id].number = read.number;
		take_place(&layer->values[id], &read);
	}
	omega_read_clear(&read);
	return ret;
}

/* ---- Files ----------------------------------------------------------------
 */

static int
check_again(const struct omega_layer *top, enum omega_option_id id,
    const struct omega_setting *setting, struct omega_sandbox_error *error)
{
	const struct omega_option *option = &omega_option_table[id];
	const struct omega_option_value *value = &top->values[id];
	const struct omega_option_value *twin = &top->values[option->twin];

	if (value->is_set && option->merge == OMEGA_MERGE_ONCE)
		return omega_read_fault(setting, setting->line, error,
		    "%s is already set at %s:%u; one file only may set it",
		    setting->name, value->file, value->line);
	if (option->twin != 0 && twin->is_set &&
	    strcmp(twin->file, setting->file) == 0)
		return omega_read_fault(setting, setting->line, error,
		    "%s is the same as %s, which is set in line %u; keep one "
		    "of them",
		    setting->name, omega_option_table[option->twin].name,
		    twin->line);
	return 0;
}

static uint64_t
merge_numbers(enum omega_option_id id, const struct omega_option_value *to,
    const struct omega_option_value *from)
{
	bool is_first =
	    omega_option_is_amount(id) ? to->number == 0 : !to->is_set;

	switch (omega_option_table[id].merge) {
	case OMEGA_MERGE_LEAST:
		return is_first || from->number < to->number ? from->number
							     : to->number;
	case OMEGA_MERGE_MOST:
		return is_first || from->number > to->number ? from->number
							     : to->number;
	case OMEGA_MERGE_COMMON:
		return is_first ? from->number : from->number & to->number;
	default:
		return from->number;
	}
}

static int
merge_items(enum omega_option_id id, struct omega_option_value *to,
    const struct omega_option_value *from)
{
	struct omega_conf_list both = {NULL, 0};
	size_t i;
	int ret = 0;

	/* What a set of kinds keeps beside its number is for notes. */
	if (omega_option_table[id].merge != OMEGA_MERGE_COMMON || !to->is_set ||
	    omega_option_table[id].shape == OMEGA_SHAPE_KINDS)
		return copy_items(&to->items, &from->items);
	for (i = 0; ret == 0 && i < from->items.count; i++)
		if (omega_list_has(&to->items, from->items.items[i].text))
			ret = omega_list_add(&both, from->items.items[i].text,
			    from->items.items[i].file,
			    from->items.items[i].line);
	omega_list_clear(&to->items);
	to->items = both;
	return ret;
}

int
omega_layer_merge(struct omega_layer *top, const struct omega_setting *setting,
    struct omega_sandbox_error *error)
{
	enum omega_option_id id =
	    omega_option_find(setting->name, OMEGA_BY_ADMIN);
	struct omega_option_value read = {.is_set = false};
	struct omega_option_value *value = &top->values[id];
	int ret;

	if (id == OMEGA_OPTION_COUNT)
		return omega_read_unknown(
		    setting, OMEGA_BY_ADMIN, "option", error);
	ret = check_again(top, id, setting, error);
	if (ret == 0)
		ret = omega_read(id, setting, &read, error);
	if (ret == 0) {
		value->number = merge_numbers(id, value, &read);
		if (omega_option_table[id].twin != 0)
			top->values[omega_option_table[id].twin].number =
			    value->number;
		if (merge_items(id, value, &read) < 0)
			ret = omega_error_memory(error);
		else
			take_place(value, &read);
	}
	omega_read_clear(&read);
	return ret;
}

/* ---- Layers ---------------------------------------------------------------
 */

void
omega_layer_narrow(enum omega_option_id id, struct omega_option_value *to,
    const struct omega_option_value *from)
{
	if (!from->is_set)
		return;
	to->number = merge_numbers(id, to, from);
	to->is_set = true;
}

/* A copy behind what is there; what is set already stands. */
static int
copy_value(
    struct omega_option_value *value, const struct omega_option_value *from)
{
	if (copy_items(&value->items, &from->items) < 0)
		return -ENOMEM;
	if (value->is_set)
		return 0;
	value->file = strdup(from->file == NULL ? "built in" : from->file);
	if (value->file == NULL)
		return -ENOMEM;
	value->line = from->line;
	value->number = from->number;
	value->is_set = true;
	return 0;
}

int
omega_layer_take(struct omega_layer *layer, const struct omega_layer *top)
{
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < OMEGA_OPTION_COUNT; i++)
		if ((omega_option_table[i].by & OMEGA_BY_HOST) != 0)
			ret = copy_value(&layer->values[i], &top->values[i]);
	return ret;
}

/* Does what a host has said go beyond what the files set? */
static bool
is_beyond(enum omega_option_id id, const struct omega_option_value *said,
    const struct omega_option_value *set)
{
	size_t i;

	switch (omega_option_table[id].merge) {
	case OMEGA_MERGE_LEAST:
		return set->is_set && said->number > set->number;
	case OMEGA_MERGE_MOST:
		return set->is_set && said->number < set->number;
	case OMEGA_MERGE_COMMON:
		for (i = 0; set->is_set && i < said->items.count; i++)
			if (!omega_list_has(
				&set->items, said->items.items[i].text))
				return true;
		return false;
	default:
		return false;
	}
}

int
omega_layer_set_within(struct omega_layer *layer, enum omega_option_id id,
    const struct omega_setting *setting, const struct omega_layer *top,
    struct omega_sandbox_error *error)
{
	const struct omega_option_value *set = &top->values[id];
	struct omega_option_value *value = &layer->values[id];
	struct omega_option_value said = {.is_set = false};
	int ret = omega_read(id, setting, &said, error);

	if (ret == 0 && is_beyond(id, &said, set)) {
		ret = omega_error_set(error, OMEGA_SANDBOX_E_REFUSED, 0,
		    "%s '%.128s' is more than %s:%u allows; ask the "
		    "administrator",
		    setting->name, setting->values[0].text, set->file,
		    set->line);
		omega_error_file(error, set->file, set->line);
	} else if (ret == 0) {
		value->number = said.number;
		/* Of a limited list all is there already. */
		if ((omega_option_table[id].merge == OMEGA_MERGE_SUM ||
			!set->is_set) &&
		    copy_items(&value->items, &said.items) < 0)
			ret = omega_error_memory(error);
	}
	omega_read_clear(&said);
	return ret;
}

int
omega_layer_extend(struct omega_layer *layer, const struct omega_layer *base)
{
	size_t i;

	for (i = 0; i < OMEGA_OPTION_COUNT; i++) {
		struct omega_option_value *value = &layer->values[i];
		const struct omega_option_value *under = &base->values[i];

		if (under->is_set && copy_value(value, under) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* Two rules that cannot both be meant. */
static int
contradiction(const struct omega_option_value *one, const char *one_text,
    const struct omega_option_value *two, const char *two_text,
    struct omega_sandbox_error *error)
{
	const struct omega_setting at = {.file = one->file, .line = one->line};

	if (two->line == 0)
		return omega_read_fault(&at, one->line, error,
		    "%s contradicts %s", one_text, two_text);
	return omega_read_fault(&at, one->line, error,
	    "%s contradicts %s (%s:%u)", one_text, two_text, two->file,
	    two->line);
}

int
omega_layer_check(
    const struct omega_layer *layer, struct omega_sandbox_error *error)
{
	const struct omega_option_value *all =
	    &layer->values[OMEGA_OPTION_READ_ALL];
	const struct omega_option_value *read =
	    &layer->values[OMEGA_OPTION_READ];
	const struct omega_option_value *net =
	    &layer->values[OMEGA_OPTION_NETWORK];
	int i;

	if (all->is_set && all->number == 1 && read->is_set)
		return contradiction(
		    read, "the list read", all, "read_all = true", error);
	for (i = OMEGA_OPTION_CONNECT; i <= OMEGA_OPTION_HOSTS; i++) {
		const struct omega_option_value *list = &layer->values[i];
		char text[64];

		if (!net->is_set || net->number == OMEGA_NETWORK_ALLOW ||
		    !list->is_set || list->items.count == 0)
			continue;
		snprintf(text, sizeof(text), "the list %s",
		    omega_option_table[i].name);
		return contradiction(list, text, net,
		    net->number == OMEGA_NETWORK_DENY ? "network = deny"
						      : "network = unix-only",
		    error);
	}
	return 0;
}

int
omega_layer_copy(struct omega_layer *to, const struct omega_layer *from)
{
	if (from->name != NULL) {
		to->name = strdup(from->name);
		if (to->name == NULL)
			return -ENOMEM;
	}
	return omega_layer_extend(to, from);
}

void
omega_layer_clear(struct omega_layer *layer)
{
	size_t i;

	for (i = 0; i < OMEGA_OPTION_COUNT; i++)
		omega_read_clear(&layer->values[i]);
	free(layer->name);
	memset(layer, 0, sizeof(*layer));
}
