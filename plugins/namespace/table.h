/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * table.h - what is mounted where, as mountinfo tells it.
 */

#ifndef NAMESPACE_TABLE_H
#define NAMESPACE_TABLE_H

#include <stddef.h>
#include <stdint.h>

/* A line of it. */
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

/* The number of the mount that path is on. 0 or -errno. */
int table_mount_of(const char *path, uint64_t *id);

/* The mount that path should be on, by its name alone; or NULL. */
const struct table_mount *table_find(
    const struct table *table, const char *path);

/* Is this type of file system a view of the machine, and keeps no files? */
int table_is_machine(const char *type);

#endif
