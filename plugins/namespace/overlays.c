/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * overlays.c - see plan.h.
 *
 * A place in an overlay is by its path below each of the lower layers; the
 * upper one, which may get it at any time, and the work directory are nobody's
 * business and are taken as a whole. A place in a layer is by its path there
 * in the overlay.
 */

#include "plan.h"

#include <sys/stat.h>
#include <sys/xattr.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The options say lowerdir=A:B:C, where a colon in a name has a backslash
 * before it, or lowerdir+=A,lowerdir+=B with names as they are. Either way the
 * kernel writes commas, spaces and backslashes as \ooo.
 */

/* Called for each by its name, until it returns something else than 0. */
typedef int layer_fn(void *arg, const char *name, enum layers_kind kind);

/* Take the backslashes out of what comes before an end, or to the end of the
 * text. Returns what is behind it. */
static char *
strip(char *text, char end)
{
	char *to = text;
	char *next;

	for (; *text != '\0' && *text != end; text++) {
		if (text[0] == '\\' && text[1] != '\0')
			text++;
		*to++ = *text;
	}
	next = *text == '\0' ? text : text + 1;
	*to = '\0';
	return next;
}

/* The names of a list, which is destroyed. */
static int
each_listed(char *list, layer_fn *fn, void *arg)
{
	int ret = 0;

	while (ret == 0 && *list != '\0') {
		char *next = strip(list, ':');

		if (*list != '\0') /* two colons are before what is data only */
			ret = fn(arg, list, LAYERS_LOWER);
		list = next;
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
	char *plain;
	char *path;

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
	plain = strdup(name);
	if (plain == NULL)
		return NULL;
	strip(plain, '\0');
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
	struct ways ways = {.is_closed = 0};
	struct caller caller;

	places_caller(&caller);
	return name[0] != '/' || strlen(name) >= PATH_MAX ||
	       ways_follow(&ways, name, is_turnable, &caller) != 0 ||
	       ways.is_closed;
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

	layer = texts_grow(layers->list, layers->count, sizeof(*layer));
	if (layer == NULL)
		return -ENOMEM;
	layers->list = layer;
	layer = &layers->list[layers->count++];
	*layer = (struct layer){
	    .mount = reading->mount, .kind = kind, .name = strdup(name)};
	if (layer->name == NULL)
		return -ENOMEM;
	layer->path = find_layer(reading->mount, name);
	layer->is_unsure = layer->path == NULL || is_unsure(name);
	return 0;
}

int
overlays_read(const struct table *table, struct layers *layers)
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
overlays_drop(struct layers *layers)
{
	while (layers->count > 0) {
		layers->count--;
		free(layers->list[layers->count].name);
		free(layers->list[layers->count].path);
	}
	free(layers->list);
}

struct work {
	const struct caller *caller;
	struct ops *ops;
	struct op op; /* whose names are looked for */
	const char *place; /* its own name */
	uint32_t type; /* of what is added */
	const struct table_mount *mount; /* the overlay */
	char *inside; /* the place from the overlay's root */
	char *gap;
	size_t size;
};

static void
tell(struct work *work, const char *what, const char *name)
{
	snprintf(work->gap, work->size, "%s %.60s of the overlay at %.60s",
	    what, name, work->mount->point);
}

/* Is something in this directory treated by itself? */
static int
holds_others(const struct ops *ops, const char *dir)
{
	size_t i;

	for (i = 0; i < ops->count; i++)
		if (strcmp(ops->list[i].path, dir) != 0 &&
		    places_is_below(ops->list[i].path, dir))
			return 1;
	return 0;
}

/* 0 or -errno; -ENOENT if there is nothing. */
static int
add(struct work *work, uint32_t type, const char *path)
{
	int ret;

	if (places_is_below(path, work->place) ||
	    ops_has_as_much(work->ops, type, path))
		return 0;
	ret = places_is_below(work->place, path)
		  ? -EBUSY
		  : ops_add_name(work->ops, type, path, &work->op);
	if (ret == -EBUSY)
		tell(work, "it lies in its own other name,", path);
	return ret == -EBUSY ? 0 : ret;
}

/* A directory that holds other things than the place. */
static int
add_alone(struct work *work, uint32_t type, const char *dir)
{
	size_t before = work->ops->count;
	int ret;

	ret = add(work, type, dir);
	if (work->ops->count > before)
		work->ops->list[before].is_alone = 1;
	return ret;
}

/*
 * A lower layer does not have the place. If it got it, the overlay would show
 * that too: so it must not.
 */
static int
keep_absent(struct work *work, const char *path)
{
	char dir[PATH_MAX];
	int ret;

	ret = places_existing(path, dir);
	/* It lies in a directory that cannot be named as a whole. */
	if (ret == -ENAMETOOLONG || ret == -EACCES) {
		tell(work, "it may be made in the layer", path);
		return 0;
	}
	if (ret < 0 || !places_can_write(work->caller, dir))
		return ret;
	if (dir[1] == '\0') {
		tell(work, "it can be made in the layer", dir);
		return 0;
	}
	return add_alone(work, REQUEST_READ_ONLY, dir);
}

/*
 * What was renamed in the overlay is below its layers by its old name. The
 * kernel shows the mark of that to root only.
 */
static int
look_for_renamed(struct work *work, const char *upper)
{
	static const char *const names[] = {
	    "trusted.overlay.redirect", "user.overlay.redirect"};
	char *path = table_append(upper, work->inside);
	int is_open;
	size_t i;

	if (path == NULL)
		return -ENOMEM;
	is_open = !work->caller->is_root &&
		  strstr(work->mount->options, "redirect_dir=on") != NULL;
	while (path[0] != '\0' && strcmp(path, upper) != 0) {
		for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			errno = 0;
			is_open |= lgetxattr(path, names[i], NULL, 0) > 0 ||
				   errno == EACCES || errno == ENAMETOOLONG;
		}
		*strrchr(path, '/') = '\0';
	}
	if (is_open)
		tell(work, "it has another name in the layers,",
		    "by a renamed directory");
	free(path);
	return 0;
}

