/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * prefix.c - the words a backend would put before a command, to be looked at.
 * Nothing is started with them, and nothing is claimed about this host.
 */

#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "plan/plan.h"

struct omega_sandbox_prefix {
	struct omega_launch *launch;
};

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

int
omega_sandbox_prefix_new(struct omega_sandbox_policy *policy,
    struct omega_sandbox_prefix **prefix, struct omega_sandbox_error *error)
{
	struct omega_sandbox_prefix *made;
	struct omega_plan *plan = NULL;
	int ret;

	if (policy == NULL || prefix == NULL)
		return omega_error_set(error, OMEGA_SANDBOX_E_ARGUMENT, EINVAL,
		    "a policy and a place for the words are needed");
	*prefix = NULL;
	made = calloc(1, sizeof(*made));
	if (made == NULL)
		return omega_error_memory(error);
	ret = omega_plan_preview(policy, &plan, error);
	if (ret == 0)
		ret = judge(plan, error);
	if (ret == 0)
		ret = build(plan, &made->launch, error);
	omega_plan_free(plan);
	if (ret < 0) {
		omega_sandbox_prefix_free(made);
		return ret;
	}
	*prefix = made;
	return 0;
}

const char *
omega_sandbox_prefix_get_word(
    const struct omega_sandbox_prefix *prefix, size_t index)
{
	if (prefix == NULL || index >= prefix->launch->word_count)
		return NULL;
	return prefix->launch->words[index];
}

void
omega_sandbox_prefix_free(struct omega_sandbox_prefix *prefix)
{
	if (prefix == NULL)
		return;
	omega_launch_unref(prefix->launch);
	free(prefix);
}
