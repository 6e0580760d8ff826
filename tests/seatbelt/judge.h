/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * judge.h - a profile of the seatbelt backend, read by the evaluator, and
 * questions to it.
 */

#ifndef OMEGA_TEST_JUDGE_H
#define OMEGA_TEST_JUDGE_H

#include <omega/sandbox-plugin.h>

#include "policy/atoms.h"
#include "sbpl.h"
#include "seatbelt/profile.h"

#define JUDGE_READ (OMEGA_SANDBOX_ATOM_READ | OMEGA_SANDBOX_ATOM_LIST)
#define JUDGE_CHANGE                                            \
	(OMEGA_SANDBOX_ATOM_WRITE | OMEGA_SANDBOX_ATOM_CREATE | \
	    OMEGA_SANDBOX_ATOM_REMOVE | OMEGA_SANDBOX_ATOM_RENAME)

#define JUDGE_MAX 24

/* Atoms and what goes with them, made by hand. */
struct judge_case {
	struct omega_sandbox_atom atoms[JUDGE_MAX];
	const struct omega_sandbox_atom *list[JUDGE_MAX];
	size_t count;
	struct omega_sandbox_grant grants[JUDGE_MAX];
	const struct omega_sandbox_grant *grant_list[JUDGE_MAX];
	struct omega_sandbox_request request;
	struct texts links;
	struct texts sockets;
	size_t (*anchor)(const char *path);
};

void judge_add(struct judge_case *one, uint32_t kind, uint32_t access,
    uint32_t flags, const char *path);
void judge_grant(struct judge_case *one, uint32_t access, const char *path);

/* The default policy for a data directory, as the core takes it apart. */
void judge_add_default(
    struct judge_case *one, const char *data, const char *config);

struct judge {
	struct profile profile;
	struct sbpl *sbpl;
	char error[256]; /* why there is none */
};

/* false: there is no profile, or the evaluator does not take it. */
bool judge_case_open(struct judge *judge, struct judge_case *one);
bool judge_atoms_open(struct judge *judge, const struct omega_atoms *atoms);
bool judge_open(struct judge *judge, const struct profile_source *source);
void judge_close(struct judge *judge);

/* The same, or the test ends with the reason. */
void judge_must_open(struct judge *judge, struct judge_case *one);

enum sbpl_answer judge_file(
    struct judge *judge, const char *operation, const char *path);

/* The test ends when the answer is another. */
void judge_expect(struct judge *judge, const char *operation, const char *path,
    enum sbpl_answer expected);

/* By letter: r, w, x; and whether something is at path. */
enum sbpl_answer judge_access(
    struct judge *judge, char letter, const char *path, bool exists);

#endif
