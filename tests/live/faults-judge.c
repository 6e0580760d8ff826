/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * faults-judge.c - see faults-judge.h.
 */

#include "faults-judge.h"

#include <sys/syscall.h>
#include <sys/wait.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <omega/sandbox.h>

#include "faults-errors.h"
#include "faults-probe.h"

#define CREATE_RULESET 444 /* of Landlock */
#define RESTRICT_SELF 446

__attribute__((format(printf, 2, 3))) static enum faults_judge_verdict
wrong(struct faults_judge *judge, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(judge->why, sizeof(judge->why), format, args);
	va_end(args);
	return FAULTS_JUDGE_WRONG;
}

/* A process of ours that is not the one outside: orphans come to us. */
static bool
is_process_left(const struct faults_subject *subject)
{
	char text[512] = "";
	char *word;
	char *rest = NULL;
	bool is_left = false;
	FILE *file;

	snprintf(
	    text, sizeof(text), "/proc/self/task/%ld/children", (long)getpid());
	file = fopen(text, "r");
	if (file == NULL)
		return false;
	if (fgets(text, sizeof(text), file) == NULL)
		text[0] = '\0';
	fclose(file);
	for (word = strtok_r(text, " \n", &rest); word != NULL;
	     word = strtok_r(NULL, " \n", &rest))
		if (strcmp(word, subject->place->outside) != 0) {
			is_left = true;
			kill((pid_t)atol(word), SIGKILL);
			waitpid((pid_t)atol(word), NULL, 0);
		}
	return is_left;
}

/* A mount at or below the scratch directory, where all masks are. */
static bool
is_mount_left(const struct faults_subject *subject)
{
	char line[2 * PATH_MAX];
	bool is_left = false;
	FILE *file = fopen("/proc/self/mountinfo", "r");

	while (file != NULL && fgets(line, sizeof(line), file) != NULL)
		if (strstr(line, subject->place->base) != NULL)
			is_left = true;
	if (file != NULL)
		fclose(file);
	return is_left;
}

/*
 * Landlock that is refused, when asked for or when tried, makes a host without
 * it: what is then given up is in the report. Lack of memory is not that.
 */
static bool
is_landlock_refused(const struct faults_trace_order *order)
{
	if (order->number == CREATE_RULESET)
		return true;
	return (order->number == RESTRICT_SELF || order->number == SYS_prctl) &&
	       order->error != ENOMEM && order->error != EAGAIN;
}

int
faults_judge_accepted(const struct faults_judge *judge,
    const struct faults_trace *trace, int given_up)
{
	if (trace->is_hit && is_landlock_refused(&trace->order))
		given_up &= FAULTS_PROBE_SIGNAL | FAULTS_PROBE_SOCKET;
	else /* a socket bound by a relative name, by whomever */
		given_up &= FAULTS_PROBE_SOCKET;
	return judge->accepted | given_up;
}

static enum faults_judge_verdict
judge_rest(struct faults_judge *judge, const struct faults_trace *trace,
    const struct faults_subject *subject)
{
	const struct faults_outcome *outcome = subject->outcome;
	bool is_waiting = strcmp(outcome->call, "wait") == 0;
	int said;

	if (outcome->code < 0 && outcome->text[0] == '\0')
		return wrong(judge, "%s: code %d without a text", outcome->call,
		    outcome->code);
	if (outcome->code < 0 && trace->is_hit &&
	    faults_errors_is_harmless(&trace->order))
		return wrong(judge, "%s: not tried again: %s", outcome->call,
		    outcome->text);
	if (outcome->code < 0 && !is_waiting) {
		if (trace->is_started)
			return wrong(judge, "%s failed but it was started: %s",
			    outcome->call, outcome->text);
		snprintf(judge->why, sizeof(judge->why), "%s: %s",
		    outcome->call, outcome->text);
		return FAULTS_JUDGE_REFUSED;
	}
	if (!trace->is_started)
		return wrong(judge, "it succeeded and started nothing");
	if (is_waiting && !outcome->is_waited_late &&
	    outcome->code != OMEGA_SANDBOX_E_STATUS_LOST)
		return wrong(
		    judge, "can never be waited for: %s", outcome->text);
	said = faults_probe_read(subject->place);
	if (subject->may_not_load && said == FAULTS_PROBE_SILENT) {
		snprintf(judge->why, sizeof(judge->why),
		    "protected, and too little for the program itself");
		return FAULTS_JUDGE_PROTECTED;
	}
	if ((said & ~faults_judge_accepted(judge, trace, outcome->given_up)) !=
		0 ||
	    (!outcome->is_protected &&
		outcome->code != OMEGA_SANDBOX_E_STATUS_LOST))
		return wrong(judge, "unprotected: the probe could %x", said);
	if (outcome->code != OMEGA_SANDBOX_E_STATUS_LOST &&
	    outcome->status != (said == 0 ? 0 : 1))
		return wrong(judge, "the status was %d", outcome->status);
	snprintf(judge->why, sizeof(judge->why), "protected%s%s%s",
	    said != 0 ? ", with less as was told" : "", is_waiting ? ", " : "",
	    outcome->text);
	return is_waiting ? FAULTS_JUDGE_WAITED : FAULTS_JUDGE_PROTECTED;
}

/* Without memory it does not do so in good order. */
bool
faults_judge_is_loader(const struct faults_trace *trace, int process)
{
	return (process != 0 || trace->counts_all) &&
	       process == trace->order.process &&
	       trace->order.number == SYS_mmap;
}

bool
faults_judge_is_clean(struct faults_judge *judge,
    const struct faults_trace *trace, const struct faults_subject *subject)
{
	int i;

	judge->why[0] = '\0';
	if (is_process_left(subject))
		wrong(judge, "a process is left");
	else if (trace->is_lost)
		wrong(judge, "the tracing failed");
	else if (trace->is_late)
		wrong(judge, "it took too long");
	else if (is_mount_left(subject))
		wrong(judge, "a mount is left");
	for (i = 0; judge->why[0] == '\0' && i < trace->process_count; i++)
		if (trace->processes[i].crash != 0 &&
		    !faults_judge_is_loader(trace, i))
			wrong(judge, "process %d (%s) crashed: %s", i,
			    trace->processes[i].name,
			    strsignal(trace->processes[i].crash));
	return judge->why[0] == '\0';
}

enum faults_judge_verdict
faults_judge_library(struct faults_judge *judge,
    const struct faults_trace *trace, const struct faults_subject *subject)
{
	const struct faults_outcome *outcome = subject->outcome;

	if (!faults_judge_is_clean(judge, trace, subject))
		return FAULTS_JUDGE_WRONG;
	if (!outcome->is_finished)
		return wrong(judge, "the host ended with %x", trace->status);
	if (outcome->children != 0)
		return wrong(judge, "a child is left (%s)", outcome->text);
	if (outcome->fds != 0)
		return wrong(judge, "%d descriptors are left (%s)",
		    outcome->fds, outcome->text);
	if (outcome->is_changed)
		return wrong(judge, "directory or signal mask changed");
	return judge_rest(judge, trace, subject);
}
