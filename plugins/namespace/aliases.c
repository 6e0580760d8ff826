/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * aliases.c - see plan.h.
 *
 * A line of mountinfo says: number of the mount, its parent, device, the
 * directory of the file system that is shown (root), where it is shown
 * (point). A place on mount M lies at root(M) + what follows point(M) inside
 * its file system; every other mount of the device whose root contains that,
 * or lies in it, shows it as well.
 */

#include "plan.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where names are looked for, and what is told of those left open. */
struct search {
	struct ops *ops;
	const struct setup *setup;
	char *gap;
	size_t size;
};

/* Add the same for a name, if it is this mount that shows what is there. */
static int
add_shown(struct search *search, const struct op *op,
    const struct table_mount *mount, const char *path)
{
	int ret;

	if (!table_shows(mount, path))
		return 0;
	ret = ops_add_name(search->ops, ops_type_elsewhere(op), path, op);
	if (ret == -EBUSY && search->size > 0)
		snprintf(search->gap, search->size,
		    "what is in the way of %.100s cannot be hidden", path);
	return ret == -EBUSY || ret == -ENOENT ? 0 : ret;
}

/* Add the name that mount other gives to what is at inside, if it does. */
static int
add_name(struct search *search, const struct op *op,
    const struct table_mount *other, const char *inside)
{
	char *path = table_name_of(other, inside);
	int ret = 0;

	if (path == NULL)
		return -errno;
	if (path[0] != '\0' && path[1] != '\0' &&
	    !places_is_below(path, ops_name(op)))
		ret = add_shown(search, op, other, path);
	free(path);
	return ret;
}

static int
add_names(struct search *search, size_t index)
{
	const struct op op = search->ops->list[index]; /* the list may move */
	const struct table *table = &search->setup->table;
	const struct table_mount *own = op.meant != NULL
					    ? table_find(table, op.meant)
					    : table_by_id(table, op.mount);
	const struct table_mount *other = table->list;
	char *inside;
	int ret = 0;

	if (own == NULL)
		return 0;
	inside = table_append(own->root, table_rest(ops_name(&op), own->point));
	if (inside == NULL)
		return -ENOMEM;
	for (; ret == 0 && other < table->list + table->count; other++)
		if (other != own && strcmp(other->device, own->device) == 0)
			ret = add_name(search, &op, other, inside);
	free(inside);
	return ret;
}

/* The same for one that is mounted elsewhere, for a chroot perhaps. */
static int
add_machine(struct search *search, const struct table_mount *mount)
{
	static const char *const secrets[] = {"kcore", "kmsg", "keys", NULL};
	static char root[] = "/";
	const struct op kept = {.type = REQUEST_READ_ONLY, .path = root};
	struct ops *ops = search->ops;
	const size_t before = ops->count;
	char path[PATH_MAX];
	size_t i;
	int ret;

	if (!table_is_machine(mount->type) ||
	    strcmp(mount->point, "/proc") == 0 ||
	    ops_is_covered(ops, mount->point))
		return 0;
	ret = add_shown(search, &kept, mount, mount->point);
	/* Hidden as a whole, or not there: no more is to be done. */
	if (ret < 0 || ops->count == before ||
	    ops->list[before].type == REQUEST_DENY ||
	    strcmp(mount->type, "proc") != 0)
		return ret;
	for (i = 0; ret == 0 && secrets[i] != NULL; i++) {
		ret = places_join(mount->point, secrets[i], path);
		if (ret == 0)
			ret = ops_add(ops, REQUEST_DENY, path);
	}
	return ret;
}

/* Is it a matter of content, so that other names count? */
static int
is_about_content(const struct op *op)
{
	return op->type == REQUEST_DENY || op->type == REQUEST_SHIELD ||
	       op->type == REQUEST_READ_ONLY ||
	       op->type == REQUEST_READ_ONLY_TOP || op->type == REQUEST_DEVICES;
}

/* By other mounts; then by overlays, and by other mounts of what they name. */
static int
add_everywhere(struct search *search)
{
	struct ops *ops = search->ops;
	size_t count = ops->count;
	size_t first = 0;
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < count; i++)
		if (is_about_content(&ops->list[i]))
			ret = add_names(search, i);
	while (
	    ret == 0 && search->setup->layers.count > 0 && first < ops->count) {
		const size_t before = ops->count;

		for (; ret == 0 && first < before; first++)
			if (is_about_content(&ops->list[first]) &&
			    !ops->list[first].is_alone)
				ret = overlays_add(ops, first, search->setup,
				    search->gap, search->size);
		count = ops->count;
		for (i = before; ret == 0 && i < count; i++)
			ret = add_names(search, i);
	}
	return ret;
}

int
aliases_add(const struct setup *setup, struct ops *ops)
{
	const struct table *table = &setup->table;
	char gap[ALIASES_GAP];
	struct search search = {ops, setup, gap, sizeof(gap)};
	size_t i;
	int ret = setup->table_error;

	if (ret == 0)
		ret = add_everywhere(&search);
	/* Of /proc a user has its own entries. */
	if (ops_has(ops, REQUEST_READ_ONLY, "/proc") ||
	    ops_has(ops, REQUEST_READ_ONLY, "/proc/sys"))
		for (i = 0; ret == 0 && i < table->count; i++)
			ret = add_machine(&search, &table->list[i]);
	return ret;
}

/* Is what is mounted here shown outside path, too? */
static int
is_elsewhere(const struct table *table, const struct table_mount *mount,
    const char *path)
{
	const struct table_mount *other = table->list;

	for (; other < table->list + table->count; other++)
		if (strcmp(other->device, mount->device) == 0 &&
		    !places_is_below(other->point, path) &&
		    (places_is_below(other->root, mount->root) ||
			places_is_below(mount->root, other->root)))
			return 1;
	return 0;
}

/*
 * What is mounted inside is out of reach there; by its other names it may be
 * all of /home, in a chroot, and is left alone.
 */
static void
look_inside(const struct table *table, const char *path, char *gap, size_t size)
{
	const struct table_mount *mount = table->list;

	for (; mount < table->list + table->count; mount++)
		if (places_is_below(mount->point, path) &&
		    strcmp(mount->point, path) != 0 &&
		    !table_is_machine(mount->type) &&
		    is_elsewhere(table, mount, path))
			snprintf(gap, size,
			    "what is mounted at %.100s has others",
			    mount->point);
}

int
aliases_look(
    const struct setup *setup, const char *path, char *gap, size_t size)
{
	struct ops ops = {.list = NULL};
	struct search search = {&ops, setup, gap, size};
	int ret;

	gap[0] = '\0';
	ret = ops_add(&ops, REQUEST_DENY, path);
	if (ret == 0 && ops.count > 0)
		ret = add_everywhere(&search);
	if (ret == 0)
		look_inside(&setup->table, path, gap, size);
	ops_drop(&ops);
	return ret < 0 ? ret : gap[0] != '\0';
}

int
aliases_add_sockets(const struct setup *setup, struct ops *ops, size_t first)
{
	const size_t count = ops->count;
	struct search search = {ops, setup, NULL, 0};
	int ret = first == count ? 0 : setup->table_error;

	for (; ret == 0 && first < count; first++)
		if (ops->list[first].type == REQUEST_DENY ||
		    ops->list[first].type == REQUEST_HIDE) {
			ret = add_names(&search, first);
			/* Who owns it has closed the way meanwhile. */
			if (ret == -EACCES)
				ret = 0;
		}
	return ret;
}
