/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * options.c - the options about running commands, to be shown. Documentation
 * is in omega/sandbox.h.
 */

#include "config.h"

#include <omega/sandbox.h>

#include <errno.h>

#include "base/error.h"
#include "load/sandbox.h"

/* The index-th value of an option; NULL when there are fewer. */
static const char *
value_of(const struct omega_conf *conf, enum omega_option_id id, size_t index)
{
	const struct omega_conf_list *items = omega_conf_items(conf, id);

	if (omega_option_table[id].shape > OMEGA_SHAPE_WORD)
		return index < items->count ? items->items[index].text : NULL;
	if (index > 0)
		return NULL;
	if (omega_option_table[id].shape == OMEGA_SHAPE_WORD)
		return omega_conf_word(conf, id);
	return omega_conf_is(conf, id) ? "true" : "false";
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
	if (id < OMEGA_OPTION_ENV_DENY || id >= OMEGA_OPTION_TOP_COUNT)
		return NULL;
	set = &sandbox->conf->top.values[id];
	items = &set->items;
	is_item = omega_option_is_list(id) && index < items->count;
	if (file != NULL)
		*file = is_item		    ? items->items[index].file
			: set->file == NULL ? ""
					    : set->file;
	if (line != NULL)
		*line = is_item ? items->items[index].line : set->line;
	return value_of(sandbox->conf, id, index);
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
