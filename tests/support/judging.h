/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * judging.h - what is said about trust in a path, here and
 * as an ordinary user.
 */

#ifndef OMEGA_TEST_JUDGING_H
#define OMEGA_TEST_JUDGING_H

#include "harness.h"

#include "path/trust.h"

/* Neither root nor the spare user. */
#define STRANGER 61952

/* One question and its answer. Checked in whatever child is right. */
struct row {
	const char *path;
	enum omega_trust_type type;
	int ret; /* 0 for any descriptor */
	int code; /* 0: error is not touched */
	const char *part; /* of the message */
	const char *also; /* of the message, or NULL */
	int is_roots; /* -1: do not care */
};

int judging_judge(void *arg);

void judging_expect(const struct row *row);

void judging_expect_by_user(const struct row *row);

void judging_trusted(const char *path, enum omega_trust_type type);

void judging_refused(const char *path, enum omega_trust_type type,
    const char *part, const char *also);

void judging_missing(const char *path);

void judging_set_mode(const char *path, mode_t mode);

void judging_set_owner(const char *path, uid_t uid);

void judging_need_root(void);

/* A tree of our own that nothing is wrong with: DIR/a/b/file. */
char *judging_tree(void);

#endif
