/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * trees.c - see trees.h.
 */

#include "trees.h"

#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifndef OPEN_TREE_CLONE
#define OPEN_TREE_CLONE 1
#endif
#ifndef MOVE_MOUNT_F_EMPTY_PATH
#define MOVE_MOUNT_F_EMPTY_PATH 0x00000004
#endif
#ifndef AT_RECURSIVE
#define AT_RECURSIVE 0x8000
#endif

bool
trees_is_below(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	return strncmp(path, dir, len) == 0 &&
	       (path[len] == '/' || path[len] == '\0');
}

void
trees_make_dir(const char *path)
{
	char copy[PATH_MAX];
	char *slash;

	snprintf(copy, sizeof(copy), "%s", path);
	for (slash = copy + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
		*slash = '\0';
		mkdir(copy, 0755);
		*slash = '/';
	}
	mkdir(copy, 0755);
}

int
trees_clone(struct tree *tree)
{
	tree->fd = (int)syscall(SYS_open_tree, AT_FDCWD, tree->path,
	    OPEN_TREE_CLONE | O_CLOEXEC | AT_RECURSIVE);
	return tree->fd < 0 ? -1 : 0;
}

int
trees_put_back(struct tree *tree)
{
	long ret;

	if (tree->fd < 0)
		return 0;
	trees_make_dir(tree->path);
	ret = syscall(SYS_move_mount, tree->fd, "", AT_FDCWD, tree->path,
	    MOVE_MOUNT_F_EMPTY_PATH);
	close(tree->fd);
	tree->fd = -1;
	return ret == 0 ? 0 : -1;
}

int
trees_cover(const char *dir, const char *data)
{
	struct tree trees[TREES] = TREES_INIT;
	int ret = 0;
	int i;

	/* They are not there where only what was built is: on a guest. */
	for (i = 0; i < TREES && ret == 0; i++)
		if (trees_is_below(trees[i].path, dir) &&
		    (i == 0 || !trees_is_below(trees[i].path, trees[0].path)) &&
		    access(trees[i].path, F_OK) == 0)
			ret = trees_clone(&trees[i]);
	if (ret == 0)
		ret = mount("cover", dir, "tmpfs", 0, data);
	for (i = 0; i < TREES && ret == 0; i++)
		ret = trees_put_back(&trees[i]);
	return ret;
}
