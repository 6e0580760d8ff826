/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * ops.c - see ops.h.
 */

#include "ops.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "places.h"

#define BIT(type) (1u << (type))
#define MNT_ID 0x1000u /* STATX_MNT_ID */

/* What is at path now; 1: nothing. Or -errno. */
static int
look_at(const char *path, struct op *op)
{
	struct statx at;

	if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT,
		STATX_INO | MNT_ID, &at) != 0)
		return errno == ENOENT || errno == ENOTDIR ? 1 : -errno;
	op->device = makedev(at.stx_dev_major, at.stx_dev_minor);
	op->inode = at.stx_ino;
	op->mount = at.stx_mnt_id;
	return (at.stx_mask & MNT_ID) == 0 ? -ENOSYS : 0;
}

int
ops_add(struct ops *ops, uint32_t type, const char *path)
{
	struct op op = {.type = type, .order = (uint32_t)ops->count};
	struct op *list;
	int ret;

	ret = look_at(path, &op);
	if (ret != 0)
		return ret < 0 ? ret : 0;
	if (ops->count >= REQUEST_MAX_OPS)
		return -E2BIG;
	list = texts_grow(ops->list, ops->count, sizeof(*list));
	if (list == NULL)
		return -ENOMEM;
	ops->list = list;
	op.path = strdup(path);
	if (op.path == NULL)
		return -ENOMEM;
	ops->list[ops->count++] = op;
	return taken_add(&ops->taken, op.path, BIT(type));
}

/* Once; -EACCES when it was closed meanwhile. */
static int
add_name(struct ops *ops, uint32_t type, const char *name, const struct op *op)
{
	const size_t before = ops->count;
	char found[PATH_MAX];
	int ret;

	ret = places_reach(name, found);
	if (ret < 0)
		return places_is_missing(-ret) ? -ENOENT : ret;
	if (ret == 0)
		return ops_add(ops, type, name);
	if (found[1] == '\0' ||
	    (places_is_below(op->path, found) &&
		(op->type != REQUEST_DENY || strcmp(op->path, found) != 0)))
		return -EBUSY;
	ret = ops_add(ops, REQUEST_DENY, found);
	if (ret < 0 || ops->count == before)
		return ret;
	ops->list[before].meant = strdup(name);
	return ops->list[before].meant == NULL
		   ? -ENOMEM
		   : taken_add(&ops->taken, ops->list[before].meant,
			 BIT(REQUEST_DENY));
}

int
ops_add_name(
    struct ops *ops, uint32_t type, const char *name, const struct op *op)
{
	int tries = 10;
	int ret;

	do
		ret = add_name(ops, type, name, op);
	while (ret == -EACCES && --tries > 0);
	return ret;
}

/* Another name of the shielded directory is not needed by anybody. */
uint32_t
ops_type_elsewhere(const struct op *op)
{
	return op->type == REQUEST_SHIELD    ? REQUEST_DENY
	       : op->type == REQUEST_DEVICES ? REQUEST_READ_ONLY_TOP
					     : op->type;
}

const char *
ops_name(const struct op *op)
{
	return op->meant != NULL ? op->meant : op->path;
}

int
ops_has(const struct ops *ops, uint32_t type, const char *path)
{
	return (taken_at(&ops->taken, path, strlen(path)) & BIT(type)) != 0;
}

int
ops_has_as_much(const struct ops *ops, uint32_t type, const char *path)
{
	const uint32_t types = taken_at(&ops->taken, path, strlen(path));

	return types >> type != 0 || (types & BIT(REQUEST_SHIELD)) != 0;
}

int
ops_is_covered(const struct ops *ops, const char *path)
{
	size_t len;

	for (len = strlen(path); len > 0; len = taken_above(path, len))
		if ((taken_at(&ops->taken, path, len) &
			(BIT(REQUEST_DENY) | BIT(REQUEST_READ_ONLY))) != 0)
			return 1;
	return 0;
}

/* What comes before the strongest one at its place. */
static int
rank(const struct op *op)
{
	if (op->type == REQUEST_SHOW)
		return 0;
	return op->type == REQUEST_WRITABLE ? 1 : 2;
}

/*
 * Nearer to the root, then by name, then what is written to, then the
 * stronger, then as added.
 */
