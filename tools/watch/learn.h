/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * learn.h - what learn is made of: learn.c runs the command and notes places,
 * learnt.c makes a policy of them.
 */

#ifndef OMEGA_TOOL_LEARN_H
#define OMEGA_TOOL_LEARN_H

#include <stdbool.h>

#include <jansson.h>

struct tool_call;

enum { LEARN_READ, LEARN_WRITE, LEARN_EXECUTE, LEARN_STATE, LEARN_LISTS };

/* A list of a policy, and the word for what was done there. */
extern const struct learn_list {
	const char *name;
	const char *done;
} learn_lists[LEARN_LISTS];

/* The user's home directory, or NULL. */
extern char *learn_home;

/* From a path to the directory that it is in. */
void learn_cut_name(char *path);

/* Is it below dir, which is not "/"? */
bool learn_is_below(const char *path, const char *dir);

/* The directories of many programs: none of them is granted as a whole. */
bool learn_is_shared(const char *path);

/* Read the file of --merge, if there is one: before the command starts, which
 * could put something else in its place. 0, or -1 with errno. */
int learn_read_merged(const char *file);

/*
 * Print a policy of what was seen, or put it into the file of --merge: an
 * object for each list, path to number; "refused", path to what; "addresses".
 * May it need the network? 0, or -1 and it was said.
 */
int learn_tell(const struct tool_call *call, json_t *seen, bool is_network);

#endif
