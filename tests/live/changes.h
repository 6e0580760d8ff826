/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * changes.h - every way to change a small tree. The test program starts itself
 * with the word "change": change NAME TREE OTHER, where OTHER is a tree that
 * may be changed.
 */

#ifndef OMEGA_TEST_CHANGES_H
#define OMEGA_TEST_CHANGES_H

struct change {
	const char *name;
	int error; /* where the tree may not be changed */
	int (*fn)(const char *tree, const char *other);
};

extern const struct change changes[]; /* ended by no name */

/* Make a tree to be changed, or put it back as it was. 0 or an errno. */
int changes_make_tree(const char *tree);

/* If this is "change ...": do it and return 0 or an errno, else -1. */
int changes_main(int argc, char **argv);

#endif
