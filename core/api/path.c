/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * path.c - the public path checks: check arguments, call the room that does the
 * work, let only documented codes out. Documentation is in omega/sandbox.h.
 */

#include "config.h"

#include <omega/sandbox.h>

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "path/guard.h"
#include "path/judge.h"
#include "path/kernel.h"
#include "path/text.h"

#define BLOCK_ALL (OMEGA_SANDBOX_READ | OMEGA_SANDBOX_WRITE)
#define ACCESS_ALL (BLOCK_ALL | OMEGA_SANDBOX_EXECUTE)

bool
omega_sandbox_is_write_blocked(const char *path, const char *data_dir)
{
	int saved = errno;
	bool blocked = omega_judge_is_write_blocked(path, data_dir);

	errno = saved;
	return blocked;
}

bool
omega_sandbox_is_read_blocked(
    const char *path, const char *data_dir, const char *config_path)
{
	int saved = errno;
	bool blocked = omega_judge_is_read_blocked(path, data_dir, config_path);

	errno = saved;
	return blocked;
}

/* A path that cannot be made a rule. */
static int
rule_error(struct omega_sandbox_error *error, int ret, const char *path)
{
	if (ret == -ENOMEM)
		return omega_error_memory(error);
	if (path == NULL || path[0] != '/')
		return omega_error_set(error, OMEGA_SANDBOX_E_INVALID_POLICY,
		    EINVAL, "'%s' cannot be protected: give an absolute path",
		    path == NULL ? "" : path);
	return omega_error_set(error, OMEGA_SANDBOX_E_INVALID_POLICY, -ret,
	    "%s cannot be protected: where it leads cannot be found out: %s%s",
	    path, strerror(-ret), omega_kernel_lacks());
}

int
omega_sandbox_guard_new(const char *data_dir, const char *config_path,
    struct omega_sandbox_guard **guard, struct omega_sandbox_error *error)
{
	struct omega_guard_fault fault;
	int ret;

	if (guard == NULL)
		return omega_error_set(error, OMEGA_SANDBOX_E_ARGUMENT, EINVAL,
		    "no place for the guard was given");
	*guard = NULL;
	ret = omega_guard_make(data_dir, config_path, guard, &fault);
	return ret < 0 ? rule_error(error, ret, fault.path) : OMEGA_SANDBOX_OK;
}

int
omega_sandbox_guard_block(struct omega_sandbox_guard *guard, unsigned access,
    const char *path, const char *origin, uint32_t line,
    struct omega_sandbox_error *error)
{
	int ret;

	if (guard == NULL || access == 0 || (access & ~BLOCK_ALL) != 0)
		return omega_error_set(error, OMEGA_SANDBOX_E_ARGUMENT, EINVAL,
		    "a guard and READ, WRITE or both are needed");
	ret = omega_guard_block(guard, access, path, origin, line);
	return ret < 0 ? rule_error(error, ret, path) : OMEGA_SANDBOX_OK;
}

/* Give the caller as much of the verdict as it knows. */
static void
fill_verdict(struct omega_sandbox_verdict *verdict,
    const struct omega_finding *finding, const char *resolved)
{
	struct omega_sandbox_verdict full = OMEGA_SANDBOX_VERDICT_INIT;

	if (verdict == NULL || verdict->size < sizeof(verdict->size))
		return;
	full.reason = finding->reason;
	full.sys_errno = finding->error;
	if (finding->rule != NULL) {
		full.rule = finding->rule->shown;
		full.origin = finding->rule->origin;
		full.line = finding->rule->line;
	}
	strncpy(full.resolved, resolved, sizeof(full.resolved) - 1);
	omega_sized_give(verdict, &full, sizeof(full));
}

bool
omega_sandbox_guard_is_blocked(const struct omega_sandbox_guard *guard,
    unsigned access, const char *path, struct omega_sandbox_verdict *verdict)
{
	struct omega_place place;
	struct omega_finding finding = {
	    .reason = OMEGA_SANDBOX_UNDECIDED, .error = EINVAL};
	int saved = errno;
	bool blocked = true;

	place.text[0] = '\0';
	/* What runs a file reads it. */
	if ((access & OMEGA_SANDBOX_EXECUTE) != 0)
		access |= OMEGA_SANDBOX_READ;
	if (guard != NULL && access != 0 && (access & ~ACCESS_ALL) == 0)
		blocked = omega_judge_path(
		    &guard->rules, access, path, &place, &finding);
	if (verdict != NULL) {
		/* A name is judged without a look; the reader wants one. */
		if (finding.reason == OMEGA_SANDBOX_BY_NAME &&
		    omega_place_find(path, &place) < 0)
			place.text[0] = '\0';
		fill_verdict(verdict, &finding, place.text);
	}
	errno = saved;
	return blocked;
}

int
omega_sandbox_open_checked(const struct omega_sandbox_guard *guard,
    const char *path, int flags, mode_t mode, int *fd,
    struct omega_sandbox_verdict *verdict, struct omega_sandbox_error *error)
{
	struct omega_opening opening;
	int ret;

	if (fd != NULL)
		*fd = -1;
	if (guard == NULL || path == NULL || fd == NULL)
		return omega_error_set(error, OMEGA_SANDBOX_E_ARGUMENT, EINVAL,
		    "a guard, a path and a place for the descriptor are "
		    "needed");
	ret = omega_opener_open(&guard->rules, path, flags, mode, &opening);
	fill_verdict(verdict, &opening.finding, opening.place.text);
	if (ret >= 0) {
		*fd = ret;
		return OMEGA_SANDBOX_OK;
	}
	if (opening.finding.reason == OMEGA_SANDBOX_UNDECIDED)
		return omega_error_set(error, OMEGA_SANDBOX_E_REFUSED,
		    opening.finding.error,
		    "%s: refused, where it leads cannot be found out: %s", path,
		    strerror(opening.finding.error));
	if (opening.finding.reason != OMEGA_SANDBOX_NOT_BLOCKED)
		return omega_error_set(error, OMEGA_SANDBOX_E_REFUSED, EACCES,
		    "%s: refused by the rule %s (%s)", path,
		    opening.finding.rule->shown, opening.finding.rule->origin);
	if (ret == -EINVAL)
		return omega_error_set(error, OMEGA_SANDBOX_E_ARGUMENT, EINVAL,
		    "%s: these open flags are not taken", path);
	return omega_error_set(error, OMEGA_SANDBOX_E_SYSTEM, -ret, "%s: %s",
	    path, strerror(-ret));
}

void
omega_sandbox_guard_free(struct omega_sandbox_guard *guard)
{
	omega_guard_free(guard);
}
