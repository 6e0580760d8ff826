/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * plan.c - making the plan: gather the stack, ask every backend about every
 * atom, assign, and judge. See plan.h.
 */

#include "config.h"

#include "plan/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "conf/kinds.h"
#include "launch/limits.h"
#include "load/shipped.h"
#include "plan/stack.h"
#include "run/supervisor.h"

/* Load and probe one backend into the stack. */
static int
add_backend(struct omega_plan *plan, const char *name,
    struct omega_sandbox_error *error)
{
	struct omega_plan_backend *entry = &plan->stack[plan->stack_count];
	struct omega_backend *backend;
	int ret;

	snprintf(entry->name, sizeof(entry->name), "%s", name);
	ret = omega_sandbox_object_backend(
	    plan->policy->sandbox, name, &entry->backend, error);
	if (ret < 0)
		return ret;
	backend = entry->backend;
	entry->probe.size = sizeof(entry->probe);
	entry->probe.is_believing = plan->is_believing;
	ret = backend->plugin.probe(&backend->host, &entry->probe);
	entry->probe.version[sizeof(entry->probe.version) - 1] = '\0';
	entry->probe.reason[sizeof(entry->probe.reason) - 1] = '\0';
	entry->probe.network_reason[sizeof(entry->probe.network_reason) - 1] =
	    '\0';
	if (ret < 0) {
		ret = omega_error_set(error, OMEGA_SANDBOX_E_PLUGIN, -ret,
		    "backend %s could not look at this host: %s", name,
		    strerror(-ret));
		omega_error_backend(error, name);
		return ret;
	}
	entry->is_usable = entry->probe.is_usable == 1;
	if (plan->is_preview)
		entry->is_usable =
		    omega_plan_has_flag(entry, OMEGA_SANDBOX_PLUGIN_PREVIEWS);
	plan->stack_count++;
	return 0;
}

/* A member of the automatic stack that is not there is only noted. */
static int
add_if_installed(struct omega_plan *plan, const char *name,
    struct omega_sandbox_error *error)
{
	struct omega_plan_backend *entry = &plan->stack[plan->stack_count];

	if (omega_loader_is_installed(plan->policy->sandbox->plugindir, name))
		return add_backend(plan, name, error);
	snprintf(entry->name, sizeof(entry->name), "%s", name);
	omega_shipped_missing(plan->policy->sandbox->plugindir, name,
	    entry->probe.reason, sizeof(entry->probe.reason));
	plan->stack_count++;
	return 0;
}

/*
 * The platform's own stack, as far as it is installed. When its first member
 * cannot be used, the program that can stand in for all of it is tried.
 */
static int
gather_auto(struct omega_plan *plan, struct omega_sandbox_error *error)
{
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && omega_stack_auto[i] != NULL; i++)
		ret = add_if_installed(plan, omega_stack_auto[i], error);
	if (ret < 0 || plan->stack[0].is_usable ||
	    omega_stack_auto_instead == NULL ||
	    !omega_loader_is_installed(
		plan->policy->sandbox->plugindir, omega_stack_auto_instead))
		return ret;
	ret = add_backend(plan, omega_stack_auto_instead, error);
	if (ret < 0)
		return ret;
	if (!plan->stack[plan->stack_count - 1].is_usable)
		return 0;
	/* Who lets nobody mount would be in the way of a program that does. */
	plan->stack[0] = plan->stack[--plan->stack_count];
	for (i = 1; i < plan->stack_count;)
		if (omega_plan_has_flag(
			&plan->stack[i], OMEGA_SANDBOX_PLUGIN_SEPARATES))
			memmove(&plan->stack[i], &plan->stack[i + 1],
			    (--plan->stack_count - i) * sizeof(plan->stack[0]));
		else
			i++;
	return 0;
}

