/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * layers.c - see layers.h.
 *
 * The options say lowerdir=A:B:C, where a colon in a name has a backslash
 * before it, or lowerdir+=A,lowerdir+=B with names as they are. Either way the
 * kernel writes commas, spaces and backslashes as \ooo.
 */

#include "layers.h"

#include <sys/stat.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "places.h"
#include "ways.h"

/* Called for each by its name, until it returns something else than 0. */
typedef int layer_fn(void *arg, const char *name, enum layers_kind kind);

/* The names of a list, which is destroyed. */
static int
each_listed(char *list, layer_fn *fn, void *arg)
{
	const char *from;
	char *to = list;
	int ret = 0;

	for (from = list; ret == 0; from++) {
		if (from[0] == '\\' && from[1] != '\0') {
			*to++ = *++from;
			continue;
		}
		if (*from != ':' && *from != '\0') {
			*to++ = *from;
			continue;
		}
		if (to != list) { /* two colons are before what is data only */
			const char end = *from;

			*to = '\0';
			ret = fn(arg, list, LAYERS_LOWER);
			if (end == '\0')
				break;
		} else if (*from == '\0') {
			break;
		}
		to = list;
	}
	return ret;
}

static int
each_layer(const struct table_mount *mount, layer_fn *fn, void *arg)
{
	char *options = strdup(mount->options);
	char *save = NULL;
	char *option;
	int ret = 0;

	if (options == NULL)
		return -ENOMEM;
	for (option = strtok_r(options, ",", &save); ret == 0 && option != NULL;
	     option = strtok_r(NULL, ",", &save)) {
		char *value = strchr(option, '=');

		if (value == NULL)
			continue;
		*value++ = '\0';
		table_unescape(value);
		if (strcmp(option, "lowerdir") == 0)
			ret = each_listed(value, fn, arg);
		else if (strcmp(option, "lowerdir+") == 0 ||
			 strcmp(option, "datadir+") == 0)
			ret = fn(arg, value, LAYERS_LOWER);
		else if (strcmp(option, "upperdir") == 0)
			ret = fn(arg, value, LAYERS_UPPER);
		else if (strcmp(option, "workdir") == 0)
			ret = fn(arg, value, LAYERS_WORK);
	}
	free(options);
	return ret;
}

/* Where a directory is. NULL: nowhere, or no memory. */
static char *
find_directory(const char *name)
{
	char *path = realpath(name, NULL);
	struct stat st;

	if (path == NULL || (stat(path, &st) == 0 && S_ISDIR(st.st_mode)))
		return path;
	free(path);
	return NULL;
}

/*
 * Where it would be if what is behind a closed directory, or behind too long a
 * name, were no links.
 */
static char *
find_closed(const char *name)
{
	char *start = strdup(name);
	char *path = NULL;
	char *real = NULL;
	char *slash;

	while (start != NULL && real == NULL) {
		real = realpath(start[0] == '\0' ? "/" : start, NULL);
		slash = strrchr(start, '/');
		if (real != NULL || slash == NULL ||
		    (errno != EACCES && errno != ENAMETOOLONG))
			break;
		*slash = '\0';
	}
	if (real != NULL &&
	    asprintf(&path, "%s%s/", real[1] == '\0' ? "" : real,
		name + strlen(start)) < 0)
		path = NULL;
	free(real);
	free(start);
	if (path != NULL && strstr(path, "/./") == NULL &&
	    strstr(path, "/../") == NULL && strstr(path, "//") == NULL) {
		path[strlen(path) - 1] = '\0';
		return path;
	}
	free(path);
	return NULL;
}

/* Below what is above this one. */
static char *
find_above(const char *below, const char *name)
{
	char *above = strdup(below);
	char *found = NULL;
	char *whole;
	char *slash;

	while (above != NULL && found == NULL &&
	       (slash = strrchr(above, '/')) != NULL) {
		*slash = '\0';
		if (asprintf(&whole, "%s/%s", above, name) < 0)
			break;
		found = find_directory(whole);
		free(whole);
	}
	free(above);
	return found;
}

struct wanted {
	const char *name;
	char *path;
};

static int
find_beside(void *arg, const char *other, enum layers_kind kind)
{
	struct wanted *wanted = arg;

	(void)kind;
	if (other[0] == '/')
		wanted->path = find_above(other, wanted->name);
	return wanted->path != NULL;
}

static char *
find_layer(const struct table_mount *mount, const char *name)
{
	struct wanted wanted = {name, NULL};
	const char *from = name;
	char *plain;
	char *path;
	char *to;

	if (name[0] == '\0')
		return NULL;
	if (name[0] != '/') {
		path = find_above(mount->point, name);
		if (path == NULL)
			each_layer(mount, find_beside, &wanted);
		return path != NULL ? path : wanted.path;
	}
	path = find_directory(name);
	if (path != NULL)
		return path;
	/* Older kernels leave the caller's backslashes in other options. */
	plain = to = malloc(strlen(name) + 1);
	if (plain == NULL)
		return NULL;
	do {
		if (from[0] == '\\' && from[1] != '\0')
			from++;
		*to++ = *from;
	} while (*from++ != '\0');
	path = find_directory(plain);
	free(plain);
	return path != NULL ? path : find_closed(name);
}

/* May the caller turn this link? What is not 0 ends the walk. */
static int
is_turnable(void *arg, const char *link)
{
	const struct caller *caller = arg;
	char dir[PATH_MAX];

	places_parent(link, dir);
	return places_can_write(caller, dir);
}

static int
is_unsure(const char *name)
{
	char closed[PATH_MAX] = "";
	struct caller caller;

	places_caller(&caller);
	return name[0] != '/' || strlen(name) >= PATH_MAX ||
	       ways_follow(name, is_turnable, &caller, closed) != 0 ||
	       closed[0] != '\0';
}

struct reading {
	const struct table_mount *mount;
	struct layers *layers;
};

static int
take_layer(void *arg, const char *name, enum layers_kind kind)
{
	const struct reading *reading = arg;
	struct layers *layers = reading->layers;
	struct layer *layer;

	if (layers->count == layers->capacity) {
		const size_t capacity =
		    layers->capacity == 0 ? 16 : layers->capacity * 2;

		layer = reallocarray(layers->list, capacity, sizeof(*layer));
		if (layer == NULL)
			return -ENOMEM;
		layers->list = layer;
		layers->capacity = capacity;
	}
	layer = &layers->list[layers->count++];
	memset(layer, 0, sizeof(*layer));
	layer->mount = reading->mount;
	layer->kind = kind;
	layer->name = strdup(name);
	if (layer->name == NULL)
		return -ENOMEM;
	layer->path = find_layer(reading->mount, name);
	layer->is_unsure = layer->path == NULL || is_unsure(name);
	return 0;
}

int
layers_read(const struct table *table, struct layers *layers)
{
	struct reading reading = {.layers = layers};
	size_t i;
	int ret = 0;

	memset(layers, 0, sizeof(*layers));
	for (i = 0; ret == 0 && i < table->count; i++) {
		reading.mount = &table->list[i];
		if (strcmp(reading.mount->type, "overlay") == 0)
			ret = each_layer(reading.mount, take_layer, &reading);
	}
	return ret;
}

void
layers_drop(struct layers *layers)
{
	while (layers->count > 0) {
		layers->count--;
		free(layers->list[layers->count].name);
		free(layers->list[layers->count].path);
	}
	free(layers->list);
}
