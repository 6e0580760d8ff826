/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * places.h - paths as text, what the caller could do to them, and which mounts
 * show them. Paths are canonical: absolute, clean, without links.
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

/* table.c: what is mounted where, as mountinfo tells it; a line of it. */
struct table_mount {
	uint64_t id;
	const char *device;
	const char *root;
	const char *point;
	const char *type; /* of the file system */
	const char *options; /* of the file system, escaped as they were */
};

struct table {
	char *text;
	struct table_mount *list;
	size_t count;
};

/* 0 or -errno; to be dropped in any case. */
int table_read(struct table *table);
void table_drop(struct table *table);

/* Take back the escapes of a field (\\ooo), in place. */
void table_unescape(char *text);

/* Is path on this mount, as far as can be seen? */
int table_shows(const struct table_mount *mount, const char *path);

/* The mount that path should be on, by its name alone; or NULL. */
const struct table_mount *table_find(
    const struct table *table, const char *path);

/* The mount of this number, or NULL. */
const struct table_mount *table_by_id(const struct table *table, uint64_t id);

/* What follows base in path, as a path; both may be "/". And base + path, to
 * be freed; NULL: no memory. */
const char *table_rest(const char *path, const char *base);
char *table_append(const char *base, const char *path);

/* The name that a mount gives to what is at inside in its file system, or to
 * the part of it that it shows; "": none. To be freed; NULL and errno. */
char *table_name_of(const struct table_mount *mount, const char *inside);

/* Is this type of file system a view of the machine, and keeps no files? */
int table_is_machine(const char *type);

enum layers_kind {
	LAYERS_LOWER,
	LAYERS_UPPER, /* what is changed is written here */
	LAYERS_WORK /* on the way to the upper one */
};

/* A directory an overlay is made of, as its options name it. */
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
};

/* overlays.c: those of all overlays of the table, which must stay. 0 or -errno;
 * to be dropped in any case. */
int overlays_read(const struct table *table, struct layers *layers);
void overlays_drop(struct layers *layers);

#endif
