/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * places.c - see places.h.
 */

#include "config.h"

#include "policy/places.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "path/text.h"
#include "policy/origin.h"

static void
clear_place(struct omega_combined_place *place)
{
	free(place->text);
	free(place->spelled);
	free(place->origin);
	memset(place, 0, sizeof(*place));
}

void
omega_places_drop(struct omega_combined_places *places)
{
	while (places->count > 0)
		clear_place(&places->list[--places->count]);
	free(places->list);
	places->list = NULL;
}

int
omega_places_add(struct omega_combined_places *places,
    const struct omega_place *found, const char *spelled, const char *file,
    uint32_t line, uint32_t access)
{
	struct omega_combined_place *place;

	place = omega_list_grow(places->list, places->count, sizeof(*place));
	if (place == NULL)
		return -ENOMEM;
	places->list = place;
	place += places->count;
	place->text = strdup(found->text);
	place->spelled = strdup(spelled);
	place->origin = omega_origin_text(file, line);
	place->exists = omega_place_exists(found);
	place->object = found->object;
	place->access = access;
	place->made = OMEGA_GIT_NOTHING;
	if (place->text == NULL || place->spelled == NULL ||
	    place->origin == NULL) {
		clear_place(place);
		return -ENOMEM;
	}
	places->count++;
	return 0;
}

/* ---- What places have in common -------------------------------------------
 */

bool
omega_places_has(const struct omega_combined_places *places, const char *text)
{
	size_t i;

	for (i = 0; i < places->count; i++)
		if (omega_text_is_below(text, strlen(text),
			places->list[i].text, strlen(places->list[i].text)))
			return true;
	return false;
}

/* Keep of places what is within the others; what is not is dropped. */
static void
keep_within(struct omega_combined_places *places,
    const struct omega_combined_places *others)
{
	size_t kept = 0;
	size_t i;

	for (i = 0; i < places->count; i++) {
		if (omega_places_has(others, places->list[i].text))
			places->list[kept++] = places->list[i];
		else
			clear_place(&places->list[i]);
	}
	places->count = kept;
}

/* Move all of from to the end of to. */
static int
append(struct omega_combined_places *to, struct omega_combined_places *from)
{
	size_t i;

	for (i = 0; i < from->count; i++) {
		struct omega_combined_place *list =
		    omega_list_grow(to->list, to->count, sizeof(*list));

		if (list == NULL)
			return -ENOMEM;
		to->list = list;
		list[to->count++] = from->list[i];
		memset(&from->list[i], 0, sizeof(from->list[i]));
	}
	return 0;
}

static int
copy_places(
    struct omega_combined_places *to, const struct omega_combined_places *from)
{
	size_t i;

	for (i = 0; i < from->count; i++) {
		struct omega_combined_place *list =
		    omega_list_grow(to->list, to->count, sizeof(*list));

		if (list == NULL)
			return -ENOMEM;
		to->list = list;
		list += to->count++;
		*list = from->list[i];
		list->text = strdup(from->list[i].text);
		list->spelled = strdup(from->list[i].spelled);
		list->origin = strdup(from->list[i].origin);
		if (list->text == NULL || list->spelled == NULL ||
		    list->origin == NULL)
			return -ENOMEM;
	}
	return 0;
}

int
omega_places_narrow(
    struct omega_combined_set *set, struct omega_combined_places *places)
{
	struct omega_combined_places before = {NULL, 0};
	int ret;

	if (!set->is_limited) {
		set->is_limited = true;
		ret = append(&set->places, places);
		omega_places_drop(places);
		return ret;
	}
	ret = copy_places(&before, &set->places);
	if (ret == 0) {
		keep_within(&set->places, places);
		keep_within(places, &before);
		ret = append(&set->places, places);
	}
	omega_places_drop(&before);
	omega_places_drop(places);
	return ret;
}
