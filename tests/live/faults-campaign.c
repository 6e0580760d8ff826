/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * faults-campaign.c - see faults-campaign.h.
 */

#include "faults-campaign.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "faults-errors.h"
#include "faults-judge.h"
#include "faults-probe.h"
#include "faults-subject.h"
#include "faults-trace.h"

/* Of the calls that the host and the builder make, every so many-th. */
#define SHARE 11
#define SECONDS 20

struct campaign {
	struct faults_place place;
	struct faults_subject subject;
	struct faults_trace trace;
	struct faults_judge judge;
	struct faults_trace_process processes[FAULTS_TRACE_PROCESSES];
};

static bool
is_all(void)
{
	const char *text = getenv("OMEGA_TEST_FAULTS");

	return text != NULL && strcmp(text, "all") == 0;
}

/* The good run, and its like without protection. */
static bool
learn(struct campaign *campaign, void (*fn)(void *))
{
	struct faults_trace *trace = &campaign->trace;
	int said;

	trace->order.process = -1;
	campaign->subject.backend = "noop";
	faults_trace_run(trace, fn, &campaign->subject);
	said = faults_probe_read(&campaign->place);
	if (said != faults_probe_expected()) {
		fprintf(stderr, "# without protection: %x, not %x: %s\n", said,
		    faults_probe_expected(), campaign->subject.outcome->text);
		return false;
	}
	campaign->subject.backend = NULL;
	trace->is_recording = true;
	faults_trace_run(trace, fn, &campaign->subject);
	trace->is_recording = false;
	if (faults_judge_run(&campaign->judge, trace, &campaign->subject) !=
	    FAULTS_JUDGE_PROTECTED) {
		fprintf(stderr, "# protected: %s\n", campaign->judge.why);
		return false;
	}
	memset(campaign->judge.counts, 0, sizeof(campaign->judge.counts));
	memcpy(
	    campaign->processes, trace->processes, sizeof(campaign->processes));
	return true;
}

static bool
is_chosen(const struct campaign *campaign, long call, long *turn)
{
	const struct faults_trace_process *process =
	    &campaign->processes[campaign->trace.calls[call].process];

	/* Children that become the program: always. */
	if (is_all() ||
	    (process != campaign->processes &&
		strcmp(process->name, campaign->processes[0].name) == 0))
		return true;
	return (*turn)++ % SHARE == 0;
}

static void
tell(struct campaign *campaign, const struct faults_trace_order *order)
{
	const struct faults_trace_process *process =
	    &campaign->processes[order->process];

	fprintf(stderr, "# process %d (%s), %s %u, %s: %s\n", order->process,
	    process->name[0] == '\0' ? "host" : process->name,
	    faults_errors_name(order->number), order->index + 1,
	    order->how == FAULTS_TRACE_SHORT ? "short"
	    : order->error == 0		     ? "refused"
					     : strerrorname_np(order->error),
	    campaign->judge.why);
}

/* Each call, each way. */
static int
fail_all(struct campaign *campaign, void (*fn)(void *))
{
	struct faults_trace *trace = &campaign->trace;
	long count = trace->call_count;
	enum faults_judge_verdict verdict;
	int faults = 0;
	long turn = 0;
	int variant;
	long i;

	for (i = 0; i < count; i++) {
		for (variant = 0; faults_errors_get(
			 &trace->calls[i], variant, &trace->order);
		     variant++) {
			if (!is_chosen(campaign, i, &turn))
				continue;
			faults_trace_run(trace, fn, &campaign->subject);
			verdict = faults_judge_run(
			    &campaign->judge, trace, &campaign->subject);
			if (verdict == FAULTS_JUDGE_WRONG) {
				faults++;
				tell(campaign, &trace->order);
			} else if (getenv("OMEGA_TEST_VERBOSE") != NULL) {
				tell(campaign, &trace->order);
			}
		}
	}
	return faults;
}

static int
begin(struct campaign *campaign, const char *base)
{
	memset(campaign, 0, sizeof(*campaign));
	/* What loses its parent comes to us, and is found. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (!faults_place_make(&campaign->place, base) ||
	    !faults_subject_make(&campaign->subject, &campaign->place))
		return -1;
	campaign->trace.program = campaign->subject.program;
	campaign->trace.seconds = SECONDS;
	campaign->trace.calls =
	    calloc(FAULTS_TRACE_CALLS, sizeof(*campaign->trace.calls));
	return campaign->trace.calls == NULL ? -1 : 0;
}

static void
finish(struct campaign *campaign, const char *what)
{
	const long *counts = campaign->judge.counts;

	printf("# %s, %s: %ld faults: %ld not reached, %ld refused cleanly, "
	       "%ld tolerated and protected, %ld told while waiting, "
	       "%ld anything else\n",
	    what, geteuid() == 0 ? "root" : "user",
	    counts[FAULTS_JUDGE_MISSED] + counts[FAULTS_JUDGE_REFUSED] +
		counts[FAULTS_JUDGE_PROTECTED] + counts[FAULTS_JUDGE_WAITED] +
		counts[FAULTS_JUDGE_WRONG],
	    counts[FAULTS_JUDGE_MISSED], counts[FAULTS_JUDGE_REFUSED],
	    counts[FAULTS_JUDGE_PROTECTED], counts[FAULTS_JUDGE_WAITED],
	    counts[FAULTS_JUDGE_WRONG]);
	fflush(stdout);
	faults_subject_end(&campaign->subject);
	free(campaign->trace.calls);
	faults_place_end(&campaign->place);
}

int
faults_campaign_library(void *base)
{
	static struct campaign campaign;
	int faults = 1;
	long i;
	long by[FAULTS_TRACE_PROCESSES] = {0};

	if (begin(&campaign, base) == 0 &&
	    learn(&campaign, faults_subject_run)) {
		for (i = 0; i < campaign.trace.call_count; i++)
			by[campaign.trace.calls[i].process]++;
		for (i = 0; i < campaign.trace.process_count; i++)
			printf("# process %ld: %s: %ld calls\n", i,
			    i == 0 ? "host" : campaign.processes[i].name,
			    by[i]);
		faults = fail_all(&campaign, faults_subject_run);
	}
	finish(&campaign, "library");
	return faults > 100 ? 100 : faults;
}
