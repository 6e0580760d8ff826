/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * faults-limits.c - see faults-limits.h.
 */

#include "faults-limits.h"

#include <sys/resource.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "faults-campaign.h"
#include "faults-heap.h"

/* One way to have too little. */
struct lack {
	const char *name;
	int resource;
	rlim_t value;
};

static long good; /* allocations */
static bool is_lasting;

static void
start_heap(void *arg)
{
	(void)arg;
	faults_heap_start(good, is_lasting);
}

static void
stop_heap(void *arg)
{
	struct faults_subject *subject = arg;

	subject->outcome->is_hit = faults_heap_stop();
}

static int
go_through_heap(struct faults_campaign *campaign)
{
	long step = faults_campaign_is_all() ? 1 : 61;
	int faults = 0;

	for (good = 0;; good += step) {
		faults += faults_campaign_once(campaign, faults_subject_run,
		    "allocation %ld%s", good,
		    is_lasting ? " and all behind it" : "");
		if (!campaign->subject.outcome->is_hit)
			return faults;
	}
}

int
faults_limits_heap(void *base)
{
	static struct faults_campaign campaign;
	int faults = 1;

	if (faults_campaign_begin(&campaign, base)) {
		campaign.subject.before = start_heap;
		campaign.subject.after = stop_heap;
		campaign.subject.arg = &campaign.subject;
		is_lasting = false;
		faults = go_through_heap(&campaign);
		is_lasting = true;
		faults += go_through_heap(&campaign);
	}
	faults_campaign_end(&campaign, "memory");
	return faults > 100 ? 100 : faults;
}

/* The program takes back what it can: it is not what is tested. */
static void
set_limit(void *arg)
{
	const struct lack *lack = arg;
	struct rlimit limit;

	getrlimit(lack->resource, &limit);
	limit.rlim_cur = lack->value;
	if (limit.rlim_max != RLIM_INFINITY && limit.rlim_cur > limit.rlim_max)
		limit.rlim_cur = limit.rlim_max;
	setrlimit(lack->resource, &limit);
}

static int
try_limit(struct faults_campaign *campaign, const struct lack *lack)
{
	struct lack copy = *lack;

	campaign->subject.before = set_limit;
	campaign->subject.arg = &copy;
	return faults_campaign_once(campaign, faults_subject_run, "%s = %llu",
	    lack->name, (unsigned long long)lack->value);
}

/* What this process has mapped, in bytes. */
static rlim_t
mapped(void)
{
	unsigned long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	if (file == NULL || fscanf(file, "%lu", &pages) != 1)
		pages = 0;
	if (file != NULL)
		fclose(file);
	return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

int
faults_limits_all(void *base)
{
	static struct faults_campaign campaign;
	struct lack lack;
	rlim_t now = mapped();
	rlim_t step = faults_campaign_is_all() ? 1 : 16;
	rlim_t i;
	int faults = 0;

	if (!faults_campaign_begin(&campaign, base))
		faults++;
	for (i = 3; faults == 0 && i < 48; i += i < 24 ? 1 : step) {
		lack = (struct lack){"RLIMIT_NOFILE", RLIMIT_NOFILE, i};
		faults += try_limit(&campaign, &lack);
	}
	/* Other processes of the same user count as well. */
	for (i = 0; faults == 0 && i < 12; i++) {
		lack = (struct lack){"RLIMIT_NPROC", RLIMIT_NPROC, i};
		faults += try_limit(&campaign, &lack);
	}
	for (i = 0; faults == 0 && i < 17; i += 4) {
		lack = (struct lack){
		    "RLIMIT_FSIZE", RLIMIT_FSIZE, i == 0 ? 0 : (rlim_t)1 << i};
		faults += try_limit(&campaign, &lack);
	}
	for (i = 0; faults == 0 && i < 160; i += step) {
		lack = (struct lack){"RLIMIT_AS", RLIMIT_AS, now + (i << 17)};
		campaign.subject.may_not_load = true;
		faults += try_limit(&campaign, &lack);
	}
	faults_campaign_end(&campaign, "limits");
	return faults > 100 ? 100 : faults;
}