static int
gather_stack(struct omega_plan *plan, struct omega_sandbox_error *error)
{
	const struct omega_sandbox_policy *policy = plan->policy;
	size_t prefixes = 0;
	size_t i;
	int ret = 0;

	if (policy->backend_count == 0)
		return gather_auto(plan, error);
	for (i = 0; ret == 0 && i < policy->backend_count; i++)
		ret = add_backend(plan, policy->backends[i], error);
	for (i = 0; ret == 0 && i < plan->stack_count; i++)
		if (omega_plan_has_flag(
			&plan->stack[i], OMEGA_SANDBOX_PLUGIN_PREFIX) &&
		    ++prefixes > 1)
			ret = omega_error_set(error,
			    OMEGA_SANDBOX_E_INVALID_POLICY, 0,
			    "backend %s: only one backend of a stack can start "
			    "the command through a program of its own",
			    plan->stack[i].name);
	return ret;
}

/* All answers of one backend, laid out as plugins want them. */
struct answers {
	const struct omega_sandbox_atom **atoms;
	struct omega_sandbox_state **states;
	struct omega_sandbox_state *store;
};

static void
drop_answers(struct answers *answers)
{
	free(answers->atoms);
	free(answers->states);
	free(answers->store);
}

/* Has another backend that can be used this flag? */
static bool
has_beside(const struct omega_plan *plan, size_t backend, uint64_t flag)
{
	size_t i;

	for (i = 0; i < plan->stack_count; i++)
		if (i != backend && plan->stack[i].is_usable &&
		    omega_plan_has_flag(&plan->stack[i], flag))
			return true;
	return false;
}

struct omega_sandbox_request
omega_plan_request(const struct omega_plan *plan, size_t backend)
{
	struct omega_sandbox_request request = {.size = sizeof(request)};

	omega_atoms_tell(&plan->atoms, &request);
	if (has_beside(plan, backend, OMEGA_SANDBOX_PLUGIN_SEPARATES))
		request.flags |= OMEGA_SANDBOX_REQUEST_SEPARATED;
	if (omega_policy_has_user_namespaces(plan->policy))
		request.flags |= OMEGA_SANDBOX_REQUEST_USER_NAMESPACES;
	if (has_beside(plan, backend, OMEGA_SANDBOX_PLUGIN_FILTERS))
		request.flags |= OMEGA_SANDBOX_REQUEST_FILTERS;
	if (plan->is_preview)
		request.flags |= OMEGA_SANDBOX_REQUEST_PREVIEW;
	if (plan->is_believing)
		request.flags |= OMEGA_SANDBOX_REQUEST_BELIEVING;
	return request;
}

static int
ask(const struct omega_plan *plan, size_t backend, struct answers *answers,
    struct omega_sandbox_error *error)
{
	const struct omega_plan_backend *entry = &plan->stack[backend];
	struct omega_sandbox_request request =
	    omega_plan_request(plan, backend);
	size_t count = plan->atoms.count;
	size_t i;
	int ret;

	answers->atoms = calloc(count, sizeof(*answers->atoms));
	answers->states = calloc(count, sizeof(*answers->states));
	answers->store = calloc(count, sizeof(*answers->store));
	if (answers->atoms == NULL || answers->states == NULL ||
	    answers->store == NULL)
		return omega_error_memory(error);
	for (i = 0; i < count; i++) {
		answers->atoms[i] = &plan->atoms.list[i].public;
		answers->states[i] = &answers->store[i];
		answers->store[i].size = sizeof(answers->store[i]);
	}
	if (!entry->is_usable)
		return 0;
	ret = entry->backend->plugin.describe(&entry->backend->host, &request,
	    answers->atoms, count, answers->states);
	if (ret < 0) {
		ret = omega_error_set(error, OMEGA_SANDBOX_E_PLUGIN, -ret,
		    "backend %s could not say what it would hold: %s",
		    entry->name, strerror(-ret));
		omega_error_backend(error, entry->name);
		return ret;
	}
	for (i = 0; i < count; i++) {
		struct omega_sandbox_state *state = &answers->store[i];

		state->held &= answers->atoms[i]->access;
		state->partial &= answers->atoms[i]->access & ~state->held;
		state->why[sizeof(state->why) - 1] = '\0';
	}
	return 0;
}

/*
 * Who holds the atom: the first backend that holds all of it; failing that,
 * as many in turn as add something; what is left, by those who hold it in
 * part.
 */
