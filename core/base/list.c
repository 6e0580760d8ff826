/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * list.c - see list.h.
 */

#include "config.h"

#include "base/list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void *
omega_list_grow(void *array, size_t count, size_t size)
{
	/* The capacity is the next power of two: it changes at one. */
	if ((count & (count - 1)) == 0) {
		size_t capacity = count == 0 ? 1 : 2 * count;

		if (capacity > SIZE_MAX / 2 / size)
			return NULL;
		array = realloc(array, capacity * size);
		if (array == NULL)
			return NULL;
	}
	memset((char *)array + count * size, 0, size);
	return array;
}

static void
clear_text(struct omega_conf_text *text)
{
	free(text->text);
	free(text->file);
	memset(text, 0, sizeof(*text));
}

int
omega_list_add(struct omega_conf_list *list, const char *what, const char *file,
    uint32_t line)
{
	struct omega_conf_text *text;

	text = omega_list_grow(list->items, list->count, sizeof(*text));
	if (text == NULL)
		return -ENOMEM;
	list->items = text;
	text += list->count;
	text->text = what == NULL ? NULL : strdup(what);
	text->file = file == NULL ? NULL : strdup(file);
	text->line = line;
	if ((what != NULL && text->text == NULL) ||
	    (file != NULL && text->file == NULL)) {
		clear_text(text);
		return -ENOMEM;
	}
	list->count++;
	return 0;
}

static int
by_text(const void *a, const void *b)
{
	const struct omega_conf_text *left = a;
	const struct omega_conf_text *right = b;

	return strcmp(left->text, right->text);
}

void
omega_list_sort(struct omega_conf_list *list)
{
	if (list->count > 1)
		qsort(
		    list->items, list->count, sizeof(list->items[0]), by_text);
}

bool
omega_list_has(const struct omega_conf_list *list, const char *what)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (strcmp(list->items[i].text, what) == 0)
			return true;
	return false;
}

void
omega_list_clear(struct omega_conf_list *list)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		clear_text(&list->items[i]);
	free(list->items);
	memset(list, 0, sizeof(*list));
}
