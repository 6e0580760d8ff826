/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * faults-judge.h - was a run with a fault in it as it must be?
 */

#ifndef OMEGA_TEST_FAULTS_JUDGE_H
#define OMEGA_TEST_FAULTS_JUDGE_H

#include "faults-subject.h"
#include "faults-trace.h"

enum faults_judge_verdict {
	FAULTS_JUDGE_MISSED, /* the call was not made this time; all is well */
	FAULTS_JUDGE_REFUSED, /* told, and nothing was started */
	FAULTS_JUDGE_PROTECTED, /* tolerated, and the probe could do nothing */
	FAULTS_JUDGE_WAITED, /* the same, but how it ended was not told */
	FAULTS_JUDGE_WRONG, /* anything else */
	FAULTS_JUDGE_COUNT
};

struct faults_judge {
	long counts[FAULTS_JUDGE_COUNT];
	char why[600]; /* about the last one */
	int accepted; /* enum faults_probe: not enforced without a fault */
};

typedef enum faults_judge_verdict faults_judge_fn(struct faults_judge *judge,
    const struct faults_trace *trace, const struct faults_subject *subject);

/* What is wrong whatever it was: processes, mounts, crashes, time. */
bool faults_judge_is_clean(struct faults_judge *judge,
    const struct faults_trace *trace, const struct faults_subject *subject);

/* What may be possible: without Landlock signals are given up, and told. */
int faults_judge_accepted(const struct faults_judge *judge,
    const struct faults_trace *trace, int given_up);

/* The C library's loader stopped a program before its first own line. */
bool faults_judge_is_loader(const struct faults_trace *trace, int process);

/* About the library. */
enum faults_judge_verdict faults_judge_library(struct faults_judge *judge,
    const struct faults_trace *trace, const struct faults_subject *subject);

#endif
