/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * guarantees.h - for every guarantee the README lists, a policy and questions
 * to its profile.
 */

#ifndef OMEGA_TEST_GUARANTEES_H
#define OMEGA_TEST_GUARANTEES_H

#include "judge.h"

#define NONE "-" /* instead of paths */

/* A question; paths and operations may be lists, separated by blanks, and then
 * each is put with each. */
struct row {
	char expected; /* y or n */
	const char *operations;
	const char *paths;
	struct sbpl_question rest;
};

/* What is asked of which policy, and the line of the README about it. */
struct part {
	const char *line;
	void (*make)(struct judge_case *one);
	const struct row *rows;
	size_t count;
};

extern const struct part parts[];
extern const size_t part_count;

/* The default policy. */
void guarantees_make_default(struct judge_case *one);

#endif