static void
assign(const struct omega_plan *plan, const struct answers *answers,
    size_t atom, struct omega_plan_item *item)
{
	uint32_t wanted = plan->atoms.list[atom].public.access;
	uint32_t held = 0;
	uint32_t partial = 0;
	size_t i;

	for (i = 0; i < plan->stack_count; i++)
		if (answers[i].store[atom].held == wanted) {
			item->assigned[i] = wanted;
			item->held = wanted;
			item->state = OMEGA_SANDBOX_ENFORCED;
			return;
		}
	for (i = 0; i < plan->stack_count; i++) {
		item->assigned[i] = answers[i].store[atom].held & ~held;
		held |= item->assigned[i];
	}
	for (i = 0; i < plan->stack_count; i++) {
		uint32_t bits =
		    answers[i].store[atom].partial & ~held & ~partial;

		item->assigned[i] |= bits;
		partial |= bits;
	}
	item->held = held;
	if (held == wanted)
		item->state = OMEGA_SANDBOX_ENFORCED;
	else if ((held | partial) != 0)
		item->state = OMEGA_SANDBOX_PARTIAL;
	else
		item->state = OMEGA_SANDBOX_NOT_ENFORCED;
}

/*
 * The words of a report about one atom. Why a backend cannot be used at all is
 * said once, with the stack.
 */
static int
explain(const struct omega_plan *plan, const struct answers *answers,
    size_t atom, struct omega_plan_item *item)
{
	struct omega_buffer names = {.text = NULL};
	struct omega_buffer why = {.text = NULL};
	size_t i;

	for (i = 0; i < plan->stack_count; i++) {
		const struct omega_plan_backend *entry = &plan->stack[i];
		const char *reason = answers[i].store[atom].why;

		if (!entry->is_usable)
			continue;
		if (item->assigned[i] != 0) {
			omega_buffer_add(&names, names.len == 0 ? "" : ", ");
			omega_buffer_add(&names, entry->name);
		}
		if (item->state != OMEGA_SANDBOX_ENFORCED)
			omega_buffer_print(&why, "%s%s: %s",
			    why.len == 0 ? "" : "; ", entry->name,
			    reason[0] != '\0' ? reason : "does not hold this");
	}
	if (item->state != OMEGA_SANDBOX_ENFORCED && why.len == 0)
		omega_buffer_add(
		    &why, "no backend of the stack can be used here");
	item->backends = omega_buffer_take(&names);
	item->why = omega_buffer_take(&why);
	return item->backends == NULL || item->why == NULL ? -1 : 0;
}

/* Where no backend does, the core ends them as well as it can. */
static int
assign_left(struct omega_plan_item *item)
{
	bool is_available;
	char *why;

	(void)omega_supervisor_how(&is_available);
	if (item->state != OMEGA_SANDBOX_NOT_ENFORCED || !is_available)
		return 0;
	if (asprintf(&why,
		"%s; core: they are looked for and ended one by one, and who "
		"hides from that or is faster goes on",
		item->why) < 0)
		return -1;
	free(item->why);
	free(item->backends);
	item->why = why;
	item->backends = strdup("core (supervisor)");
	item->state = OMEGA_SANDBOX_PARTIAL;
	return item->backends == NULL ? -1 : 0;
}

/* A limit is the core's own. */
static int
assign_limit(const struct omega_atom *atom, struct omega_plan_item *item)
{
	const char *by = "";
	const char *why = "";

	item->state = omega_limits_is_held(atom->limit, &by, &why)
			  ? OMEGA_SANDBOX_ENFORCED
			  : OMEGA_SANDBOX_PARTIAL;
	item->backends = strdup(by);
	item->why = strdup(why);
	return item->backends == NULL || item->why == NULL ? -1 : 0;
}

/*
 * In the caller's session a command gets at the others in it by what the kernel
 * does for terminals and for groups that nobody continues. Who asks for that
 * session accepts it.
 */
