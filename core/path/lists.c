/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * lists.c - see guard.h.
 *
 * Places are compared by their canonical names alone: an open place under
 * another of its names is not open, which errs on the safe side.
 */

#include "config.h"

#include "path/guard.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <omega/sandbox.h>

#include "base/list.h"
#include "path/text.h"

/* The access of a list, by its position. */
static const unsigned accesses[OMEGA_LISTS_COUNT] = {
    OMEGA_SANDBOX_READ, OMEGA_SANDBOX_WRITE, OMEGA_SANDBOX_EXECUTE};

static struct omega_list *
list_of(struct omega_lists *lists, unsigned access)
{
	size_t i = 0;

	while (i < OMEGA_LISTS_COUNT - 1 && accesses[i] != access)
		i++;
	return &lists->list[i];
}

static void
drop(const char *text)
{
	free((char *)(uintptr_t)text);
}

int
omega_lists_limit(struct omega_lists *lists, unsigned access, const char *shown,
    const char *origin, uint32_t line)
{
	struct omega_list *list = list_of(lists, access);

	list->is_limited = true;
	list->rule.access = access;
	list->rule.shown = strdup(shown);
	list->rule.origin = strdup(origin);
	list->rule.line = line;
	return list->rule.shown == NULL || list->rule.origin == NULL ? -ENOMEM
								     : 0;
}

int
omega_lists_open(struct omega_lists *lists, unsigned access, const char *text)
{
	struct omega_list *list = list_of(lists, access);
	struct omega_rule *places;

	places = omega_list_grow(list->places, list->count, sizeof(*places));
	if (places == NULL)
		return -ENOMEM;
	list->places = places;
	places += list->count;
	places->text = strdup(text);
	if (places->text == NULL)
		return -ENOMEM;
	places->len = strlen(text);
	list->count++;
	return 0;
}

static bool
is_open(const struct omega_list *list, const char *path, size_t len)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (omega_text_is_below(
			path, len, list->places[i].text, list->places[i].len))
			return true;
	return false;
}

const struct omega_rule *
omega_lists_find(const struct omega_lists *lists, unsigned access,
    const char *path, size_t len)
{
	size_t i;

	for (i = 0; i < OMEGA_LISTS_COUNT; i++)
		if ((accesses[i] & access) != 0 && lists->list[i].is_limited &&
		    !is_open(&lists->list[i], path, len))
			return &lists->list[i].rule;
	return NULL;
}

void
omega_lists_free(struct omega_lists *lists)
{
	size_t i;

	if (lists == NULL)
		return;
	for (i = 0; i < OMEGA_LISTS_COUNT; i++) {
		struct omega_list *list = &lists->list[i];

		while (list->count > 0)
			drop(list->places[--list->count].text);
		free(list->places);
		drop(list->rule.shown);
		drop(list->rule.origin);
	}
	free(lists);
}
