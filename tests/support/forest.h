/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * forest.h - random trees with a data directory in them, and random paths
 * through them. The same seed grows the same tree.
 */

#ifndef OMEGA_TEST_FOREST_H
#define OMEGA_TEST_FOREST_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define FOREST_MAX_NODES 64

struct forest {
	uint64_t random;
	unsigned options;
	char root[256]; /* everything grows below it */
	/* What was made, whatever it is; and the directories among it. */
	char *nodes[FOREST_MAX_NODES];
	size_t node_count;
	char *dirs[FOREST_MAX_NODES];
	size_t dir_count;
	/* The directory data_dir should lead to; data_dir as a host
	 * application would give it; config_path, "" for none. */
	char home[PATH_MAX];
	char data_dir[PATH_MAX];
	char config_path[PATH_MAX];
	char cwd[PATH_MAX]; /* the working directory while it stands, */
	bool is_nameless;   /* which has been removed */
	int fd;		    /* some directory of the tree, held open */
};

/* What to grow besides the usual; may be combined with |. */
enum forest_options {
	/* Directories that may not be searched or read by their owner. */
	FOREST_SHUT = 1,
	/* Names that differ from the protected ones in case only. */
	FOREST_CASE = 2
};

/*
 * Grow a tree at root, which does not exist yet, and go into it. false when
 * the system refused.
 */
bool forest_grow(
    struct forest *forest, const char *root, uint64_t seed, unsigned options);

/* A path to ask about; PATH_MAX bytes. */
void forest_path(struct forest *forest, char *path);

/* A random number below n. */
unsigned forest_below(struct forest *forest, unsigned n);

/* Describe the tree, each line led by "# ". */
void forest_print(const struct forest *forest, FILE *out);

/* Leave the tree and remove it. */
void forest_fell(struct forest *forest);

#endif
