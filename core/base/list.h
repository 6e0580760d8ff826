/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * list.h - growing arrays, and the lists of texts a configuration is made of.
 */

#ifndef OMEGA_BASE_LIST_H
#define OMEGA_BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A text and where it was written. */
struct omega_conf_text {
	char *text; /* NULL: not set */
	char *file;
	uint32_t line;
};

struct omega_conf_list {
	struct omega_conf_text *items;
	size_t count;
};

/*
 * Room for one more, zeroed, behind the count elements of array, which was
 * grown by this function only and may be NULL when count is 0. Returns the
 * array, or NULL when out of memory and then array is as before.
 */
void *omega_list_grow(void *array, size_t count, size_t size);

/* A copy of what and where at the end of a list; 0, or -ENOMEM and the list is
 * as before. */
int omega_list_add(struct omega_conf_list *list, const char *what,
    const char *file, uint32_t line);

/* By the bytes of the texts. */
void omega_list_sort(struct omega_conf_list *list);

/* Is this text one of them? */
bool omega_list_has(const struct omega_conf_list *list, const char *what);

void omega_list_clear(struct omega_conf_list *list);

#endif
