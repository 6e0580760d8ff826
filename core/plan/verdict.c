/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * verdict.c - may a command start, and the message when not: see plan.h.
 */

#include "config.h"

#include "plan/plan.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "conf/kinds.h"
#include "plan/stack.h"

static bool
is_required(const struct omega_plan *plan, size_t i)
{
	return (plan->atoms.list[i].public.flags &
		   OMEGA_SANDBOX_ATOM_REQUIRED) != 0;
}

/* Does this atom stand in the way of a fail-closed start? */
static bool
is_missing(const struct omega_plan *plan, size_t i)
{
	if (plan->items[i].state == OMEGA_SANDBOX_ENFORCED)
		return false;
	return is_required(plan, i) || !plan->items[i].is_accepted;
}

static size_t
count_missing(const struct omega_plan *plan, size_t *first)
{
	size_t count = 0;
	size_t i;

	/* A required one makes the better message. */
	*first = plan->atoms.count;
	for (i = 0; i < plan->atoms.count; i++) {
		if (!is_missing(plan, i))
			continue;
		count++;
		if (*first == plan->atoms.count ||
		    (is_required(plan, i) && !is_required(plan, *first)))
			*first = i;
	}
	return count;
}

/* Which of the stack cannot be used, and why: often the remedy itself, as is
 * what a backend says of an atom it does not hold. To run without protection is
 * the administrator's to find in the manual. */
static void
list_unusable(const struct omega_plan *plan, char *text, size_t size)
{
	size_t used = 0;
	size_t i;

	text[0] = '\0';
	for (i = 0; i < plan->stack_count; i++)
		if (!plan->stack[i].is_usable && used < size) {
			snprintf(text + used, size - used, "%s: %s; ",
			    plan->stack[i].name, plan->stack[i].probe.reason);
			used = strlen(text);
		}
}

#define AUTO_DOES                                                        \
	"use backends that do: leave the choice to backend = auto (and " \
	"--backend out)"

static void
refuse_missing(struct omega_plan *plan, size_t first, size_t count)
{
	const struct omega_atom *atom = &plan->atoms.list[first];
	const struct omega_kind *kind =
	    omega_kinds_by_number(atom->public.kind);
	char more[64] = "";
	char unusable[512];

	list_unusable(plan, unusable, sizeof(unusable));
	if (count > 1)
		snprintf(more, sizeof(more), " (and %zu more)", count - 1);
	if (is_required(plan, first))
		plan->verdict = omega_error_set(&plan->refusal,
		    OMEGA_SANDBOX_E_REQUIRED, 0,
		    "not started: nothing here enforces \"%s\"%s; %s [%s%s]",
		    atom->sentence, more,
		    plan->policy->backend_count > 0
			? AUTO_DOES
			: "let a backend work that does (omega-sandbox list)",
		    unusable, plan->items[first].why);
	else
		plan->verdict = omega_error_set(&plan->refusal,
		    OMEGA_SANDBOX_E_REQUIRED, 0,
		    "not started: nothing here fully enforces \"%s\"%s [%s%s]; "
		    "%sadd \"%s\" to accept to do without it",
		    atom->sentence, more, unusable, plan->items[first].why,
		    plan->policy->backend_count > 0 ? AUTO_DOES "; or " : "",
		    kind != NULL ? kind->name : "its kind");
	omega_error_atom(&plan->refusal, atom->sentence);
}

/* A backend that was asked for by name must be there. */
static bool
refuse_unusable(struct omega_plan *plan)
{
	size_t i;

	if (plan->policy->backend_count == 0)
		return false; /* auto: the atoms decide */
	for (i = 0; i < plan->stack_count; i++) {
		const struct omega_plan_backend *entry = &plan->stack[i];

		if (entry->is_usable)
			continue;
		plan->verdict =
		    omega_error_set(&plan->refusal, OMEGA_SANDBOX_E_UNAVAILABLE,
			0, "not started: backend %s cannot be used here: %s",
			entry->name,
			entry->probe.reason[0] != '\0' ? entry->probe.reason
						       : "it does not say why");
		omega_error_backend(&plan->refusal, entry->name);
		return true;
	}
	return false;
}

/* What protects takes new privileges away, once for all. */
static bool
refuse_privileges(struct omega_plan *plan)
{
	size_t i;

	if (plan->atoms.new_privileges == NULL)
		return false;
	for (i = 0; i < plan->stack_count; i++)
		if (plan->stack[i].is_needed)
			break;
	if (i == plan->stack_count)
		return false;
	plan->verdict = omega_error_set(&plan->refusal,
	    OMEGA_SANDBOX_E_INVALID_POLICY, 0,
	    "not started: new_privileges = true (%s), but backend %s starts "
	    "commands without new privileges; take the line out",
	    plan->atoms.new_privileges, plan->stack[i].name);
	omega_error_backend(&plan->refusal, plan->stack[i].name);
	return true;
}

void
omega_verdict_give(struct omega_plan *plan)
{
	const struct omega_conf *conf = plan->policy->sandbox->conf;
	size_t first;
	size_t count;

	plan->verdict = 0;
	plan->is_waived = false;
	if (!omega_conf_is(conf, OMEGA_OPTION_ENABLED)) {
		plan->verdict = omega_error_set(&plan->refusal,
		    OMEGA_SANDBOX_E_REFUSED, 0,
		    "not started: the sandbox is disabled (enabled = false)");
		return;
	}
	if (!omega_conf_is(conf, OMEGA_OPTION_ALLOW_ROOT) &&
	    (getuid() == 0 || geteuid() == 0)) {
		plan->verdict =
		    omega_error_set(&plan->refusal, OMEGA_SANDBOX_E_REFUSED, 0,
			"not started: root may not run commands "
			"(allow_root = false)");
		return;
	}
	if (refuse_privileges(plan))
		return;
	count = count_missing(plan, &first);
	if (!omega_conf_is(conf, OMEGA_OPTION_FAIL_CLOSED) ||
	    plan->policy->is_noop_allowed)
		plan->is_waived = count > 0;
	else if (!refuse_unusable(plan) && count > 0)
		refuse_missing(plan, first, count);
}

void
omega_verdict_warning(const struct omega_plan *plan, char *text, size_t size)
{
	size_t first;
	size_t count = count_missing(plan, &first);

	snprintf(text, size, "%s: nothing here enforces \"%s\"",
	    plan->is_protected ? "running with less than asked for"
			       : "running UNPROTECTED",
	    count == 0 ? "" : plan->atoms.list[first].sentence);
	if (count > 1) {
		size_t used = strlen(text);

		snprintf(text + used, size - used, " and %zu more", count - 1);
	}
	if (plan->policy->is_noop_allowed)
		snprintf(text + strlen(text), size - strlen(text),
		    " (%s was named)", omega_stack_noop);
	else
		snprintf(text + strlen(text), size - strlen(text),
		    " (fail_closed = false)");
}
