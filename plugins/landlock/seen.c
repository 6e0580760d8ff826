/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * seen.c - see ruleset.h.
 */

#include "ruleset.h"

#include <sys/stat.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_PLACES 16384
#define SETTLING_MS 1000

/* The same in one piece, as a check wants it. */
struct packed {
	size_t count;
	int64_t made; /* when, in milliseconds */
	size_t text_at; /* offset of the texts */
	struct seen_place places[];
};

void
seen_drop(struct seen *seen)
{
	free(seen->places);
	free(seen->texts);
}

static int
look_at(const char *path, struct seen_place *place)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return -errno;
	place->device = st.st_dev;
	place->inode = st.st_ino;
	place->seconds = st.st_mtim.tv_sec;
	place->nanoseconds = st.st_mtim.tv_nsec;
	return 0;
}

static struct seen_place *
find(const struct seen *seen, const char *path)
{
	size_t i;

	for (i = 0; i < seen->count; i++)
		if (strcmp(seen->texts + seen->places[i].path, path) == 0)
			return &seen->places[i];
	return NULL;
}

int
seen_add(struct seen *seen, const char *path, int is_listed)
{
	struct seen_place *place = find(seen, path);
	size_t len = strlen(path) + 1;
	struct seen_place *places;
	char *texts;

	if (place != NULL) {
		place->is_listed |= (uint32_t)is_listed;
		return 0;
	}
	if (seen->count == MAX_PLACES)
		return -E2BIG;
	places = reallocarray(seen->places, seen->count + 1, sizeof(*places));
	if (places == NULL)
		return -ENOMEM;
	seen->places = places;
	texts = realloc(seen->texts, seen->text_size + len);
	if (texts == NULL)
		return -ENOMEM;
	seen->texts = texts;
	memcpy(texts + seen->text_size, path, len);
	place = &places[seen->count];
	place->path = (uint32_t)seen->text_size;
	place->is_listed = (uint32_t)is_listed;
	seen->text_size += len;
	seen->count++;
	return look_at(path, place);
}

static int64_t
now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/*
 * In the parent: are the rules still about all there is? What is new in a
 * directory that was enumerated is out of reach until there are other rules;
 * that does no harm for a moment, and a directory like /tmp never stands still.
 */
static int
check(const void *state)
{
	const struct packed *packed = state;
	const char *texts = (const char *)state + packed->text_at;
	int is_new = now_ms() - packed->made < SETTLING_MS;
	size_t i;

	for (i = 0; i < packed->count; i++) {
		const struct seen_place *then = &packed->places[i];
		struct seen_place now = {.device = 0};

		if (look_at(texts + then->path, &now) < 0 ||
		    now.device != then->device || now.inode != then->inode)
			return 1;
		if (then->is_listed && !is_new &&
		    (now.seconds != then->seconds ||
			now.nanoseconds != then->nanoseconds))
			return 1;
	}
	return 0;
}

int
seen_watch(const struct seen *seen, struct omega_sandbox_launch *launch)
{
	size_t places = seen->count * sizeof(*seen->places);
	size_t size = sizeof(struct packed) + places + seen->text_size;
	struct packed *packed;
	int ret;

	if (seen->count == 0)
		return 0;
	packed = malloc(size);
	if (packed == NULL)
		return -ENOMEM;
	packed->count = seen->count;
	packed->made = now_ms();
	packed->text_at = sizeof(*packed) + places;
	memcpy(packed->places, seen->places, places);
	memcpy((char *)packed + packed->text_at, seen->texts, seen->text_size);
	ret = launch->add_check(launch, check, packed, size);
	free(packed);
	return ret;
}
