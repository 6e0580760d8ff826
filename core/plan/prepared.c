/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * prepared.c - carrying a plan out, and keeping it true. See prepared.h.
 */

#include "config.h"

#include "plan/prepared.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <syslog.h>
#include <time.h>

#include "base/error.h"
#include "launch/limits.h"
#include "plan/record.h"
#include "policy/combine.h"
#include "policy/screen-rules.h"
#include "policy/state.h"

/* How often in a row the world may change under our hands. */
#define MAX_ATTEMPTS 4

/* And while it is prepared: to replace a file that is mounted on takes the
 * kernel up to half a second; pauses of 1, 2, 4, ... ms add up to one. */
#define MAX_LOOKS 11

/*
 * Have the child look for itself. A program that goes before the command makes
 * the sandbox only after exec, when nobody of ours is there to look: then no
 * command can be started by one who has asked for the witness.
 */
static int
add_witness(const struct omega_plan *plan, struct omega_launch *launch,
    struct omega_sandbox_error *error)
{
	if (plan->policy->witness == OMEGA_POLICY_WITNESS_OFF)
		return 0;
	if (launch->prefix == NULL)
		return omega_tries_make(plan, &launch->witness, error);
	if (plan->policy->witness == OMEGA_POLICY_WITNESS_DEFAULT)
		return 0;
	omega_error_set(error, OMEGA_SANDBOX_E_WITNESS, 0,
	    "not started: %s makes the sandbox in a program of its own, where "
	    "no witness can look; use other backends, or witness = off",
	    launch->prefix);
	omega_error_backend(error, launch->prefix);
	return OMEGA_SANDBOX_E_WITNESS;
}

/* Those first that decide what is where, last who takes what others made. */
static size_t
turn_of(const struct omega_plan_backend *entry)
{
	if (omega_plan_has_flag(entry, OMEGA_SANDBOX_PLUGIN_FILTERS))
		return 2;
	return !omega_plan_has_flag(entry, OMEGA_SANDBOX_PLUGIN_CHANGES_MOUNTS);
}

/* Plan and carry out. On success launch and report are the caller's. */
static int
build_once(struct omega_sandbox_policy *policy, bool is_believing,
    struct omega_launch **launch, struct omega_sandbox_report **report,
    bool *is_stale, struct omega_sandbox_error *error)
{
	struct omega_plan *plan = NULL;
	char warning[1024];
	size_t i;
	int ret;

	*launch = NULL;
	*report = NULL;
	*is_stale = false;
	ret = omega_plan_make(policy, is_believing, &plan, error);
	if (ret < 0)
		return ret;
	if (plan->verdict < 0) {
		omega_error_copy(error, &plan->refusal);
		ret = plan->verdict;
		goto out;
	}
	*launch = omega_launch_new();
	*report = omega_report_new(plan);
	if (*launch == NULL || *report == NULL) {
		ret = omega_error_memory(error);
		goto out;
	}
	for (i = 0; i < plan->atoms.count; i++)
		if (plan->atoms.list[i].public.kind ==
			OMEGA_SANDBOX_ATOM_FORK &&
		    plan->items[i].state == OMEGA_SANDBOX_ENFORCED)
			(*launch)->is_alone = true;
	for (i = 0; ret == 0 && i < 3 * plan->stack_count; i++) {
		const struct omega_plan_backend *entry =
		    &plan->stack[i % plan->stack_count];

		if (entry->is_needed && turn_of(entry) == i / plan->stack_count)
			ret = omega_apply_backend(plan, i % plan->stack_count,
			    *launch, is_stale, error);
	}
	if (ret == 0 && (*launch)->filter != NULL &&
	    !(*launch)->is_filter_taken)
		ret = omega_error_set(error, OMEGA_SANDBOX_E_PLUGIN, 0,
		    "a filter was made that no backend installs; the plugin is "
		    "faulty");
	if (ret == 0 && omega_launch_lacks_separation(*launch))
		ret = omega_error_set(error, OMEGA_SANDBOX_E_REQUIRED, 0,
		    "not started: what was made here holds only beside a "
		    "backend that keeps commands apart; add one, or leave the "
		    "choice to backend = auto");
	if (ret == 0)
		ret = add_witness(plan, *launch, error);
	if (ret < 0)
		goto out;
	ret = omega_screen_rules_make(policy, &(*launch)->screen, error);
	if (ret < 0)
		goto out;
	if (omega_limits_add(*launch, &plan->atoms.limits) < 0) {
		ret = omega_error_memory(error);
		goto out;
	}
	(*launch)->session = plan->atoms.session;
	(*launch)->is_believed = is_believing;
	if (omega_launch_finish(*launch) < 0) {
		ret = omega_error_memory(error);
		goto out;
	}
	/* Moved: the plan ends here. */
	(*launch)->hidden = plan->hidden;
	plan->hidden = (struct omega_hidden){NULL, 0};
	(*launch)->closed = plan->closed;
	(*launch)->is_listed = plan->is_listed;
	plan->closed = (struct omega_hidden){NULL, 0};
	if (plan->is_waived) {
		omega_verdict_warning(plan, warning, sizeof(warning));
		omega_log_say(&policy->sandbox->log, LOG_WARNING,
		    OMEGA_SANDBOX_E_REQUIRED, "%s", warning);
	}
out:
	if (ret < 0) {
		omega_launch_unref(*launch);
		omega_sandbox_report_unref(*report);
		*launch = NULL;
		*report = NULL;
	}
	omega_plan_free(plan);
	return ret;
}

