/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * left.c - see run.h.
 */

#include "config.h"

#include "run.h"

#include <sys/stat.h>
#include <fts.h>
#include <limits.h>
#include <time.h>

#include "tool.h"

#define MAX_NAMES 50000 /* looked at */
#define MAX_TOLD 8

struct found {
	char *path;
	time_t change; /* the last; 0: it is a repository */
	off_t size;
};

struct left {
	char work_dir[PATH_MAX];
	struct found *list;
	size_t count;
};

static int
add(struct left *left, const char *path, const struct stat *st)
{
	struct found *list =
	    realloc(left->list, (left->count + 1) * sizeof(*list));

	if (list == NULL)
		return -1;
	left->list = list;
	list += left->count;
	memset(list, 0, sizeof(*list));
	list->path = strdup(path);
	if (list->path == NULL)
		return -1;
	if (st != NULL) {
		list->change = st->st_ctime;
		list->size = st->st_size;
	}
	left->count++;
	return 0;
}

/* A .git, and what is under way in it. */
static int
add_git(struct left *left, const char *git)
{
	static const char *const states[] = {"rebase-merge/git-rebase-todo",
	    "rebase-merge", "rebase-apply", "sequencer/todo", "sequencer",
	    "BISECT_LOG", "BISECT_RUN", "BISECT_START", NULL};
	char path[2 * PATH_MAX];
	struct stat st;
	size_t i;
	int ret = add(left, git, NULL);

	for (i = 0; ret == 0 && states[i] != NULL; i++) {
		snprintf(path, sizeof(path), "%s/%s", git, states[i]);
		if (lstat(path, &st) == 0)
			ret = add(left, path, &st);
	}
	return ret;
}

/* Is the file HEAD that of a repository without a work tree? Its directory. */
static int
add_bare(struct left *left, const char *head)
{
	char dir[PATH_MAX];
	char path[PATH_MAX + 8];
	struct stat st;

	snprintf(
	    dir, sizeof(dir), "%.*s", (int)(strrchr(head, '/') - head), head);
	snprintf(path, sizeof(path), "%s/refs", dir);
	if (lstat(path, &st) != 0 || S_ISREG(st.st_mode))
		return 0;
	snprintf(path, sizeof(path), "%s/objects", dir);
	return lstat(path, &st) != 0 ? 0 : add(left, dir, NULL);
}

static void
drop(struct left *left)
{
	if (left == NULL)
		return;
	while (left->count > 0)
		free(left->list[--left->count].path);
	free(left->list);
	free(left);
}

struct left *
left_look(const char *work_dir)
{
	struct left *left = calloc(1, sizeof(*left));
	char *roots[2] = {NULL, NULL};
	FTSENT *entry;
	size_t names = 0;
	FTS *walk;
	int ret = 0;

	if (left == NULL || realpath(work_dir != NULL ? work_dir : ".",
				left->work_dir) == NULL) {
		drop(left);
		return NULL;
	}
	roots[0] = left->work_dir;
	walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	while (ret == 0 && walk != NULL && names++ < MAX_NAMES &&
	       (entry = fts_read(walk)) != NULL) {
		if (strcmp(entry->fts_name, "HEAD") == 0 &&
		    entry->fts_info != FTS_DP)
			ret = add_bare(left, entry->fts_path);
		if (strcmp(entry->fts_name, ".git") != 0 ||
		    entry->fts_info == FTS_DP)
			continue;
		ret = add_git(left, entry->fts_path);
		fts_set(walk, entry, FTS_SKIP);
	}
	if (walk != NULL)
		fts_close(walk);
	if (ret == 0)
		return left;
	drop(left);
	return NULL;
}

static bool
has(const struct left *left, const struct found *found)
{
	size_t i;

	for (i = 0; i < left->count; i++)
		if (strcmp(left->list[i].path, found->path) == 0)
			return left->list[i].change == found->change &&
			       left->list[i].size == found->size;
	return false;
}

void
left_tell(struct left *before)
{
	struct left *after =
	    before == NULL ? NULL : left_look(before->work_dir);
	size_t told = 0;
	size_t i;

	for (i = 0; after != NULL && i < after->count; i++) {
		const char *path = after->list[i].path;

		if (has(before, &after->list[i]) || told++ >= MAX_TOLD)
			continue;
		if (after->list[i].change == 0)
			tool_error("left behind: %s: git obeys what is in it; "
				   "look before you use git there",
			    path);
		else
			tool_error("left behind: %s: look at it before you let "
				   "git go on",
			    path);
	}
	if (told > MAX_TOLD)
		tool_error(
		    "left behind: %zu more of that kind", told - MAX_TOLD);
	drop(after);
	drop(before);
}
