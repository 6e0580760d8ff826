/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * watch.c - see watch.h.
 */

#include "watch.h"

#include <stdlib.h>
#include <string.h>

/* Add it with its end to what is packed. */
static void *
append(char *packed, size_t *size, const char *text)
{
	size_t len = strlen(text) + 1;
	char *more = realloc(packed, *size + len + 1);

	if (more == NULL) {
		free(packed);
		return NULL;
	}
	memcpy(more + *size, text, len);
	*size += len;
	more[*size] = '\0';
	return more;
}

/* What is absent leads to "-", which is no absolute path. */
static void *
append_target(char *packed, size_t *size, const char *path)
{
	char *real = realpath(path, NULL);

	packed = append(packed, size, real == NULL ? "-" : real);
	free(real);
	return packed;
}

void *
watch_pack(const struct texts *paths, size_t *size)
{
	char *packed = calloc(1, 1);
	size_t i;

	*size = 0;
	for (i = 0; packed != NULL && i < paths->count; i++) {
		packed = append(packed, size, paths->list[i]);
		if (packed != NULL)
			packed = append_target(packed, size, paths->list[i]);
	}
	*size += 1;
	return packed;
}

int
watch_check(const void *packed)
{
	const char *path = packed;
	int is_changed = 0;

	while (!is_changed && *path != '\0') {
		const char *target = path + strlen(path) + 1;
		char *real = realpath(path, NULL);

		is_changed = strcmp(real == NULL ? "-" : real, target) != 0;
		free(real);
		path = target + strlen(target) + 1;
	}
	return is_changed;
}