/*
 * The same, and again when a backend finds that a place is no longer what was
 * planned with: somebody has just saved a file, maybe. Every attempt starts
 * from a new look at the world. The directory of the user's configuration and
 * what git would obey are made first: what is there can be kept from being
 * changed. So is what a program keeps its state in: what is there can be given.
 *
 * What backends may believe without a trial is tried as soon as anything fails:
 * others may have to do instead, and who is refused is told why.
 */
static int
build(struct omega_sandbox_policy *policy, bool is_believing,
    struct omega_launch **launch, struct omega_sandbox_report **report,
    struct omega_sandbox_error *error)
{
	struct omega_sandbox_error last = OMEGA_SANDBOX_ERROR_INIT;
	struct timespec pause = {0, 1000000};
	bool is_stale = false;
	int looks;
	int ret;

	for (looks = 0; looks < MAX_LOOKS; looks++) {
		if (looks > 0) {
			nanosleep(&pause, NULL);
			pause.tv_nsec *= 2;
		}
		omega_conf_make_users_dir(policy->sandbox->conf);
		omega_state_make(policy);
		omega_combine_make_git(policy);
		ret = build_once(
		    policy, is_believing, launch, report, &is_stale, &last);
		if (ret < 0 && !is_stale && is_believing) {
			is_believing = false;
			ret = build_once(
			    policy, false, launch, report, &is_stale, &last);
		}
		if (!is_stale) {
			if (ret < 0)
				omega_error_copy(error, &last);
			return ret;
		}
	}
	ret = omega_error_set(error, OMEGA_SANDBOX_E_SYSTEM, ESTALE,
	    "what is to be protected changed %d times while it was being "
	    "prepared; the last time: %s",
	    MAX_LOOKS, last.text);
	omega_error_backend(error, last.backend);
	return ret;
}

int
omega_prepared_build(
    struct omega_sandbox_prepared *made, struct omega_sandbox_error *error)
{
	struct omega_sandbox_error own = OMEGA_SANDBOX_ERROR_INIT;
	int ret;

	ret = omega_audit_ready(&made->policy->sandbox->audit, &own);
	if (ret == 0) {
		ret = build(
		    made->policy, true, &made->launch, &made->report, &own);
		if (ret < 0)
			omega_record_unprepared(made->policy, &own);
	}
	if (ret < 0)
		omega_error_copy(error, &own);
	return ret;
}

