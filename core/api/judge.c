/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * judge.c - a policy asked about paths: check arguments, call the rooms that
 * do the work. Documentation is in omega/sandbox.h.
 */

#include "config.h"

#include <omega/sandbox.h>

#include <sys/stat.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/sized.h"
#include "path/builtin.h"
#include "path/guard.h"
#include "path/judge.h"
#include "path/text.h"
#include "plan/plan.h"
#include "policy/host-lists.h"
#include "policy/policy-guard.h"

#define ACCESS_ALL \
	(OMEGA_SANDBOX_READ | OMEGA_SANDBOX_WRITE | OMEGA_SANDBOX_EXECUTE)

int
omega_sandbox_guard_new_for_policy(struct omega_sandbox_policy *policy,
    struct omega_sandbox_guard **guard, struct omega_sandbox_error *error)
{
	if (policy == NULL || guard == NULL)
		return omega_error_set(error, OMEGA_SANDBOX_E_ARGUMENT, EINVAL,
		    "a policy and a place for the guard are needed");
	*guard = NULL;
	return omega_policy_guard_make(policy, guard, error);
}

/* Where a path leads; "" when that cannot be found out. */
static void
look_up(const char *path, char *resolved)
{
	struct omega_place place;

	resolved[0] = '\0';
	if (omega_place_find(path, &place) >= 0)
		memcpy(resolved, place.text, place.len + 1);
}

/* A list can keep commands from what is denied besides: of a denied path that
 * is absent and on no list a report says nothing. */
static bool
find_list(const struct omega_sandbox_guard *guard, unsigned access,
    const char *place, struct omega_finding *finding)
{
	if (guard->lists == NULL || place[0] == '\0')
		return false;
	finding->reason = OMEGA_SANDBOX_BY_LIST;
	finding->rule =
	    omega_lists_find(guard->lists, access, place, strlen(place));
	return finding->rule != NULL;
}

static void
name_keeper(struct omega_sandbox_judgement *full,
    const struct omega_sandbox_guard *guard,
    const struct omega_sandbox_report *report, struct omega_finding finding,
    unsigned access)
{
	struct omega_sandbox_guarantee line = OMEGA_SANDBOX_GUARANTEE_INIT;

	if (!omega_report_keeper(
		report, &finding, access, full->resolved, &line) &&
	    (!find_list(guard, access, full->resolved, &finding) ||
		!omega_report_keeper(
		    report, &finding, access, full->resolved, &line)))
		return;
	full->state = line.state;
	full->is_held = line.state == OMEGA_SANDBOX_ENFORCED;
	full->guarantee = line.text;
	full->backends = line.backends;
}

static bool
is_at(const char *path, const char *dir)
{
	return strncmp(path, dir, strlen(dir)) == 0 &&
	       strchr("/", path[strlen(dir)]) != NULL;
}

static bool
is_in(const char *const *paths, const char *path)
{
	for (; *paths != NULL; paths++)
		if (is_at(path, *paths))
			return true;
	return false;
}

/* By allow_devices. */
static bool
is_given(const struct omega_sandbox_policy *policy, const char *path)
{
	const struct omega_conf_list *given =
	    &policy->own.values[OMEGA_OPTION_ALLOW_DEVICES].items;
	size_t i;

	for (i = 0; i < given->count; i++)
		if (is_at(path, given->items[i].text))
			return true;
	return false;
}

static bool
is_built_in(const struct omega_finding *finding, const char *dir)
{
	return finding->rule != NULL &&
	       strcmp(finding->rule->shown, dir) == 0 &&
	       strcmp(finding->rule->origin, "built in") == 0;
}

/* An entry in /proc of a process of the caller, who is not root? */
static bool
is_of_process(const char *place)
{
	struct stat st;

	return strncmp(place, "/proc/", 6) == 0 && place[6] >= '0' &&
	       place[6] <= '9' && geteuid() != 0 && stat(place, &st) == 0 &&
	       st.st_uid == geteuid();
}

/*
 * What every program needs is left out of the promise about /dev, and devices
 * also out of the lists. What shared memory is on is a matter of the list.
 */
static bool
is_excepted(const struct omega_sandbox_policy *policy,
    const struct omega_sandbox_guard *guard, unsigned access, const char *place,
    struct omega_finding *finding)
{
	const bool is_dev = is_built_in(finding, "/dev");

	if (is_built_in(finding, "/proc") && is_of_process(place))
		return true;
	if ((access & OMEGA_SANDBOX_EXECUTE) != 0 ||
	    (!is_dev && finding->reason != OMEGA_SANDBOX_BY_LIST))
		return false;
	if (is_in(omega_builtin_devices, place) || is_given(policy, place))
		return true;
	return is_dev && is_at(place, "/dev/shm") &&
	       !find_list(guard, access, place, finding);
}

/* Is it forbidden by another rule than a list, which is held? */
static bool
is_kept(const struct omega_sandbox_guard *guard,
    const struct omega_sandbox_report *report, unsigned access,
    const char *place, struct omega_finding *finding)
{
	struct omega_sandbox_guarantee line = OMEGA_SANDBOX_GUARANTEE_INIT;
	struct omega_place at;

	return omega_judge_path(&guard->rules, access, place, &at, finding) &&
	       finding->reason != OMEGA_SANDBOX_BY_LIST &&
	       omega_report_keeper(report, finding, access, place, &line) &&
	       line.state == OMEGA_SANDBOX_ENFORCED;
}

/* A /dev of their own has no other devices, and what mounts keep from being
 * read has another place over it. *access is then what finding forbids. */
