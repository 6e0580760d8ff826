/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * report.c - what would be held, to be looked at: reports, and the words a
 * backend would put before a command. Nothing is started. Documentation is in
 * omega/sandbox.h.
 */

#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "plan/plan.h"

int
omega_sandbox_describe(struct omega_sandbox_policy *policy,
    struct omega_sandbox_report **report, struct omega_sandbox_error *error)
{
	struct omega_plan *plan = NULL;
	int ret;

	if (policy == NULL || report == NULL)
		return omega_error_set(error, OMEGA_SANDBOX_E_ARGUMENT, EINVAL,
		    "a policy and a place for the report are needed");
	*report = NULL;
	ret = omega_plan_make(policy, false, &plan, error);
	if (ret < 0)
		return ret;
	*report = omega_report_new(plan);
	omega_plan_free(plan);
	return *report == NULL ? omega_error_memory(error) : 0;
}

struct omega_sandbox_report *
omega_sandbox_report_ref(struct omega_sandbox_report *report)
{
	if (report != NULL)
		atomic_fetch_add(&report->refs, 1);
	return report;
}

void
omega_sandbox_report_unref(struct omega_sandbox_report *report)
{
	if (report != NULL && atomic_fetch_sub(&report->refs, 1) == 1)
		omega_report_free(report);
}

int
omega_sandbox_report_get(const struct omega_sandbox_report *report,
    size_t index, struct omega_sandbox_guarantee *guarantee)
{
	if (report == NULL || guarantee == NULL ||
	    guarantee->size < sizeof(guarantee->size))
		return OMEGA_SANDBOX_E_ARGUMENT;
	if (index >= report->line_count)
		return OMEGA_SANDBOX_E_NOT_FOUND;
	omega_sized_give(guarantee, &report->lines[index], sizeof(*guarantee));
	return 0;
}

int
omega_sandbox_report_get_verdict(const struct omega_sandbox_report *report,
    struct omega_sandbox_error *error)
{
	if (report == NULL)
		return omega_error_set(
		    error, OMEGA_SANDBOX_E_ARGUMENT, 0, "a report is needed");
	if (report->verdict < 0)
		omega_error_copy(error, &report->refusal);
	return report->verdict;
}

bool
omega_sandbox_report_is_protected(const struct omega_sandbox_report *report)
{
	return report != NULL && report->is_protected;
}

const char *
omega_sandbox_report_text(
    const struct omega_sandbox_report *report, enum omega_sandbox_format format)
{
	return report == NULL || (format != OMEGA_SANDBOX_FORMAT_TEXT &&
				     format != OMEGA_SANDBOX_FORMAT_JSON)
		   ? ""
		   : omega_report_whole(report, format);
}

/* ---- The words before a command ------------------------------------------ */

/* Not even one who runs without protection can be shown half of it. */
static int
refuse_unsaid(const struct omega_plan *plan, struct omega_sandbox_error *error)
{
	size_t i;

	for (i = 0; i < plan->atoms.count; i++)
		if ((plan->atoms.list[i].public.flags &
			OMEGA_SANDBOX_ATOM_REQUIRED) != 0 &&
		    plan->items[i].state != OMEGA_SANDBOX_ENFORCED)
			break;
	omega_error_set(error, OMEGA_SANDBOX_E_REQUIRED, 0,
	    "\"%s\" cannot be held: %s",
	    i < plan->atoms.count ? plan->atoms.list[i].sentence : "",
	    i < plan->atoms.count ? plan->items[i].why : "");
	return OMEGA_SANDBOX_E_REQUIRED;
}

static int
judge(const struct omega_plan *plan, struct omega_sandbox_error *error)
{
	size_t i;

	for (i = 0; i < plan->stack_count; i++)
		if (plan->stack[i].is_usable)
			break;
	if (i == plan->stack_count)
		return omega_error_set(error, OMEGA_SANDBOX_E_UNAVAILABLE, 0,
		    "no backend of the stack puts words before a command that "
		    "can be shown; name one whose page says that it does");
	if (plan->verdict < 0) {
		omega_error_copy(error, &plan->refusal);
		return plan->verdict;
	}
	return plan->is_protected ? 0 : refuse_unsaid(plan, error);
}

static int
build(struct omega_plan *plan, struct omega_launch **launch,
    struct omega_sandbox_error *error)
{
	bool is_stale = false;
	size_t i;
	int ret = 0;

	*launch = omega_launch_new();
	if (*launch == NULL)
		return omega_error_memory(error);
	for (i = 0; ret == 0 && i < plan->stack_count; i++)
		if (plan->stack[i].is_needed)
			ret = omega_apply_backend(
			    plan, i, *launch, &is_stale, error);
	return ret;
}

/* In one piece: the list, and behind it the texts. */
static char **
copy_words(const struct omega_launch *launch)
{
	const size_t count = launch->word_count;
	size_t size = (count + 1) * sizeof(char *);
	char **words;
	char *at;
	size_t i;

	for (i = 0; i < count; i++)
		size += strlen(launch->words[i]) + 1;
	words = calloc(1, size);
	if (words == NULL)
		return NULL;
	at = (char *)(words + count + 1);
	for (i = 0; i < count; i++) {
		words[i] = at;
		at = stpcpy(at, launch->words[i]) + 1;
	}
	return words;
}

int
omega_sandbox_describe_prefix(struct omega_sandbox_policy *policy,
    char ***words, struct omega_sandbox_error *error)
{
	struct omega_launch *launch = NULL;
	struct omega_plan *plan = NULL;
	int ret;

	if (policy == NULL || words == NULL)
		return omega_error_set(error, OMEGA_SANDBOX_E_ARGUMENT, EINVAL,
		    "a policy and a place for the words are needed");
	*words = NULL;
	ret = omega_plan_preview(policy, &plan, error);
	if (ret == 0)
		ret = judge(plan, error);
	if (ret == 0)
		ret = build(plan, &launch, error);
	omega_plan_free(plan);
	if (ret == 0) {
		*words = copy_words(launch);
		if (*words == NULL)
			ret = omega_error_memory(error);
	}
	omega_launch_unref(launch);
	return ret;
}
