/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * trees.h - the trees this was built from and in, which stay in sight when a
 * directory above them is covered: people keep a clone in /tmp too.
 */

#ifndef OMEGA_TEST_TREES_H
#define OMEGA_TEST_TREES_H

#include <stdbool.h>

struct tree {
	const char *path;
	int fd; /* a clone of it; -1: there is none */
};

/* The source, and the build, which may be below it. */
#define TREES 2
#define TREES_INIT                         \
	{                                  \
		{WORLD_SRCDIR, -1},        \
		{                          \
			WORLD_BUILDDIR, -1 \
		}                          \
	}

bool trees_is_below(const char *path, const char *dir);

/* mkdir -p; a directory made is everybody's to read. */
void trees_make_dir(const char *path);

/* Clone one before it is covered, and put it where it was: 0, or -1 with
 * errno. Nothing is put back of which there is no clone. */
int trees_clone(struct tree *tree);
int trees_put_back(struct tree *tree);

/* Mount an empty file system with these options over a directory, in a mount
 * namespace of our own: 0, or -1 with errno. */
int trees_cover(const char *dir, const char *data);

#endif