static bool
is_hidden(const struct omega_sandbox_policy *policy,
    const struct omega_sandbox_guard *guard,
    const struct omega_sandbox_report *report, const char *place,
    unsigned *access, struct omega_finding *finding)
{
	static const char *const dev[] = {"/dev", NULL};
	static const char *const shown[] = {
	    "/dev/shm", "/dev/mqueue", "/dev/hugepages", NULL};
	struct stat st;

	if (!report->has_own_dev)
		return false;
	*access = OMEGA_SANDBOX_READ;
	if (is_kept(guard, report, *access, place, finding))
		return true;
	*access = OMEGA_SANDBOX_WRITE;
	return is_in(dev, place) && strcmp(place, "/dev") != 0 &&
	       !is_in(omega_builtin_devices, place) && !is_in(shown, place) &&
	       !is_given(policy, place) && lstat(place, &st) == 0 &&
	       (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode) ||
		   S_ISDIR(st.st_mode)) &&
	       is_kept(guard, report, *access, place, finding) &&
	       is_built_in(finding, "/dev");
}

static void
judge(const struct omega_sandbox_policy *policy,
    const struct omega_sandbox_guard *guard,
    const struct omega_sandbox_report *report, unsigned access,
    const char *path, struct omega_sandbox_judgement *full)
{
	static const struct omega_finding none = {
	    .reason = OMEGA_SANDBOX_NOT_BLOCKED};
	struct omega_finding finding = none;
	struct omega_place place;

	if ((access & OMEGA_SANDBOX_EXECUTE) != 0)
		access |= OMEGA_SANDBOX_READ; /* what runs a file reads it */
	full->is_allowed =
	    !omega_judge_path(&guard->rules, access, path, &place, &finding);
	look_up(path, full->resolved);
	if (!full->is_allowed && report != NULL &&
	    is_excepted(policy, guard, access, full->resolved, &finding))
		full->is_allowed = 1;
	if (full->is_allowed) {
		full->is_allowed =
		    report == NULL || !is_hidden(policy, guard, report,
					  full->resolved, &access, &finding);
		if (full->is_allowed)
			finding = none;
	}
	full->reason = finding.reason;
	full->sys_errno = finding.error;
	if (finding.rule == NULL)
		return;
	full->line = finding.rule->line;
	snprintf(full->rule, sizeof(full->rule), "%s", finding.rule->shown);
	snprintf(
	    full->origin, sizeof(full->origin), "%s", finding.rule->origin);
	if (report != NULL)
		name_keeper(full, guard, report, finding, access);
}

/* Who keeps commands from other hosts. */
static void
name_host_keeper(struct omega_sandbox_judgement *full,
    const struct omega_sandbox_report *report)
{
	struct omega_sandbox_guarantee line = OMEGA_SANDBOX_GUARANTEE_INIT;
	size_t i;

	for (i = 0; omega_sandbox_report_get(report, i, &line) == 0; i++) {
		if (strcmp(line.kind, "hosts") != 0 &&
		    strcmp(line.kind, "network") != 0)
			continue;
		full->state = line.state;
		full->is_held = line.state == OMEGA_SANDBOX_ENFORCED;
		full->guarantee = line.text;
		full->backends = line.backends;
		return;
	}
}

static int
judge_host(const struct omega_sandbox_policy *policy,
    const struct omega_sandbox_report *report, const char *host,
    struct omega_sandbox_judgement *judgement,
    struct omega_sandbox_error *error)
{
	struct omega_sandbox_judgement full = OMEGA_SANDBOX_JUDGEMENT_INIT;

	struct omega_combined combined;
	int ret = omega_combine(policy, &combined, error);

	if (ret == 0 &&
	    omega_host_lists_judge(policy, &combined, host, &full) < 0)
		ret = omega_error_set(error, OMEGA_SANDBOX_E_ARGUMENT, EINVAL,
		    "'%.200s' is no host with a port, as example.com:443",
		    host);
	omega_combine_drop(&combined);
	if (ret < 0)
		return ret;
	if (!full.is_allowed && report != NULL)
		name_host_keeper(&full, report);
	omega_sized_give(judgement, &full, sizeof(full));
	return 0;
}

int
omega_sandbox_policy_judge(struct omega_sandbox_policy *policy,
    const struct omega_sandbox_report *report, unsigned access,
    const char *path, struct omega_sandbox_judgement *judgement,
    struct omega_sandbox_error *error)
{
	struct omega_sandbox_judgement full = OMEGA_SANDBOX_JUDGEMENT_INIT;
	struct omega_sandbox_guard *guard = NULL;
	int ret;

	if (policy == NULL || path == NULL || judgement == NULL ||
	    judgement->size < sizeof(judgement->size) || access == 0 ||
	    (access != OMEGA_SANDBOX_CONNECT &&
		(access & ~(unsigned)ACCESS_ALL) != 0))
		return omega_error_set(error, OMEGA_SANDBOX_E_ARGUMENT, EINVAL,
		    "a policy, READ, WRITE or EXECUTE or CONNECT alone, a path "
		    "or host and a place for the answer are needed");
	if (access == OMEGA_SANDBOX_CONNECT)
		return judge_host(policy, report, path, judgement, error);
	ret = omega_policy_guard_make(policy, &guard, error);
	if (ret < 0)
		return ret;
	judge(policy, guard, report, access, path, &full);
	omega_guard_free(guard);
	omega_sized_give(judgement, &full, sizeof(full));
	return 0;
}