/* The place is in the overlay: what of it is in this layer? */
static int
add_in_layer(struct work *work, const struct layer *layer)
{
	char *path;
	int ret = 0;

	/* What the root is made of was left behind by who made it. */
	if (layer->is_unsure && work->mount->point[1] != '\0')
		tell(work, "nobody tells for sure where to find", layer->name);
	if (layer->path == NULL)
		return 0;
	if (layer->kind == LAYERS_UPPER)
		ret = look_for_renamed(work, layer->path);
	if (ret == 0 && layer->kind != LAYERS_LOWER &&
	    !holds_others(work->ops, layer->path))
		return add_alone(work, work->type, layer->path);
	if (ret < 0 || layer->kind == LAYERS_WORK)
		return ret;
	path = table_append(layer->path, work->inside);
	if (path == NULL)
		return -ENOMEM;
	ret = add(work, work->type, path);
	if (ret == -ENOENT)
		ret = keep_absent(work, path);
	free(path);
	return ret;
}

/* The place is in a layer: add it as the overlay shows it. */
static int
add_shown(struct work *work, const char *inside)
{
	char *path = table_name_of(work->mount, inside);
	int ret = 0;

	if (path == NULL)
		return -errno;
	if (path[0] != '\0' && table_shows(work->mount, path))
		ret = add(work, work->type, path);
	free(path);
	return ret == -ENOENT ? 0 : ret;
}

/* A relative name that is part of the path: the layer that ends there, or
 * NULL. */
static char *
find_in_path(const char *path, const char *name)
{
	const size_t len = strlen(name);
	const char *at;

	for (at = strchr(path, '/'); at != NULL; at = strchr(at + 1, '/'))
		if (strncmp(at + 1, name, len) == 0 &&
		    (at[1 + len] == '/' || at[1 + len] == '\0'))
			return strndup(path, (size_t)(at + 1 + len - path));
	return NULL;
}

/*
 * Could a place be in a layer whose name leads elsewhere now, or nowhere? Root
 * turns any link, but not those of every container there is. What is shown
 * behind a closed directory of others is out of reach.
 */
static int
may_be_in(const struct work *work, const struct layer *layer)
{
	char found[PATH_MAX];
	int ret;

	if (layer->mount->point[1] == '\0' ||
	    (layer->name[0] == '/' && layer->path != NULL &&
		work->caller->is_root))
		return 0;
	ret = places_reach(layer->mount->point, found);
	return ret == 0 || (ret == 1 && places_can_write(work->caller, found));
}

static int
add_from_layer(struct work *work, const struct layer *layer)
{
	const char *path = layer->path;
	char *found = NULL;
	int ret = 0;

	if (layer->kind == LAYERS_WORK)
		return 0;
	if (layer->is_unsure && may_be_in(work, layer))
		tell(work, "nobody tells for sure whether it is in",
		    layer->name);
	if (path == NULL && layer->name[0] != '/')
		path = found = find_in_path(work->place, layer->name);
	if (path == NULL)
		return 0;
	if (places_is_below(work->place, path))
		ret = add_shown(work, table_rest(work->place, path));
	else if (places_is_below(path, work->place))
		ret = add_shown(work, "/");
	free(found);
	return ret;
}

int
overlays_add(struct ops *ops, size_t index, const struct setup *setup,
    char *gap, size_t size)
{
	struct work work = {
	    .caller = &setup->caller, .ops = ops, .gap = gap, .size = size};
	const struct layers *layers = &setup->layers;
	const struct table_mount *own;
	size_t i;
	int ret = 0;

	work.op = ops->list[index]; /* the list may move */
	work.place = ops_name(&work.op);
	own = work.op.meant != NULL ? table_find(&setup->table, work.place)
				    : table_by_id(&setup->table, work.op.mount);
	if (own == NULL)
		return 0;
	work.type = ops_type_elsewhere(&work.op);
	for (i = 0; ret == 0 && i < layers->count; i++) {
		work.mount = layers->list[i].mount;
		ret = add_from_layer(&work, &layers->list[i]);
		if (ret < 0 || work.mount != own)
			continue;
		work.inside = table_append(work.mount->root,
		    table_rest(work.place, work.mount->point));
		ret = work.inside == NULL
			  ? -ENOMEM
			  : add_in_layer(&work, &layers->list[i]);
		free(work.inside);
	}
	return ret;
}
