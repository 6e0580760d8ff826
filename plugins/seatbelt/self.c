/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * self.c - see self.h.
 */

#include "self.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apply.h"

#define NAME_SIZE sizeof("P18446744073709551615")

/* Copy a string with its end. Where the next one goes. */
static char *
put(char *to, const char *text)
{
	size_t size = strlen(text) + 1;

	memcpy(to, text, size);
	return to + size;
}

void *
self_pack(const struct profile *profile, size_t *size)
{
	size_t room = strlen(profile->text) + 2;
	char *packed;
	char *to;
	size_t i;

	for (i = 0; i < profile->count; i++)
		room += NAME_SIZE + strlen(profile->values[i]) + 1;
	packed = calloc(1, room);
	if (packed == NULL)
		return NULL;
	to = put(packed, profile->text);
	for (i = 0; i < profile->count; i++) {
		to += snprintf(to, NAME_SIZE, "P%zu", i) + 1;
		to = put(to, profile->values[i]);
	}
	*size = (size_t)(to + 1 - packed);
	return packed;
}

const char **
self_unpack(const void *packed)
{
	const char *start = (const char *)packed + strlen(packed) + 1;
	const char *at;
	const char **list;
	size_t count = 0;

	for (at = start; *at != '\0'; at += strlen(at) + 1)
		count++;
	list = calloc(count + 1, sizeof(*list));
	if (list == NULL)
		return NULL;
	count = 0;
	for (at = start; *at != '\0'; at += strlen(at) + 1)
		list[count++] = at;
	return list;
}

int
self_confine(const void *packed)
{
	const char **params = self_unpack(packed);
	int ret;

	if (params == NULL)
		return -ENOMEM;
	ret = apply_to_self(packed, params);
	free(params);
	return ret;
}
