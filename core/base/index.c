/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * index.c - see index.h. Open addressing, at most half full.
 */

#include "config.h"

#include "base/index.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static size_t
hash_of(const char *text)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

	for (; *text != '\0'; text++)
		hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
	return (size_t)(hash ^ hash >> 32);
}

static void
put(struct omega_index *index, const char *text, size_t at)
{
	size_t i = hash_of(text);

	while (index->slots[i & (index->size - 1)].text != NULL)
		i++;
	index->slots[i & (index->size - 1)] =
	    (struct omega_index_slot){text, at};
	index->count++;
}

int
omega_index_add(struct omega_index *index, const char *text, size_t at)
{
	struct omega_index larger = {
	    .size = index->size == 0 ? 64 : index->size * 2};
	size_t i;

	if (index->count * 2 >= index->size) {
		larger.slots = calloc(larger.size, sizeof(*larger.slots));
		if (larger.slots == NULL)
			return -ENOMEM;
		for (i = 0; i < index->size; i++)
			if (index->slots[i].text != NULL)
				put(&larger, index->slots[i].text,
				    index->slots[i].at);
		free(index->slots);
		*index = larger;
	}
	put(index, text, at);
	return 0;
}

size_t
omega_index_find(
    const struct omega_index *index, const char *text, size_t *turn)
{
	size_t first = hash_of(text);

	for (; *turn < index->size; ++*turn) {
		const struct omega_index_slot *slot =
		    &index->slots[(first + *turn) & (index->size - 1)];

		if (slot->text == NULL)
			break;
		if (strcmp(slot->text, text) == 0) {
			++*turn;
			return slot->at;
		}
	}
	return OMEGA_INDEX_NONE;
}

void
omega_index_drop(struct omega_index *index)
{
	free(index->slots);
	*index = (struct omega_index){.slots = NULL};
}
