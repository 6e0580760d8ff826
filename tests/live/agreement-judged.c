/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * agreement-judged.c - see agreement-judged.h.
 */

#include "agreement-judged.h"

#include "harness.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "ground.h"
#include "table/agreement.h"

/* What the judgement with a report must say about a row. */
static bool
is_judged_well(
    const struct omega_sandbox_judgement *said, const struct agreement_row *row)
{
	bool is_hidden = row->but == BUT_HIDDEN && row->access == 'w';

	/* What explains commands knows what is harmless to them, and what is
	 * hidden from them. */
	if (said->is_allowed !=
	    ((row->expected == 'y' && !is_hidden) || row->but == BUT_DEVICE ||
		(row->but == BUT_SELF && geteuid() != 0)))
		return false;
	if (said->is_allowed)
		return said->reason == 0 && said->guarantee == NULL &&
		       said->rule[0] == '\0';
	if (row->but == BUT_UNDECIDED)
		return said->reason == OMEGA_SANDBOX_UNDECIDED &&
		       said->sys_errno != 0;
	if (said->rule[0] == '\0' || said->origin[0] == '\0')
		return false;
	/* The kernel is asked about places, not spellings. */
	if (row->but == BUT_SPELLED)
		return said->guarantee == NULL;
	if (said->guarantee == NULL || said->backends == NULL)
		return false;
	/* Of a list of programs only a part is promised. */
	if (row->but == AGREED && row->access == 'x' &&
	    said->reason == OMEGA_SANDBOX_BY_LIST)
		return said->state >= OMEGA_SANDBOX_PARTIAL;
	return (row->but != AGREED && !is_hidden) ||
	       (said->is_held && said->backends[0] != '\0');
}

static int
judge_policy(struct ground *ground, const struct agreement_policy *policy)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_report *report = NULL;
	char path[PATH_MAX];
	int faults = 0;
	size_t i;

	need(omega_sandbox_describe(ground->policy, &report, &error) == 0);
	for (i = 0; policy->rows[i].access != 0; i++) {
		const struct agreement_row *row = &policy->rows[i];
		struct omega_sandbox_judgement said =
		    OMEGA_SANDBOX_JUDGEMENT_INIT;

		ground_fill(ground, row->path, path);
		need(omega_sandbox_policy_judge(ground->policy, report,
			 ground_access(row->access), path, &said, &error) == 0);
		if (is_judged_well(&said, row))
			continue;
		faults++;
		printf("# %s: %c %s: reason %d by %s (%s:%u), kept by '%s' of "
		       "'%s', %d\n",
		    policy->name, row->access, row->path, said.reason,
		    said.rule, said.origin, said.line,
		    said.guarantee == NULL ? "" : said.guarantee,
		    said.backends == NULL ? "" : said.backends, said.state);
	}
	omega_sandbox_report_unref(report);
	return faults;
}

int
agreement_judged(void *arg)
{
	struct ground ground;
	int faults = 0;
	size_t i;

	need(ground_make(&ground, arg));
	for (i = 0; i < AGREEMENT_COUNT; i++) {
		need(ground_open(&ground, agreement[i].conf, agreement[i].rule,
		    agreement[i].value));
		faults += judge_policy(&ground, &agreement[i]);
		ground_close(&ground);
	}
	ground_clear(&ground);
	fflush(stdout);
	return faults;
}
