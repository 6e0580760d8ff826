/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * sbpl.h - an evaluator for sandbox profiles of macOS, to judge profiles where
 * there is no Mac. Written from what published profiles show, without a look
 * at the generator, and stricter than macOS: what it does not know, it
 * refuses to read.
 *
 * Reports about which of several matching rules wins differ: the last, unless
 * it has no filter; the one with the longest path; the deny. So a question is
 * put to all of these readings, and an answer is one only when they agree.
 */

#ifndef OMEGA_TEST_SBPL_H
#define OMEGA_TEST_SBPL_H

#include <stdbool.h>
#include <stddef.h>

struct sbpl;

/* One access that somebody tries. What does not concern it is NULL or 0. */
struct sbpl_question {
	const char *operation; /* never one with a star */
	const char *path; /* of a file or a socket, as the kernel has it */
	const char *type; /* of the file; NULL: REGULAR-FILE */
	const char *name; /* Mach service, ioctl, domain of a socket */
	const char *target; /* self, same-sandbox, others */
	const char *protocol; /* tcp, udp, unix */
	unsigned port;
};

enum sbpl_answer {
	SBPL_ALLOWED,
	SBPL_DENIED,
	SBPL_DISPUTED, /* the readings do not agree */
	SBPL_NONSENSE /* no such operation */
};

/* Which of the rules that match wins; without one, the default. */
enum sbpl_reading {
	SBPL_LAST, /* as Apple's own profiles are written */
	SBPL_FILTERED, /* the last, but one without a filter yields */
	SBPL_LONGEST, /* that with the longest path, a deny before an allow */
	SBPL_DENY, /* a deny, wherever it stands */
	SBPL_FIRST,
	SBPL_READINGS
};

/*
 * Read a profile. params are names and values in turn, ended by NULL. NULL
 * when anything is not known, missing, left over or out of place; error says
 * what.
 */
struct sbpl *sbpl_read(const char *text, const char *const *params, char *error,
    size_t error_size);
void sbpl_free(struct sbpl *sbpl);

/* By all readings, and by one. */
enum sbpl_answer sbpl_ask(
    struct sbpl *sbpl, const struct sbpl_question *question);
enum sbpl_answer sbpl_ask_as(struct sbpl *sbpl,
    const struct sbpl_question *question, enum sbpl_reading reading);

/* How many answers it has given. */
unsigned sbpl_asked(const struct sbpl *sbpl);

/* The default when no rule matches. */
bool sbpl_allows_by_default(const struct sbpl *sbpl);

/* Rules beside the default, and each as it was written. */
size_t sbpl_rule_count(const struct sbpl *sbpl);
const char *sbpl_rule_text(const struct sbpl *sbpl, size_t index);

/* Leave a rule out of all later answers; SIZE_MAX: none. */
void sbpl_leave_out(struct sbpl *sbpl, size_t index);

/* Turn the order of the rules round. */
void sbpl_reverse(struct sbpl *sbpl);

#endif
