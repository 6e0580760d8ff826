/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * places.h - paths as text, and what the caller could do to them. Paths are
 * canonical: absolute, clean, without links.
 */

#ifndef NAMESPACE_PLACES_H
#define NAMESPACE_PLACES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Who is asking. */
struct caller {
	int is_root; /* by uid: what the machine is made of is its own */
	int can_mount; /* has the privileges for that */
	uint32_t flags; /* enum request_flag: how namespaces are made */
	uid_t uid;
};

/* Find out who we are. */
void places_caller(struct caller *caller);

/* Is path base, or below it? */
int places_is_below(const char *path, const char *base);

/* How many names a path has; 0 for "/". */
size_t places_depth(const char *path);

/* The directory a path is in, into parent[PATH_MAX]. "/" is in itself. */
void places_parent(const char *path, char *parent);

/* dir/name into path[PATH_MAX]. 0 or -ENAMETOOLONG. */
int places_join(const char *dir, const char *name, char *path);

/* Does this errno say that there is nothing? What may not be looked into, or
 * has too long a name, may well be there. */
int places_is_missing(int error);

/* The deepest part of path that exists, into found[PATH_MAX]. 0 or -errno. */
int places_existing(const char *path, char *found);

/*
 * What stands for path, which may be of any length, into found[PATH_MAX]. 0:
 * path itself. 1: the directory that is closed on the way, or the last one
 * whose name is short enough; what is behind it is not known. -errno.
 */
int places_reach(const char *path, char *found);

/* The number in a file below /proc/sys; otherwise if there is none. */
long places_number(const char *path, long otherwise);

/* Could the caller make names in dir, now or after a chmod? */
int places_can_write(const struct caller *caller, const char *dir);

/* Could the caller make a name in dir without any preparation? */
int places_may_create(const char *dir);

/* Could the caller rename what is at path? Something mounted cannot be. */
int places_can_rename(const struct caller *caller, const char *path);

#endif
