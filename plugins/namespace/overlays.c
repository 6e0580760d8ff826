/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * overlays.c - see overlays.h.
 *
 * A place in an overlay is by its path below each of the lower layers; the
 * upper one, which may get it at any time, and the work directory are nobody's
 * business and are taken as a whole. A place in a layer is by its path there
 * in the overlay.
 */

#include "overlays.h"

#include <sys/stat.h>
#include <sys/xattr.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "places.h"
#include "request.h"

struct work {
	struct ops *ops;
	struct op op; /* whose names are looked for */
	uint32_t type; /* of what is added */
	const struct table_mount *mount; /* the overlay */
	char inside[PATH_MAX]; /* the place from the overlay's root */
	char *gap;
	size_t size;
};

/* base + path, where each may be "/". 0, or 1 when it is too long. */
static int
append(char *to, const char *base, const char *path)
{
	const int len = snprintf(to, PATH_MAX, "%s%s",
	    base[1] == '\0' ? "" : base, path[1] == '\0' ? "" : path);

	if (len == 0)
		snprintf(to, PATH_MAX, "/");
	return len >= PATH_MAX;
}

/* What follows base in path, as a path. */
static const char *
rest_of(const char *path, const char *base)
{
	const char *rest = path + (base[1] == '\0' ? 0 : strlen(base));

	return rest[0] == '\0' ? "/" : rest;
}

static void
tell(struct work *work, const char *what, const char *name)
{
	snprintf(work->gap, work->size, "%s %.60s of the overlay at %.60s",
	    what, name, work->mount->point);
}

static int
is_known(const struct ops *ops, uint32_t type, const char *path)
{
	size_t i;

	for (i = 0; i < ops->count; i++)
		if ((ops->list[i].type >= type ||
			ops->list[i].type == REQUEST_SHIELD) &&
		    strcmp(ops->list[i].path, path) == 0)
			return 1;
	return 0;
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

static int
add(struct work *work, uint32_t type, const char *path)
{
	if (places_is_below(path, work->op.path) ||
	    is_known(work->ops, type, path))
		return 0;
	if (places_is_below(work->op.path, path)) {
		tell(work, "it lies in its own other name,", path);
		return 0;
	}
	return ops_add(work->ops, type, path);
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
	struct caller caller;
	char dir[PATH_MAX];
	int ret;

	places_caller(&caller);
	ret = places_existing(path, dir);
	if (ret < 0 || !places_can_write(&caller, dir))
		return ret;
	if (dir[1] == '\0') {
		tell(work, "it can be made in the layer", dir);
		return 0;
	}
	return add_alone(work, REQUEST_READ_ONLY, dir);
}

/* What was renamed in the overlay is below its layers by its old name. */
static void
look_for_renamed(struct work *work, const char *upper)
{
	static const char *const names[] = {
	    "trusted.overlay.redirect", "user.overlay.redirect"};
	char path[PATH_MAX];
	char *slash;
	size_t i;

	if (append(path, upper, work->inside))
		return;
	while (path[0] != '\0' && places_is_below(path, upper) &&
	       strcmp(path, upper) != 0) {
		for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			if (lgetxattr(path, names[i], NULL, 0) > 0)
				tell(work, "it has another name in the layers,",
				    "by a renamed directory");
		slash = strrchr(path, '/');
		if (slash == NULL)
			break;
		*slash = '\0';
	}
}

/* The place is in the overlay: what of it is in this layer? */
static int
add_in_layer(struct work *work, const struct layer *layer)
{
	char path[PATH_MAX];
	struct stat st;

	/* What the root is made of was left behind by who made it. */
	if ((layer->path == NULL || layer->is_unsure) &&
	    work->mount->point[1] != '\0')
		tell(work, "nobody tells for sure where to find", layer->name);
	if (layer->path == NULL)
		return 0;
	if (layer->kind == LAYERS_UPPER)
		look_for_renamed(work, layer->path);
	if (layer->kind != LAYERS_LOWER &&
	    !holds_others(work->ops, layer->path))
		return add_alone(work, work->type, layer->path);
	if (layer->kind == LAYERS_WORK ||
	    append(path, layer->path, work->inside))
		return 0;
	if (lstat(path, &st) == 0)
		return add(work, work->type, path);
	return places_is_absent(errno) ? keep_absent(work, path) : -errno;
}

/* The place is in a layer: add it as the overlay shows it. */
static int
add_shown(struct work *work, const char *inside)
{
	const struct table_mount *mount = work->mount;
	char path[PATH_MAX];
	struct stat st;
	uint64_t id;
	int ret;

	if (places_is_below(inside, mount->root)) {
		if (append(path, mount->point, rest_of(inside, mount->root)))
			return 0;
		if (lstat(path, &st) != 0)
			return places_is_absent(errno) ? 0 : -errno;
	} else if (places_is_below(mount->root, inside)) {
		snprintf(path, sizeof(path), "%s", mount->point);
		ret = table_mount_of(path, &id);
		if (ret < 0 || id != mount->id)
			return places_is_absent(-ret) ? 0 : ret;
	} else {
		return 0;
	}
	return add(work, work->type, path);
}

/* A relative name that is part of the path: does the layer end there? */
static int
find_in_path(const char *path, const char *name, char *layer)
{
	const size_t len = strlen(name);
	const char *at;

	for (at = strchr(path, '/'); at != NULL; at = strchr(at + 1, '/'))
		if (strncmp(at + 1, name, len) == 0 &&
		    (at[1 + len] == '/' || at[1 + len] == '\0')) {
			snprintf(layer, PATH_MAX, "%.*s",
			    (int)(at + 1 + len - path), path);
			return 1;
		}
	return 0;
}

/*
 * Could a place be in a layer whose name leads elsewhere now? Root turns any
 * link, but not those of every container there is.
 */
static int
may_be_in(const struct layer *layer)
{
	struct caller caller;

	places_caller(&caller);
	return layer->mount->point[1] != '\0' &&
	       (layer->name[0] != '/' || !caller.is_root);
}

static int
add_from_layer(struct work *work, const struct layer *layer)
{
	const char *place = work->op.path;
	char path[PATH_MAX];

	if (layer->kind == LAYERS_WORK)
		return 0;
	if (layer->is_unsure && may_be_in(layer))
		tell(work, "nobody tells for sure whether it is in",
		    layer->name);
	if (layer->path != NULL)
		strcpy(path, layer->path);
	else if (layer->name[0] == '/' ||
		 !find_in_path(place, layer->name, path))
		return 0;
	if (places_is_below(place, path))
		return add_shown(work, rest_of(place, path));
	return places_is_below(path, place) ? add_shown(work, "/") : 0;
}

int
overlays_add(struct ops *ops, size_t index, const struct layers *layers,
    char *gap, size_t size)
{
	struct work work = {.ops = ops, .gap = gap, .size = size};
	uint64_t id;
	size_t i;
	int ret;

	work.op = ops->list[index]; /* the list may move */
	work.type =
	    work.op.type == REQUEST_SHIELD ? REQUEST_DENY : work.op.type;
	ret = table_mount_of(work.op.path, &id);
	if (ret < 0)
		return places_is_absent(-ret) ? 0 : ret;
	for (i = 0; ret == 0 && i < layers->count; i++) {
		work.mount = layers->list[i].mount;
		ret = add_from_layer(&work, &layers->list[i]);
		if (ret == 0 && work.mount->id == id &&
		    !append(work.inside, work.mount->root,
			rest_of(work.op.path, work.mount->point)))
			ret = add_in_layer(&work, &layers->list[i]);
	}
	return ret;
}
