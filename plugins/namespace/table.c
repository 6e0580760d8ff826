/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * table.c - see places.h.
 */

#include "places.h"

#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ops.h"

#define MNT_ID 0x1000u /* STATX_MNT_ID */

void
table_unescape(char *text)
{
	char *to = text;

	while (*text != '\0') {
		if (text[0] == '\\' && text[1] >= '0' && text[1] <= '3' &&
		    text[2] != '\0' && text[3] != '\0') {
			*to++ = (char)((text[1] - '0') << 6 |
				       (text[2] - '0') << 3 | (text[3] - '0'));
			text += 4;
		} else {
			*to++ = *text++;
		}
	}
	*to = '\0';
}

int
table_read(struct table *table)
{
	char *lines;
	char *line;
	char *save = NULL;
	size_t size = 0;
	FILE *file;
	int ret = 0;

	memset(table, 0, sizeof(*table));
	file = fopen("/proc/thread-self/mountinfo", "re");
	if (file == NULL)
		return -errno;
	if (getdelim(&table->text, &size, '\0', file) < 0 || ferror(file))
		ret = errno != 0 ? -errno : -EPROTO;
	fclose(file);
	if (ret < 0)
		return ret;
	lines = table->text;
	while ((line = strtok_r(lines, "\n", &save)) != NULL) {
		struct table_mount *mount;
		char *field[5];
		char *inner = NULL;
		char *options;
		char *type;
		size_t i;

		lines = NULL;
		mount = texts_grow(table->list, table->count, sizeof(*mount));
		if (mount == NULL)
			return -ENOMEM;
		table->list = mount;
		type = strstr(line, " - ");
		if (type == NULL)
			return -EPROTO;
		type += 3;
		options = strrchr(line, ' ') + 1;
		type[strcspn(type, " ")] = '\0';
		for (i = 0; i < 5; i++) {
			field[i] = strtok_r(i == 0 ? line : NULL, " ", &inner);
			if (field[i] == NULL)
				return -EPROTO;
		}
		table_unescape(field[3]);
		table_unescape(field[4]);
		mount = &table->list[table->count++];
		mount->id = strtoull(field[0], NULL, 10);
		mount->device = field[2];
		mount->root = field[3];
		mount->point = field[4];
		mount->type = type;
		mount->options = options;
	}
	return 0;
}

void
table_drop(struct table *table)
{
	free(table->list);
	free(table->text);
}

int
table_shows(const struct table_mount *mount, const char *path)
{
	struct statx at;

	return statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT,
		   MNT_ID, &at) != 0 ||
	       (at.stx_mask & MNT_ID) == 0 || at.stx_mnt_id == mount->id;
}

const struct table_mount *
table_find(const struct table *table, const char *path)
{
	const struct table_mount *found = NULL;
	const struct table_mount *mount = table->list;

	/* Of several at one point the last is in front. */
	for (; mount < table->list + table->count; mount++)
		if (places_is_below(path, mount->point) &&
		    (found == NULL ||
			strlen(mount->point) >= strlen(found->point)))
			found = mount;
	return found;
}

const struct table_mount *
table_by_id(const struct table *table, uint64_t id)
{
	const struct table_mount *mount = table->list;

	for (; mount < table->list + table->count; mount++)
		if (mount->id == id)
			return mount;
	return NULL;
}

const char *
table_rest(const char *path, const char *base)
{
	const char *rest = path + (base[1] == '\0' ? 0 : strlen(base));

	return rest[0] == '\0' ? "/" : rest;
}

char *
table_append(const char *base, const char *path)
{
	char *whole = NULL;

	if (asprintf(&whole, "%s%s", base[1] == '\0' ? "" : base,
		path[1] == '\0' && base[1] != '\0' ? "" : path) < 0) {
		errno = ENOMEM;
		return NULL;
	}
	return whole;
}

char *
table_name_of(const struct table_mount *mount, const char *inside)
{
	if (places_is_below(inside, mount->root))
		return table_append(
		    mount->point, table_rest(inside, mount->root));
	return places_is_below(mount->root, inside)
		   ? table_append(mount->point, "/")
		   : strdup("");
}

int
table_is_machine(const char *type)
{
	static const char *const types[] = {"proc", "sysfs", "cgroup",
	    "cgroup2", "debugfs", "tracefs", "securityfs", "configfs",
	    "efivarfs", "bpf", "pstore", "binfmt_misc", "selinuxfs", "smackfs",
	    "fusectl", "resctrl", "nfsd", "xenfs", NULL};
	size_t i;

	for (i = 0; types[i] != NULL; i++)
		if (strcmp(types[i], type) == 0)
			return 1;
	return 0;
}