uint64_t
omega_prepared_timeout(const struct omega_sandbox_prepared *prepared)
{
	uint64_t seconds =
	    omega_policy_limit(prepared->policy, OMEGA_OPTION_TIMEOUT);

	return seconds > UINT64_MAX / 1000 ? 0 : seconds * 1000;
}

uint64_t
omega_prepared_max_output(const struct omega_sandbox_prepared *prepared)
{
	return omega_policy_limit(prepared->policy, OMEGA_OPTION_MAX_OUTPUT);
}

/* report may be NULL. */
static struct omega_launch *
current_launch(struct omega_sandbox_prepared *prepared,
    struct omega_sandbox_report **report)
{
	struct omega_launch *launch;

	pthread_mutex_lock(&prepared->lock);
	launch = omega_launch_ref(prepared->launch);
	if (report != NULL)
		*report = omega_sandbox_report_ref(prepared->report);
	pthread_mutex_unlock(&prepared->lock);
	return launch;
}

static int
replace(struct omega_sandbox_prepared *prepared, bool is_believing,
    struct omega_sandbox_error *error)
{
	struct omega_launch *launch;
	struct omega_launch *old_launch;
	struct omega_sandbox_report *report;
	struct omega_sandbox_report *old_report;
	int ret;

	ret = build(prepared->policy, is_believing, &launch, &report, error);
	if (ret < 0)
		return ret;
	pthread_mutex_lock(&prepared->lock);
	old_launch = prepared->launch;
	old_report = prepared->report;
	prepared->launch = launch;
	prepared->report = report;
	pthread_mutex_unlock(&prepared->lock);
	omega_launch_unref(old_launch);
	omega_sandbox_report_unref(old_report);
	return 0;
}

/* One thread does it, the others wait: what it makes is right for all. */
int
omega_prepared_renew(struct omega_sandbox_prepared *prepared,
    const struct omega_launch *stale, bool is_believing,
    struct omega_sandbox_error *error)
{
	struct omega_launch *current;
	int cancel;
	int ret = 1;

	/* Whoever is cancelled in there would never give it back. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	pthread_mutex_lock(&prepared->renewal);
	current = current_launch(prepared, NULL);
	if (current == stale)
		ret = replace(prepared, is_believing, error);
	omega_launch_unref(current);
	pthread_mutex_unlock(&prepared->renewal);
	pthread_setcancelstate(cancel, NULL);
	return ret;
}

int
omega_prepared_launch(struct omega_sandbox_prepared *prepared,
    struct omega_launch **launch, struct omega_sandbox_report **report,
    struct omega_sandbox_error *error)
{
	struct omega_sandbox_report *reported = NULL;
	struct omega_launch *current;
	const char *backend = "";
	int attempts = 0;
	int ret;

	while (attempts < MAX_ATTEMPTS) {
		current =
		    current_launch(prepared, report == NULL ? NULL : &reported);
		ret = omega_launch_check(current, &backend);
		if (ret == 0) {
			*launch = current;
			if (report != NULL)
				*report = reported;
			return 0;
		}
		omega_sandbox_report_unref(reported);
		reported = NULL;
		if (ret < 0) {
			omega_error_set(error, OMEGA_SANDBOX_E_SYSTEM, -ret,
			    "backend %s: cannot see whether its protection "
			    "still holds: %s",
			    backend, strerror(-ret));
			omega_error_backend(error, backend);
			omega_launch_unref(current);
			return OMEGA_SANDBOX_E_SYSTEM;
		}
		ret = omega_prepared_renew(prepared, current, true, error);
		omega_launch_unref(current);
		if (ret < 0)
			return ret;
		attempts += ret == 0;
	}
	return omega_error_set(error, OMEGA_SANDBOX_E_SYSTEM, EAGAIN,
	    "what is to be protected keeps changing");
}
