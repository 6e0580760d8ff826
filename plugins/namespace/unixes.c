/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * unixes.c - see unixes.h.
 *
 * There is a table per network namespace, /proc/PID/net/unix, which everybody
 * may read; the inode of that file tells one namespace from another, also
 * where the link /proc/PID/ns/net may not be read.
 */

#include "unixes.h"

#include <sys/stat.h>
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proc.h"

/* Does a line begin a record, "0000000000000000: 00000002 ..."? */
static int
is_record(const char *line)
{
	size_t len = strspn(line, "0123456789abcdefABCDEF");

	return len >= 8 && line[len] == ':' && line[len + 1] == ' ';
}

/*
 * The name in the record at *at, or "" if it has none. It is not escaped and
 * may contain newlines: it ends where the next record begins.
 */
static const char *
next_name(char **at, unsigned long *inode)
{
	char *name = *at;
	char *end = name;
	int i;

	do {
		end += strcspn(end, "\n");
		if (*end == '\n')
			end++;
	} while (*end != '\0' && !is_record(end));
	*at = end;
	if (end > name && end[-1] == '\n')
		end[-1] = '\0';
	for (i = 0; i < 7; i++) {
		name += strspn(name, " ");
		if (i == 6)
			*inode = strtoul(name, NULL, 10);
		name += strcspn(name, " ");
	}
	return *name == ' ' ? name + 1 : "";
}

static int
each_in(const char *table, unixes_name *fn, void *arg)
{
	char *text = proc_read(table);
	char *at;
	int ret = 0;

	if (text == NULL)
		return -errno;
	at = text + strcspn(text, "\n");
	if (*at == '\n')
		at++;
	while (ret == 0 && *at != '\0') {
		unsigned long inode = 0;
		const char *name = next_name(&at, &inode);

		if (name[0] != '\0')
			ret = fn(arg, name, inode);
	}
	free(text);
	return ret;
}

int
unixes_each(unixes_name *fn, void *arg)
{
	return each_in("/proc/net/unix", fn, arg);
}

/* Inodes of tables, or of mount namespaces, that were met. */
struct met {
	uint64_t *list;
	size_t count;
};

/* 1 when it is new, 0 when not, -ENOMEM. */
static int
meet(struct met *met, uint64_t inode)
{
	uint64_t *list;
	size_t i;

	for (i = 0; i < met->count; i++)
		if (met->list[i] == inode)
			return 0;
	list = reallocarray(met->list, met->count + 1, sizeof(*list));
	if (list == NULL)
		return -ENOMEM;
	met->list = list;
	list[met->count++] = inode;
	return 1;
}

/* A process that ended meanwhile has nothing to tell. */
static int
has_ended(int error)
{
	return error == ENOENT || error == ESRCH || error == EINVAL;
}

int
unixes_each_process(
    const char *file, unixes_process *fn, void *arg, size_t *unseen)
{
	struct met met = {NULL, 0};
	struct dirent *entry;
	char path[300];
	struct stat st;
	DIR *stream;
	int ret = 0;

	stream = opendir("/proc");
	if (stream == NULL)
		return -errno;
	while (ret == 0 && (errno = 0, entry = readdir(stream)) != NULL) {
		if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
			continue;
		snprintf(
		    path, sizeof(path), "/proc/%s/%s", entry->d_name, file);
		if (stat(path, &st) != 0) {
			*unseen += !has_ended(errno);
			continue;
		}
		ret = meet(&met, st.st_ino);
		if (ret == 1)
			ret = fn(arg, entry->d_name);
	}
	if (ret == 0 && errno != 0 && entry == NULL)
		ret = -errno;
	closedir(stream);
	free(met.list);
	return ret;
}

struct anywhere {
	unixes_name *fn;
	void *arg;
};

static int
each_of_process(void *arg, const char *pid)
{
	const struct anywhere *anywhere = arg;
	char table[300];
	int ret;

	snprintf(table, sizeof(table), "/proc/%s/net/unix", pid);
	ret = each_in(table, anywhere->fn, anywhere->arg);
	return has_ended(-ret) ? 0 : ret;
}

int
unixes_each_anywhere(unixes_name *fn, void *arg)
{
	struct anywhere anywhere = {fn, arg};
	size_t unseen = 0;
	struct stat st;
	int ret;

	ret = unixes_each(fn, arg);
	if (ret == 0)
		ret = unixes_each_process(
		    "net/unix", each_of_process, &anywhere, &unseen);
	/* Where /proc is mounted with hidepid the first is not seen either. */
	if (ret == 0 && (unseen > 0 || stat("/proc/1", &st) != 0))
		ret = -ESRCH;
	return ret;
}
