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

#include <sys/xattr.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "places.h"
#include "request.h"

struct work {
	struct ops *ops;
	struct op op; /* whose names are looked for */
	const char *place; /* its own name */
	uint32_t type; /* of what is added */
	const struct table_mount *mount; /* the overlay */
	char *inside; /* the place from the overlay's root */
	char *gap;
	size_t size;
};

/* base + path, where each may be "/". NULL: no memory. */
static char *
append(const char *base, const char *path)
{
	char *whole = NULL;

	if (asprintf(&whole, "%s%s", base[1] == '\0' ? "" : base,
		path[1] == '\0' && base[1] != '\0' ? "" : path) < 0)
		return NULL;
	return whole;
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
		    strcmp(ops_name(&ops->list[i]), path) == 0)
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

/* 0 or -errno; -ENOENT if there is nothing. */
static int
add(struct work *work, uint32_t type, const char *path)
{
	int ret;

	if (places_is_below(path, work->place) ||
	    is_known(work->ops, type, path))
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
	struct caller caller;
	char dir[PATH_MAX];
	int ret;

	places_caller(&caller);
	ret = places_existing(path, dir);
	/* It lies in a directory that cannot be named as a whole. */
	if (ret == -ENAMETOOLONG || ret == -EACCES) {
		tell(work, "it may be made in the layer", path);
		return 0;
	}
	if (ret < 0 || !places_can_write(&caller, dir))
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
	char *path = append(upper, work->inside);
	struct caller caller;
	int is_open;
	size_t i;

	if (path == NULL)
		return -ENOMEM;
	places_caller(&caller);
	is_open = !caller.is_root &&
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
	path = append(layer->path, work->inside);
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
	const struct table_mount *mount = work->mount;
	const char *rest = "/";
	char *path;
	uint64_t id;
	int ret;

	if (places_is_below(inside, mount->root))
		rest = rest_of(inside, mount->root);
	else if (!places_is_below(mount->root, inside))
		return 0;
	path = append(mount->point, rest);
	if (path == NULL)
		return -ENOMEM;
	/* Unless something else is in front of it. */
	if (table_mount_of(path, &id) == 0 && id != mount->id)
		ret = 0;
	else
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
may_be_in(const struct layer *layer)
{
	struct caller caller;
	char found[PATH_MAX];
	int ret;

	places_caller(&caller);
	if (layer->mount->point[1] == '\0' ||
	    (layer->name[0] == '/' && layer->path != NULL && caller.is_root))
		return 0;
	ret = places_reach(layer->mount->point, found);
	return ret == 0 || (ret == 1 && places_can_write(&caller, found));
}

static int
add_from_layer(struct work *work, const struct layer *layer)
{
	char *path = NULL;
	int ret = 0;

	if (layer->kind == LAYERS_WORK)
		return 0;
	if (layer->is_unsure && may_be_in(layer))
		tell(work, "nobody tells for sure whether it is in",
		    layer->name);
	if (layer->path != NULL)
		path = strdup(layer->path);
	else if (layer->name[0] != '/')
		path = find_in_path(work->place, layer->name);
	if (path == NULL)
		return layer->path != NULL ? -ENOMEM : 0;
	if (places_is_below(work->place, path))
		ret = add_shown(work, rest_of(work->place, path));
	else if (places_is_below(path, work->place))
		ret = add_shown(work, "/");
	free(path);
	return ret;
}

int
overlays_add(struct ops *ops, size_t index, uint64_t mount,
    const struct layers *layers, char *gap, size_t size)
{
	struct work work = {.ops = ops, .gap = gap, .size = size};
	size_t i;
	int ret = 0;

	work.op = ops->list[index]; /* the list may move */
	work.place = ops_name(&work.op);
	work.type =
	    work.op.type == REQUEST_SHIELD ? REQUEST_DENY : work.op.type;
	for (i = 0; ret == 0 && i < layers->count; i++) {
		work.mount = layers->list[i].mount;
		ret = add_from_layer(&work, &layers->list[i]);
		if (ret < 0 || work.mount->id != mount)
			continue;
		work.inside = append(
		    work.mount->root, rest_of(work.place, work.mount->point));
		ret = work.inside == NULL
			  ? -ENOMEM
			  : add_in_layer(&work, &layers->list[i]);
		free(work.inside);
	}
	return ret;
}