static int
lower_for_session(uint32_t kind, struct omega_plan_item *item)
{
	const char *why =
	    kind == OMEGA_SANDBOX_ATOM_TERMINAL
		? "core: session = keep: the caller's terminal is the "
		  "command's, which can set and resize it"
		: "core: session = keep: the kernel's own signals about "
		  "terminals and orphaned groups reach the caller's session";

	item->is_accepted = true;
	if (item->state != OMEGA_SANDBOX_ENFORCED)
		return 0;
	item->state = OMEGA_SANDBOX_PARTIAL;
	free(item->why);
	item->why = strdup(why);
	return item->why == NULL ? -1 : 0;
}

static int
assign_all(struct omega_plan *plan, const struct answers *answers,
    struct omega_sandbox_error *error)
{
	size_t i;
	size_t j;

	plan->is_protected = true;
	for (i = 0; i < plan->atoms.count; i++) {
		const struct omega_sandbox_atom *atom =
		    &plan->atoms.list[i].public;
		struct omega_plan_item *item = &plan->items[i];

		if (atom->kind == OMEGA_SANDBOX_ATOM_LIMIT) {
			if (assign_limit(&plan->atoms.list[i], item) < 0)
				return omega_error_memory(error);
		} else {
			assign(plan, answers, i, item);
			if (explain(plan, answers, i, item) < 0 ||
			    (atom->kind == OMEGA_SANDBOX_ATOM_LEFT_PROCESSES &&
				assign_left(item) < 0))
				return omega_error_memory(error);
		}
		/* What is about supervised commands only refuses no other. */
		item->is_accepted =
		    atom->kind == OMEGA_SANDBOX_ATOM_LEFT_PROCESSES ||
		    (omega_conf_number(
			 plan->policy->sandbox->conf, OMEGA_OPTION_ACCEPT) &
			omega_kinds_bit(atom->kind)) != 0;
		if (plan->atoms.session == OMEGA_SANDBOX_SESSION_KEEP &&
		    (atom->kind == OMEGA_SANDBOX_ATOM_OUTSIDE_SIGNALS ||
			atom->kind == OMEGA_SANDBOX_ATOM_TERMINAL) &&
		    lower_for_session(atom->kind, item) < 0)
			return omega_error_memory(error);
		if ((atom->flags & OMEGA_SANDBOX_ATOM_REQUIRED) != 0 &&
		    item->state != OMEGA_SANDBOX_ENFORCED)
			plan->is_protected = false;
		for (j = 0; j < plan->stack_count; j++)
			if (item->assigned[j] != 0)
				plan->stack[j].is_needed = true;
	}
	return 0;
}

/* Is it kept from being seen by mounts? */
static bool
is_hidden(const struct omega_plan *plan, const struct omega_plan_item *item)
{
	const uint32_t seen = OMEGA_SANDBOX_ATOM_READ | OMEGA_SANDBOX_ATOM_LIST;
	size_t i;

	for (i = 0; i < plan->stack_count; i++)
		if ((item->assigned[i] & seen) != 0 &&
		    omega_plan_has_flag(
			&plan->stack[i], OMEGA_SANDBOX_PLUGIN_CHANGES_MOUNTS))
			return true;
	return false;
}

/* Does anybody keep it from being written? Of /dev and /proc some files are
 * everybody's. */
static bool
is_closed(const struct omega_plan *plan, const struct omega_plan_item *item,
    const char *path)
{
	uint32_t held = 0;
	size_t i;

	for (i = 0; i < plan->stack_count; i++)
		held |= item->assigned[i];
	return (held & OMEGA_SANDBOX_ATOM_WRITE) != 0 &&
	       strcmp(path, "/dev") != 0 && strcmp(path, "/proc") != 0;
}

/*
 * Places no command can have as its working directory, and those where no
 * descriptor may write that a command is given, whoever holds them: what is
 * open already no backend looks at.
 */
static int
list_places(struct omega_plan *plan, struct omega_sandbox_error *error)
{
	size_t i;

	for (i = 0; i < plan->atoms.count; i++) {
		const struct omega_atom *atom = &plan->atoms.list[i];
		const struct omega_plan_item *item = &plan->items[i];

		if (atom->public.kind == OMEGA_SANDBOX_ATOM_ELSEWHERE &&
		    (item->held & OMEGA_SANDBOX_ATOM_WRITE) != 0)
			plan->is_listed = true;
		if (atom->public.kind != OMEGA_SANDBOX_ATOM_PATH ||
		    atom->path == NULL)
			continue;
		if ((is_hidden(plan, item) &&
			omega_hidden_add(&plan->hidden, atom->path) < 0) ||
		    (is_closed(plan, item, atom->path) &&
			omega_hidden_add(&plan->closed, atom->path) < 0))
			return omega_error_memory(error);
	}
	return 0;
}