static int
compare(const void *a, const void *b)
{
	const struct op *x = a;
	const struct op *y = b;
	size_t depth_x = places_depth(x->path);
	size_t depth_y = places_depth(y->path);
	int order;

	if (depth_x != depth_y)
		return depth_x < depth_y ? -1 : 1;
	order = strcmp(x->path, y->path);
	if (order != 0)
		return order;
	if (rank(x) != rank(y))
		return rank(x) - rank(y);
	if (x->type != y->type)
		return x->type > y->type ? -1 : 1;
	if (x->flags != y->flags)
		return x->flags < y->flags ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

/* Is an operation needless because of those of these types, which are done at
 * its place, or above it by as much as rest says? */
static int
is_done_by(uint32_t types, const char *rest, uint32_t type)
{
	const uint32_t first = BIT(REQUEST_WRITABLE);
	const uint32_t shown = BIT(REQUEST_SHOW);

	if (type == REQUEST_SHOW)
		return (types & (BIT(REQUEST_DENY) | shown)) != 0;
	if (rest[0] == '\0' &&
	    ((types & ~(first | shown)) != 0 ||
		((types & shown) != 0 && type < REQUEST_WRITABLE) ||
		((types & first) != 0 && type <= REQUEST_WRITABLE)))
		return 1;
	if ((types & BIT(REQUEST_DENY)) != 0)
		return 1;
	if ((types & BIT(REQUEST_READ_ONLY)) != 0 &&
	    (type == REQUEST_READ_ONLY || type <= REQUEST_WRITABLE))
		return 1;
	if ((types & first) != 0 && type == REQUEST_WRITABLE)
		return 1;
	/* A shield leaves these out by itself. */
	return (types & BIT(REQUEST_SHIELD)) != 0 &&
	       (places_is_below(rest, "/" REQUEST_DATA) ||
		   places_is_below(rest, "/" REQUEST_CONFIG));
}

static int
is_needless(const struct taken *kept, const struct op *op)
{
	const size_t whole = strlen(op->path);
	int is_shown = op->type == REQUEST_SHOW;
	size_t len;

	for (len = whole; len > 0; len = taken_above(op->path, len)) {
		const uint32_t types = taken_at(kept, op->path, len);
		const char *rest = len == whole ? ""
				   : len == 1	? op->path
						: op->path + len;

		if (is_done_by(types, rest, op->type))
			return 1;
		is_shown |= (types & BIT(REQUEST_SHOW)) != 0;
		if ((types & BIT(REQUEST_DEVICES)) != 0 && len != whole &&
		    !is_shown)
			return 1;
	}
	return 0;
}

static void
drop(struct op *op)
{
	free(op->path);
	free(op->meant);
}

int
ops_settle(struct ops *ops)
{
	struct taken taken = {.slots = NULL};
	size_t kept = 0;
	size_t i;
	int ret = 0;

	if (ops->count > 1)
		qsort(ops->list, ops->count, sizeof(*ops->list), compare);
	for (i = 0; i < ops->count; i++) {
		struct op *op = &ops->list[i];

		if (ret < 0 || is_needless(&taken, op)) {
			drop(op);
			continue;
		}
		ret = taken_add(&taken, op->path, BIT(op->type));
		ops->list[kept++] = *op;
	}
	ops->count = kept;
	taken_drop(&ops->taken);
	ops->taken = taken;
	return ret;
}

int
ops_pack(const struct ops *ops, uint32_t flags, struct texts *bytes)
{
	struct request_head head = {.magic = REQUEST_MAGIC,
	    .flags = flags,
	    .count = (uint32_t)ops->count};
	struct request_op packed = {.path = 0};
	size_t text_size = 0;
	size_t i;
	int ret;

	for (i = 0; i < ops->count; i++)
		text_size += strlen(ops->list[i].path) + 1;
	if (ops->count > REQUEST_MAX_OPS || text_size > REQUEST_MAX_TEXT)
		return -E2BIG;
	head.text_size = (uint32_t)text_size;
	ret = texts_append(bytes, &head, sizeof(head));
	for (i = 0; ret == 0 && i < ops->count; i++) {
		packed.type = ops->list[i].type;
		packed.flags = ops->list[i].flags;
		packed.device = ops->list[i].device;
		packed.inode = ops->list[i].inode;
		ret = texts_append(bytes, &packed, sizeof(packed));
		packed.path += (uint32_t)strlen(ops->list[i].path) + 1;
	}
	for (i = 0; ret == 0 && i < ops->count; i++)
		ret = texts_add(bytes, ops->list[i].path);
	return ret;
}

void
ops_drop(struct ops *ops)
{
	while (ops->count > 0)
		drop(&ops->list[--ops->count]);
	free(ops->list);
	taken_drop(&ops->taken);
	memset(ops, 0, sizeof(*ops));
}
