/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * tree.c - temporary directories for benchmarks. See tree.h.
 */

#include "config.h"

#include "tree.h"

#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_TREES 4

static char trees[MAX_TREES][PATH_MAX];
static unsigned tree_count;

void
tree_refuse(const char *what)
{
	fprintf(stderr, "bench: %s\n", what);
	exit(1);
}

void
tree_fail(const char *what)
{
	fprintf(stderr, "bench: %s: %s\n", what, strerror(errno));
	exit(1);
}

void
tree_append(char *path, const char *name)
{
	size_t len = strlen(path);
	int added = snprintf(path + len, PATH_MAX - len, "/%s", name);

	if (added < 0 || (size_t)added >= PATH_MAX - len)
		tree_refuse("path too long");
}

void
tree_join(char *path, const char *dir, const char *name)
{
	path[0] = '\0';
	tree_append(path, dir + 1);
	tree_append(path, name);
}

static int
remove_entry(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static void
remove_trees(void)
{
	while (tree_count > 0)
		nftw(trees[--tree_count], remove_entry, 16,
		    FTW_DEPTH | FTW_PHYS);
}

bool
tree_make(const char *dir, char *made)
{
	char *kept = trees[tree_count];
	char template[PATH_MAX];

	if (tree_count == MAX_TREES)
		tree_refuse("too many temporary directories");
	tree_join(template, dir, "omega-bench-XXXXXX");
	if (mkdtemp(template) == NULL || realpath(template, kept) == NULL)
		return false;
	if (tree_count++ == 0)
		atexit(remove_trees);
	memcpy(made, kept, PATH_MAX);
	return true;
}

const char *
tree_default(void)
{
	const char *dir = getenv("TMPDIR");

	return dir != NULL && dir[0] == '/' ? dir : "/tmp";
}

void
tree_make_dir(const char *path)
{
	if (mkdir(path, 0755) != 0 && errno != EEXIST)
		tree_fail(path);
}

void
tree_make_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	if (fd < 0)
		tree_fail(path);
	close(fd);
}

void
tree_make_link(const char *target, const char *path)
{
	if (symlink(target, path) != 0 && errno != EEXIST)
		tree_fail(path);
}

unsigned
tree_count_components(const char *path)
{
	unsigned count = 0;

	for (; *path != '\0'; path++)
		if (path[0] == '/' && path[1] != '/' && path[1] != '\0')
			count++;
	return count;
}