/*
 * Commands that meet in one place reach for each other. Where a backend can
 * keep them apart it is used, also when no atom is its own; so is who installs
 * the filter of another.
 */
static void
separate(struct omega_plan *plan)
{
	bool is_shared = false;
	bool is_any = false;
	size_t i;

	for (i = 0; i < plan->stack_count; i++)
		is_any |= plan->stack[i].is_needed;
	for (i = 0; i < plan->stack_count; i++)
		if (plan->stack[i].is_needed &&
		    omega_plan_has_flag(
			&plan->stack[i], OMEGA_SANDBOX_PLUGIN_CHANGES_MOUNTS))
			is_shared = true;
	for (i = 0; i < plan->stack_count; i++)
		if (plan->stack[i].is_usable &&
		    ((is_shared && omega_plan_has_flag(&plan->stack[i],
				       OMEGA_SANDBOX_PLUGIN_SEPARATES)) ||
			(is_any && omega_plan_has_flag(&plan->stack[i],
				       OMEGA_SANDBOX_PLUGIN_FILTERS))))
			plan->stack[i].is_needed = true;
}

static int
make(struct omega_sandbox_policy *policy, bool is_believing, bool is_preview,
    struct omega_plan **plan, struct omega_sandbox_error *error)
{
	struct answers answers[OMEGA_SANDBOX_MAX_BACKENDS];
	struct omega_plan *made;
	size_t i;
	int ret = omega_sandbox_object_check_stack(error);

	if (ret < 0)
		return ret;
	memset(answers, 0, sizeof(answers));
	made = calloc(1, sizeof(*made));
	if (made == NULL)
		return omega_error_memory(error);
	made->policy = omega_sandbox_policy_ref(policy);
	made->is_believing = is_believing;
	made->is_preview = is_preview;
	made->refusal.size = sizeof(made->refusal);
	ret = gather_stack(made, error);
	if (ret == 0)
		ret = is_preview
			  ? omega_atoms_make_shown(policy, &made->atoms, error)
			  : omega_atoms_make(policy, &made->atoms, error);
	if (ret == 0) {
		made->items = calloc(made->atoms.count, sizeof(*made->items));
		if (made->items == NULL)
			ret = omega_error_memory(error);
	}
	for (i = 0; ret == 0 && i < made->stack_count; i++)
		ret = ask(made, i, &answers[i], error);
	if (ret == 0)
		ret = assign_all(made, answers, error);
	if (ret == 0)
		separate(made);
	if (ret == 0)
		ret = list_places(made, error);
	if (ret == 0)
		omega_verdict_give(made);
	for (i = 0; i < made->stack_count; i++)
		drop_answers(&answers[i]);
	if (ret < 0) {
		omega_plan_free(made);
		return ret;
	}
	*plan = made;
	return 0;
}

int
omega_plan_make(struct omega_sandbox_policy *policy, bool is_believing,
    struct omega_plan **plan, struct omega_sandbox_error *error)
{
	return make(policy, is_believing, false, plan, error);
}

int
omega_plan_preview(struct omega_sandbox_policy *policy,
    struct omega_plan **plan, struct omega_sandbox_error *error)
{
	return make(policy, false, true, plan, error);
}

void
omega_plan_free(struct omega_plan *plan)
{
	size_t i;

	if (plan == NULL)
		return;
	for (i = 0; plan->items != NULL && i < plan->atoms.count; i++) {
		free(plan->items[i].backends);
		free(plan->items[i].why);
	}
	free(plan->items);
	omega_hidden_drop(&plan->hidden);
	omega_hidden_drop(&plan->closed);
	omega_atoms_drop(&plan->atoms);
	omega_sandbox_policy_unref(plan->policy);
	free(plan);
}
