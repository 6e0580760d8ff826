/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * verify.h - what the parts of omega-sandbox verify share.
 */

#ifndef OMEGA_VERIFY_H
#define OMEGA_VERIFY_H

#include <stddef.h>

#include "../tool.h"
#include "attempt.h"
#include "props.h"
#include "scene.h"

/* The directory of the scene inside, and of the one outside. */
#define VERIFY_SCENE "agents"
#define VERIFY_TWIN "others"

/* What came of one attempt, on one side. */
enum verify_end {
	VERIFY_WORKED,
	VERIFY_REFUSED, /* error says how */
	VERIFY_SILENT /* it gave no answer; text says why */
};

struct verify_answer {
	enum verify_end end;
	bool is_missing; /* this host does not have what it takes */
	int error; /* errno, or 0 */
	char text[300]; /* what it reached, or why there is no answer */
};

/* One attempt against one guarantee. */
struct verify_try {
	const struct attempt *attempt;
	struct verify_answer outside;
	struct verify_answer inside;
};

enum verify_verdict {
	VERIFY_HOLDS, /* what works outside is refused inside */
	VERIFY_FALSE, /* claimed, and something worked */
	VERIFY_OPEN, /* not claimed, or only in part: shown, not judged */
	VERIFY_IDLE, /* refused, but to this user outside as well */
	VERIFY_UNTRIED, /* nothing could be tried; why says why */
	VERIFY_ON_COPY /* nothing harmless to try: see the copy */
};

struct verify_line {
	const char *where; /* a word for the place: real, copy, ... */
	struct omega_sandbox_guarantee claim;
	struct verify_try *tries;
	size_t count;
	enum verify_verdict verdict;
	char why[300];
};

struct verify_result {
	struct verify_line *lines;
	size_t count;
	/* What keeps the texts of the claims. */
	struct omega_sandbox_report *reports[4];
	size_t report_count;
	bool is_listed; /* the policy has lists of what is allowed */
	char base[PATH_MAX]; /* where the copies were */
	char fault[400]; /* why nothing could be tried, or "" */
};

/* One of the places in which attempts are made. */
struct verify_place {
	const char *name;
	unsigned where; /* ATTEMPT_COPY or ATTEMPT_REAL */
	bool is_first; /* stop at the first false claim */
	bool is_copied; /* inside, a copy in the work directory runs */
	bool is_granted; /* the scene is where the policy allows changes */
	struct scene *scene; /* inside */
	struct scene *twin; /* the same, for attempts without a sandbox */
	struct props *props;
	struct omega_sandbox_prepared *prepared;
	char broken[400]; /* why nothing can be tried here, or "" */
};

/* flow.c: try a policy in all places. 0, or a code and result->fault. */
int verify_all(const struct tool_options *options,
    struct omega_sandbox *sandbox, struct verify_result *result);

/* start.c: run an attempt at target, inside or outside. */
void verify_start(const struct verify_place *place,
    const struct attempt *attempt, const char *target, char type,
    bool is_inside, struct verify_answer *answer);

/* An attempt as a command, with in as its standard input, or a pipe when that
 * is -1. Codes of the library. */
int verify_command(const struct verify_place *place, const char *const *words,
    int in, struct omega_sandbox_command **command,
    struct omega_sandbox_error *error);
/* In a child: become it, outside. out may be -1. */
void verify_be_program(const struct verify_place *place,
    const char *const *words, int in, int out);
void verify_silent(struct verify_answer *answer, const char *text);

/* stays.c: the same for an attempt that leaves something running. */
void verify_stay(const struct verify_place *place,
    const struct attempt *attempt, const char *const *words, bool is_inside,
    struct verify_answer *answer);

/* judge.c: try all there is against a guarantee. 0 or -ENOMEM. */
int verify_judge(const struct verify_place *place,
    const struct omega_sandbox_guarantee *claim, struct verify_result *result);
int verify_exit(const struct verify_result *result);
const char *verify_word(enum verify_verdict verdict);

/* print.c and json.c. */
void verify_print(const struct verify_result *result);
json_t *verify_json(const struct verify_result *result);

#endif
