/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * layers.h - the directories an overlay is made of, as its options name them.
 */

#ifndef NAMESPACE_LAYERS_H
#define NAMESPACE_LAYERS_H

#include "table.h"

enum layers_kind {
	LAYERS_LOWER,
	LAYERS_UPPER, /* what is changed is written here */
	LAYERS_WORK /* on the way to the upper one */
};

struct layer {
	const struct table_mount *mount; /* the overlay */
	enum layers_kind kind;
	char *name; /* as it was given */
	/*
	 * Where it is, of any length; NULL: it cannot be found. A relative
	 * name was meant from a directory the kernel does not tell: it is
	 * looked for above the mount and above the other layers.
	 */
	char *path;
	/* It may lie elsewhere: it cannot be found, or not be looked at; the
	 * name is relative, or has links in directories that the caller can
	 * write. */
	int is_unsure;
};

struct layers {
	struct layer *list;
	size_t count;
	size_t capacity;
};

/* Those of all overlays of the table, which must stay. 0 or -errno; to be
 * dropped in any case. */
int layers_read(const struct table *table, struct layers *layers);
void layers_drop(struct layers *layers);

#endif
