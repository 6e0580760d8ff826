/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * not-executed.c - see prepared.h. The kernel only says "permission denied", or
 * that there is nothing; the path checks of the policy know the list or the
 * rule.
 */

#include "config.h"

#include "plan/prepared.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>

#include "base/error.h"
#include "launch/interpreter.h"
#include "path/guard.h"
#include "policy/policy-guard.h"

/* As deep as the kernel follows scripts of scripts. */
#define MAX_INTERPRETERS 5

/* Is it an error that a rule can be behind? */
static bool
can_be_policy(int code, int sys_errno)
{
	return (code == OMEGA_SANDBOX_E_NOT_EXECUTABLE ||
		   code == OMEGA_SANDBOX_E_NOT_FOUND) &&
	       (sys_errno == EACCES || sys_errno == ENOENT ||
		   sys_errno == ENOTDIR || sys_errno == EPERM);
}

static const char *
words_for(enum omega_interpreter kind)
{
	switch (kind) {
	case OMEGA_INTERPRETER_OF_SCRIPT:
		return "its interpreter ";
	case OMEGA_INTERPRETER_LOADER:
		return "its loader ";
	default:
		return "";
	}
}

/* "PROGRAM: cannot be executed: execute is not granted on PATH (FILE:LINE)" */
static int
tell(const char *program, enum omega_interpreter kind, const char *path,
    const struct omega_finding *finding, struct omega_sandbox_error *error)
{
	const struct omega_rule *rule = finding->rule;
	int sys_errno = error->sys_errno;
	char line[16] = "";

	if (rule->line != 0)
		snprintf(line, sizeof(line), ":%u", (unsigned)rule->line);
	if (finding->reason == OMEGA_SANDBOX_BY_LIST)
		omega_error_set(error, OMEGA_SANDBOX_E_NOT_EXECUTABLE,
		    sys_errno,
		    "%s: cannot be executed: %s is not granted on %s%s (policy "
		    "%s%s); add it to that list if it may be run",
		    program, rule->shown, words_for(kind), path, rule->origin,
		    line);
	else
		omega_error_set(error, OMEGA_SANDBOX_E_NOT_EXECUTABLE,
		    sys_errno,
		    "%s: cannot be executed: %s%s is denied by \"%s\" (policy "
		    "%s%s)",
		    program, words_for(kind), path, rule->shown, rule->origin,
		    line);
	omega_error_file(error, rule->origin, rule->line);
	return OMEGA_SANDBOX_E_NOT_EXECUTABLE;
}

static int
tell_of(const struct omega_rules *rules, const char *program, int code,
    struct omega_sandbox_error *error)
{
	enum omega_interpreter kind = OMEGA_INTERPRETER_NONE;
	struct omega_finding finding;
	struct omega_place place;
	char path[PATH_MAX];
	int i;

	if (snprintf(path, sizeof(path), "%s", program) >= (int)sizeof(path))
		return code;
	for (i = 0; i <= MAX_INTERPRETERS; i++) {
		unsigned access = OMEGA_SANDBOX_READ;
		char next[PATH_MAX];

		/* The loader is run with what it loads, listed or not. */
		if (kind != OMEGA_INTERPRETER_LOADER)
			access |= OMEGA_SANDBOX_EXECUTE;
		if (omega_judge_path(rules, access, path, &place, &finding) &&
		    finding.rule != NULL)
			return tell(program, kind, path, &finding, error);
		if (kind == OMEGA_INTERPRETER_LOADER)
			return code;
		kind = omega_interpreter_find(path, next);
		if (kind == OMEGA_INTERPRETER_NONE || next[0] != '/')
			return code;
		snprintf(path, sizeof(path), "%s", next);
	}
	return code;
}

int
omega_not_executed_tell(struct omega_sandbox_policy *policy,
    const char *program, int code, struct omega_sandbox_error *error)
{
	struct omega_sandbox_guard *guard = NULL;

	if (!can_be_policy(code, error->sys_errno) ||
	    omega_policy_guard_make(policy, &guard, NULL) < 0)
		return code;
	code = tell_of(&guard->rules, program, code, error);
	omega_guard_free(guard);
	return code;
}
