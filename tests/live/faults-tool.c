/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * faults-tool.c - see faults-tool.h.
 */

#include "faults-tool.h"

#include <sys/syscall.h>
#include <sys/wait.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "faults-campaign.h"
#include "faults-errors.h"
#include "faults-probe.h"

enum { /* of the tool, see omega-sandbox(1) */
	RUN_REFUSED = 125,
	RUN_NOT_FOUND = 127,
	CHECK_BLOCKED = 1,
	CHECK_FAILED = 2
};

/* execv does not write its words. */
static char *
word(const char *text)
{
	return (char *)(uintptr_t)text;
}

static void
be_run(void *arg)
{
	const struct faults_subject *subject = arg;
	const struct faults_place *place = subject->place;
	char *words[] = {word("omega-sandbox"), word("run"), word("--config"),
	    word(place->config), word("--data-dir"), word(place->data_dir),
	    word("--"), word(subject->program), word("probe"),
	    word(place->base), word(place->outside), NULL};

	if (faults_probe_redirect(place))
		execv(FAULTS_TOOL, words);
}

static void
be_check(void *arg)
{
	const struct faults_subject *subject = arg;
	const struct faults_place *place = subject->place;
	char *words[] = {word("omega-sandbox"), word("check"), word("read"),
	    word("--config"), word(place->config), word("--data-dir"),
	    word(place->data_dir), word(place->blocked), NULL};

	if (faults_probe_redirect(place))
		execv(FAULTS_TOOL, words);
}

/* The last line of what the tool said. */
static bool
read_errors(const struct faults_subject *subject, char *text, size_t size)
{
	FILE *file = fopen(subject->place->errors, "r");
	char line[512];

	text[0] = '\0';
	while (file != NULL && fgets(line, sizeof(line), file) != NULL)
		snprintf(text, size, "%.500s", line);
	if (file != NULL)
		fclose(file);
	text[strcspn(text, "\n")] = '\0';
	return text[0] != '\0';
}

static enum faults_judge_verdict
wrong(
    struct faults_judge *judge, const char *what, int status, const char *text)
{
	snprintf(judge->why, sizeof(judge->why), "%s, status %d: %.400s", what,
	    status, text);
	return FAULTS_JUDGE_WRONG;
}

/* What was not said because saying it failed is no fault. */
static bool
is_about_saying(const struct faults_trace *trace)
{
	return trace->is_hit && trace->order.process == 0 &&
	       trace->order.number == SYS_write;
}

static enum faults_judge_verdict
judge_run(struct faults_judge *judge, const struct faults_trace *trace,
    const struct faults_subject *subject)
{
	int status = WIFEXITED(trace->status) ? WEXITSTATUS(trace->status) : -1;
	int accepted = faults_judge_accepted(
	    judge, trace, FAULTS_PROBE_SIGNAL | FAULTS_PROBE_SOCKET);
	char text[512];
	bool has_text = read_errors(subject, text, sizeof(text));
	int said;

	if (!faults_judge_is_clean(judge, trace, subject))
		return FAULTS_JUDGE_WRONG;
	snprintf(
	    judge->why, sizeof(judge->why), "status %d: %.400s", status, text);
	if (!trace->is_started) {
		if (WIFSIGNALED(trace->status) &&
		    faults_judge_is_loader(trace, 0))
			return FAULTS_JUDGE_REFUSED;
		if (status < RUN_REFUSED || status > RUN_NOT_FOUND)
			return wrong(judge, "not started", status, text);
		if (!has_text && !is_about_saying(trace))
			return wrong(judge, "no text", status, text);
		return FAULTS_JUDGE_REFUSED;
	}
	said = faults_probe_read(subject->place);
	if ((said & ~accepted) != 0)
		return wrong(judge, "unprotected", said, text);
	if (status == RUN_REFUSED && has_text)
		return FAULTS_JUDGE_WAITED;
	return status == (said == 0 ? 0 : 1)
		   ? FAULTS_JUDGE_PROTECTED
		   : wrong(judge, "started", status, text);
}

static enum faults_judge_verdict
judge_check(struct faults_judge *judge, const struct faults_trace *trace,
    const struct faults_subject *subject)
{
	int status = WIFEXITED(trace->status) ? WEXITSTATUS(trace->status) : -1;
	char text[512];
	bool has_text = read_errors(subject, text, sizeof(text));

	if (!faults_judge_is_clean(judge, trace, subject))
		return FAULTS_JUDGE_WRONG;
	snprintf(
	    judge->why, sizeof(judge->why), "status %d: %.400s", status, text);
	if (WIFSIGNALED(trace->status) && faults_judge_is_loader(trace, 0))
		return FAULTS_JUDGE_REFUSED;
	if (status == CHECK_BLOCKED)
		return FAULTS_JUDGE_PROTECTED;
	if ((status == CHECK_FAILED || status == RUN_NOT_FOUND) &&
	    (has_text || is_about_saying(trace)))
		return FAULTS_JUDGE_REFUSED;
	return wrong(judge, "not blocked", status, text);
}

static int
go(void *base, const char *what, void (*fn)(void *), faults_judge_fn *judge,
    long share)
{
	static struct faults_campaign campaign;
	int faults = 1;

	if (faults_campaign_begin(&campaign, base)) {
		campaign.judge_run = judge;
		campaign.share = share;
		campaign.trace.counts_all = true;
		faults = faults_campaign_calls(&campaign, fn);
	}
	faults_campaign_end(&campaign, what);
	return faults > 100 ? 100 : faults;
}

int
faults_tool_run(void *base)
{
	return go(base, "omega-sandbox run", be_run, judge_run, 331);
}

int
faults_tool_check(void *base)
{
	return go(base, "omega-sandbox check", be_check, judge_check, 15);
}
