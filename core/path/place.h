/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * place.h - where a path leads: its canonical name and what stands there.
 */

#ifndef OMEGA_PATH_PLACE_H
#define OMEGA_PATH_PLACE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "path/kernel.h"

struct omega_place {
	char text[PATH_MAX]; /* clean, and no symbolic link in what exists */
	size_t len;
	size_t anchor; /* bytes of text that name something that exists */
	struct omega_object object; /* what that is */
};

static inline bool
omega_place_exists(const struct omega_place *place)
{
	return place->anchor == place->len;
}

static inline bool
omega_object_is_same(const struct omega_object *a, const struct omega_object *b)
{
	return a->dev == b->dev && a->ino == b->ino;
}

/*
 * Look at a path that should contain no symbolic link. 0 when it does not:
 * place is filled. -ELOOP when it does. Anything else cannot be decided, in
 * particular ".." behind something that does not exist (-ENOENT), or what does
 * not pass omega_text_check.
 */
int omega_place_look(const char *path, struct omega_place *place);

/*
 * Find where a path leads, through links, dangling ones included. The caller
 * has put into place->text and place->len what omega_text_clean makes of it,
 * which takes a path that has passed omega_text_check. It is checked here
 * again: some paths were written by those who are to be kept out. 0: it leads
 * there. 1: there are links in it, and place->text is where they lead. Negative
 * errno: undecidable.
 *
 * is_rough: for a path that does not exist the anchor may be any directory on
 * the same mount, as far up as the root. Cheaper, if it is the root's mount.
 */
int omega_place_resolve(
    const char *path, bool is_rough, struct omega_place *place);

/* All of that, from any text: check, clean, resolve. 0 or a negative errno. */
int omega_place_find(const char *path, struct omega_place *place);

/* The same for an object that is open already. */
int omega_place_of(int fd, struct omega_place *place);

#endif
