/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * faults-campaign.c - see faults-campaign.h.
 */

#include "harness.h"

#include "faults-campaign.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "faults-errors.h"
#include "faults-probe.h"

#define SECONDS (PATIENCE_MS / 1000)

bool
faults_campaign_is_all(void)
{
	const char *text = getenv("OMEGA_TEST_FAULTS");

	return text != NULL && strcmp(text, "all") == 0;
}

/* Without protection the probe can do all it tries; with it, what the report
 * says. */
static bool
is_worth_it(struct faults_campaign *campaign)
{
	int said;

	campaign->subject.backend = "noop";
	faults_trace_run(
	    &campaign->trace, faults_subject_run, &campaign->subject);
	campaign->subject.backend = NULL;
	said = faults_probe_read(&campaign->place);
	if (said != faults_probe_expected()) {
		fprintf(stderr, "# without protection: %x, not %x: %s\n", said,
		    faults_probe_expected(), campaign->subject.outcome->text);
		return false;
	}
	faults_trace_run(
	    &campaign->trace, faults_subject_run, &campaign->subject);
	campaign->judge.accepted = campaign->subject.outcome->given_up;
	if (!campaign->trace.is_started)
		fprintf(stderr, "# without a fault: %s\n",
		    campaign->subject.outcome->text);
	return campaign->trace.is_started;
}

bool
faults_campaign_begin(struct faults_campaign *campaign, const char *base)
{
	memset(campaign, 0, sizeof(*campaign));
	/* What loses its parent comes to us, and is found. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (!faults_place_make(&campaign->place, base) ||
	    !faults_subject_make(&campaign->subject, &campaign->place))
		return false;
	campaign->judge_run = faults_judge_library;
	campaign->share = 1;
	campaign->trace.program = campaign->subject.program;
	campaign->trace.seconds = SECONDS;
	campaign->trace.order.process = -1;
	campaign->trace.calls =
	    calloc(FAULTS_TRACE_CALLS, sizeof(*campaign->trace.calls));
	return campaign->trace.calls != NULL && is_worth_it(campaign);
}

/* Run and judge. */
static enum faults_judge_verdict
run(struct faults_campaign *campaign, void (*fn)(void *))
{
	const struct faults_trace *trace = &campaign->trace;
	enum faults_judge_verdict verdict;

	faults_trace_run(&campaign->trace, fn, &campaign->subject);
	verdict =
	    campaign->judge_run(&campaign->judge, trace, &campaign->subject);
	if (verdict != FAULTS_JUDGE_WRONG && trace->order.process >= 0 &&
	    !trace->is_hit)
		verdict = FAULTS_JUDGE_MISSED;
	campaign->judge.counts[verdict]++;
	return verdict;
}

int
faults_campaign_once(struct faults_campaign *campaign, void (*fn)(void *),
    const char *format, ...)
{
	bool is_wrong = run(campaign, fn) == FAULTS_JUDGE_WRONG;
	va_list args;

	if (is_wrong || getenv("OMEGA_TEST_VERBOSE") != NULL) {
		fputs("# ", stderr);
		va_start(args, format);
		vfprintf(stderr, format, args);
		va_end(args);
		fprintf(stderr, ": %s\n", campaign->judge.why);
	}
	return is_wrong;
}

/* The good run. */
static bool
learn(struct faults_campaign *campaign, void (*fn)(void *))
{
	struct faults_trace *trace = &campaign->trace;
	enum faults_judge_verdict verdict;
	long by[FAULTS_TRACE_PROCESSES] = {0};
	long i;

	trace->is_recording = true;
	verdict = run(campaign, fn);
	trace->is_recording = false;
	if (verdict != FAULTS_JUDGE_PROTECTED) {
		fprintf(stderr, "# without a fault: %s\n", campaign->judge.why);
		return false;
	}
	memset(campaign->judge.counts, 0, sizeof(campaign->judge.counts));
	memcpy(
	    campaign->processes, trace->processes, sizeof(campaign->processes));
	for (i = 0; i < trace->call_count; i++)
		by[trace->calls[i].process]++;
	for (i = 0; i < trace->process_count; i++)
		printf("# process %ld (%s): %ld calls\n", i,
		    campaign->processes[i].name, by[i]);
	return true;
}

/* Of a child that becomes the program every call, of others a share. */
static bool
is_chosen(const struct faults_campaign *campaign,
    const struct faults_trace_call *call, int variant, long *turn)
{
	const struct faults_trace_process *process =
	    &campaign->processes[call->process];
	const char *base = strrchr(campaign->trace.program, '/');

	if (faults_campaign_is_all())
		return true;
	if (call->process != 0 &&
	    strncmp(process->name, base + 1, sizeof(process->name) - 1) == 0)
		return variant == (int)(call->index % 2);
	return (*turn)++ % campaign->share == 0;
}

int
faults_campaign_calls(struct faults_campaign *campaign, void (*fn)(void *))
{
	struct faults_trace *trace = &campaign->trace;
	int faults = 0;
	long turn = 0;
	int variant;
	long count;
	long i;

	if (!learn(campaign, fn))
		return 1;
	count = trace->call_count;
	for (i = 0; i < count; i++) {
		const struct faults_trace_call *call = &trace->calls[i];

		for (variant = 0;
		     faults_errors_get(call, variant, &trace->order); variant++)
			if (is_chosen(campaign, call, variant, &turn))
				faults += faults_campaign_once(campaign, fn,
				    "process %d (%s), %s %u, %s", call->process,
				    campaign->processes[call->process].name,
				    faults_errors_name(call->number),
				    call->index + 1,
				    faults_errors_how(&trace->order));
	}
	return faults;
}

void
faults_campaign_end(struct faults_campaign *campaign, const char *what)
{
	const long *counts = campaign->judge.counts;
	long sum = 0;
	int i;

	for (i = 0; i < FAULTS_JUDGE_COUNT; i++)
		sum += counts[i];
	printf("# %s, %s: %ld faults: %ld not reached, %ld refused cleanly, "
	       "%ld tolerated and protected, %ld told while waiting, "
	       "%ld anything else\n",
	    what, geteuid() == 0 ? "root" : "user", sum,
	    counts[FAULTS_JUDGE_MISSED], counts[FAULTS_JUDGE_REFUSED],
	    counts[FAULTS_JUDGE_PROTECTED], counts[FAULTS_JUDGE_WAITED],
	    counts[FAULTS_JUDGE_WRONG]);
	fflush(stdout);
	if (campaign->subject.outcome != NULL)
		faults_subject_end(&campaign->subject);
	free(campaign->trace.calls);
	faults_place_end(&campaign->place);
}

int
faults_campaign_library(void *base)
{
	static struct faults_campaign campaign;
	int faults = 1;

	if (faults_campaign_begin(&campaign, base)) {
		campaign.share = 101;
		faults = faults_campaign_calls(&campaign, faults_subject_run);
	}
	faults_campaign_end(&campaign, "library");
	return faults > 100 ? 100 : faults;
}
