/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * faults-campaign.h - many runs at one place, each judged. The functions for
 * in_child() take a scratch directory and return how many runs were neither
 * refused cleanly nor protected.
 */

#ifndef OMEGA_TEST_FAULTS_CAMPAIGN_H
#define OMEGA_TEST_FAULTS_CAMPAIGN_H

#include <stdbool.h>

#include "faults-judge.h"
#include "faults-place.h"
#include "faults-subject.h"
#include "faults-trace.h"

struct faults_campaign {
	struct faults_place place;
	struct faults_subject subject;
	struct faults_trace trace;
	struct faults_judge judge;
	faults_judge_fn *judge_run;
	long share; /* of the calls of host and builder, every so many-th */
	struct faults_trace_process processes[FAULTS_TRACE_PROCESSES];
};

/* Is everything to be tried, not only a share? OMEGA_TEST_FAULTS=all. */
bool faults_campaign_is_all(void);

/* False: it cannot be done, and why was said. To be ended in any case. */
bool faults_campaign_begin(struct faults_campaign *campaign, const char *base);

/* One run of fn about the subject; what is different in it, for people.
 * 1: it was wrong. */
__attribute__((format(printf, 3, 4))) int faults_campaign_once(
    struct faults_campaign *campaign, void (*fn)(void *), const char *format,
    ...);

/* Learn from a good run of fn, then let each call fail in each way. */
int faults_campaign_calls(struct faults_campaign *campaign, void (*fn)(void *));

/* Print the numbers. */
void faults_campaign_end(struct faults_campaign *campaign, const char *what);

/* A host that uses the library: every call. */
int faults_campaign_library(void *base);

#endif
