/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * taken.c - see ops.h. Open addressing, at most half full.
 */

#include "ops.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Where the path is, or would be. */
static struct taken_slot *
find(const struct taken *taken, const char *path, size_t len)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
	size_t i;

	for (i = 0; i < len; i++)
		hash = (hash ^ (uint8_t)path[i]) * UINT64_C(0x100000001b3);
	for (i = (size_t)(hash ^ hash >> 32);; i++) {
		struct taken_slot *slot = &taken->slots[i & (taken->size - 1)];

		if (slot->path == NULL ||
		    (strncmp(slot->path, path, len) == 0 &&
			slot->path[len] == '\0'))
			return slot;
	}
}

static int
grow(struct taken *taken)
{
	struct taken larger = {.size = taken->size == 0 ? 64 : taken->size * 2,
	    .count = taken->count};
	size_t i;

	larger.slots = calloc(larger.size, sizeof(*larger.slots));
	if (larger.slots == NULL)
		return -ENOMEM;
	for (i = 0; i < taken->size; i++)
		if (taken->slots[i].path != NULL)
			*find(&larger, taken->slots[i].path,
			    strlen(taken->slots[i].path)) = taken->slots[i];
	free(taken->slots);
	*taken = larger;
	return 0;
}

int
taken_add(struct taken *taken, const char *path, uint32_t bits)
{
	struct taken_slot *slot;

	if (taken->count * 2 >= taken->size && grow(taken) < 0)
		return -ENOMEM;
	slot = find(taken, path, strlen(path));
	if (slot->path == NULL) {
		slot->path = path;
		taken->count++;
	}
	slot->bits |= bits;
	return 0;
}

uint32_t
taken_at(const struct taken *taken, const char *path, size_t len)
{
	return taken->size == 0 ? 0 : find(taken, path, len)->bits;
}

size_t
taken_above(const char *path, size_t len)
{
	if (len <= 1)
		return 0;
	do
		len--;
	while (len > 0 && path[len] != '/');
	return len == 0 ? path[0] == '/' : len;
}

int
texts_append(struct texts *texts, const void *bytes, size_t len)
{
	if (texts->size + len >= texts->capacity) {
		const size_t capacity = 2 * (texts->capacity + len) + 4096;
		char *larger = realloc(texts->bytes, capacity);

		if (larger == NULL)
			return -ENOMEM;
		texts->bytes = larger;
		texts->capacity = capacity;
	}
	memcpy(texts->bytes + texts->size, bytes, len);
	texts->size += len;
	texts->bytes[texts->size] = '\0';
	return 0;
}

int
texts_add(struct texts *texts, const char *text)
{
	return texts_append(texts, text, strlen(text) + 1);
}

void *
texts_grow(void *list, size_t count, size_t size)
{
	/* Room is doubled, so a power of two is the moment to do it. */
	if (count != 0 && (count & (count - 1)) != 0)
		return list;
	return reallocarray(list, count == 0 ? 1 : count * 2, size);
}

void
taken_drop(struct taken *taken)
{
	free(taken->slots);
	memset(taken, 0, sizeof(*taken));
}
