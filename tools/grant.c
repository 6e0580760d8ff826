/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * grant.c - what a person lets a command have beside what the policy he chose
 * lists: on the command line, or in the file of a project. See tool.h.
 */

#include "config.h"

#include "tool.h"

#include <sys/stat.h>
#include <errno.h>
#include <limits.h>
#include <stddef.h>

#include "../core/base/project-trust.h"

static const struct {
	const char *option;
	const char *rule;
	size_t field;
	unsigned access;
} grants[] = {
    {"--read", "allow_read", offsetof(struct tool_options, read),
	OMEGA_SANDBOX_READ},
    {"--write", "allow_write", offsetof(struct tool_options, write),
	OMEGA_SANDBOX_WRITE},
    {"--execute", "allow_execute", offsetof(struct tool_options, execute),
	OMEGA_SANDBOX_EXECUTE},
};

#define GRANT_COUNT (sizeof(grants) / sizeof(grants[0]))

static const struct tool_words *
words_of(const struct tool_options *options, size_t i)
{
	return (const struct tool_words *)(const void *)((const char *)options +
							 grants[i].field);
}

/* A path, from the current directory; it must be there. NULL: error has why. */
static char *
full_path(
    const char *option, const char *path, struct omega_sandbox_error *error)
{
	char *full = tool_full_path(path, error);

	if (full == NULL || access(full, F_OK) == 0)
		return full;
	snprintf(error->text, sizeof(error->text), "%s %s: %s%s", option, path,
	    strerror(errno),
	    errno == ENOENT && strcmp(option, "--policy-file") != 0
		? "; what is granted must be there, make it first"
		: "");
	free(full);
	return NULL;
}

/* As a rule has it, in which patterns are refused. */
static char *
quote(const char *path)
{
	char *quoted = malloc(3 * strlen(path) + 1);
	char *at = quoted;

	for (; at != NULL && *path != '\0'; path++)
		if (strchr("*?[", *path) != NULL)
			at += sprintf(at, "[%c]", *path);
		else
			*at++ = *path;
	if (at != NULL)
		*at = '\0';
	return quoted;
}

static int
set_place(struct omega_sandbox_policy *policy, size_t i, const char *word,
    struct omega_sandbox_error *error)
{
	char *full = full_path(grants[i].option, word, error);
	char *quoted = full == NULL ? NULL : quote(full);
	int ret = quoted == NULL ? OMEGA_SANDBOX_E_INVALID_POLICY
				 : tool_set(policy, grants[i].rule,
				       grants[i].option, quoted, error);

	free(quoted);
	free(full);
	return ret;
}

int
tool_grant(const struct tool_options *options,
    struct omega_sandbox_policy *policy, struct omega_sandbox_error *error)
{
	char *file;
	size_t i;
	size_t j;
	int ret = 0;

	if (options->policy_file != NULL) {
		file = full_path("--policy-file", options->policy_file, error);
		ret = file == NULL ? OMEGA_SANDBOX_E_INVALID_POLICY
				   : tool_set(policy, "policy_file",
					 "--policy-file", file, error);
		free(file);
	}
	for (i = 0; ret == 0 && i < GRANT_COUNT; i++)
		for (j = 0; ret == 0 && j < words_of(options, i)->count; j++)
			ret = set_place(
			    policy, i, words_of(options, i)->list[j], error);
	for (j = 0; ret == 0 && j < options->env.count; j++)
		ret = tool_set(policy,
		    strchr(options->env.list[j], '=') != NULL ? "env_set"
							      : "env_allow",
		    "--env", options->env.list[j], error);
	return ret;
}

/* Said once by who opens a policy, not by whoever opens it again. */
int
tool_grant_project(struct omega_sandbox_policy *policy, const char *work_dir,
    struct omega_sandbox_error *error)
{
	static bool is_told;
	char dir[PATH_MAX];
	char path[PATH_MAX + sizeof(OMEGA_PROJECT_TRUST_FILE) + 1];
	struct stat st;
	int ret;

	if (realpath(work_dir, dir) == NULL)
		return 0;
	snprintf(path, sizeof(path), "%s/" OMEGA_PROJECT_TRUST_FILE, dir);
	if (lstat(path, &st) != 0)
		return 0;
	ret = omega_sandbox_policy_set(policy, "project", dir, error);
	if (ret != OMEGA_SANDBOX_E_TRUST)
		return ret;
	if (!is_told)
		tool_error("warning: %s", error->text);
	is_told = true;
	error->text[0] = '\0';
	return 0;
}

/* Who forbids what was to be granted? */
static int
refuse(const char *option, const char *path, const char *full,
    const struct omega_sandbox_judgement *found,
    struct omega_sandbox_error *error)
{
	char line[16] = "";
	char leads[PATH_MAX];
	size_t len;

	if (found->line != 0)
		snprintf(line, sizeof(line), ":%u", found->line);
	snprintf(error->text, sizeof(error->text),
	    strcmp(found->origin, "built in") == 0
		? "%s %s cannot be granted: %s is always protected%.0s%.0s"
		: "%s %s cannot be granted: %s forbids it (%s%s)",
	    option, path,
	    found->rule[0] != '\0' ? found->rule : "the list of a policy",
	    found->origin, line);
	/* By a link, which a command may have made, nothing is granted that is
	 * denied. */
	len = strlen(error->text);
	if (full != NULL && realpath(full, leads) != NULL &&
	    strcmp(full, leads) != 0)
		snprintf(error->text + len, sizeof(error->text) - len,
		    "; it leads to %s: name that if it is meant", leads);
	return OMEGA_SANDBOX_E_REFUSED;
}

/* A socket of others is hidden as a socket, whatever its file may be. */
static int
check_socket(const struct tool_call *call,
    const struct omega_sandbox_report *report, const char *option,
    const char *path, struct omega_sandbox_error *error)
{
	struct omega_sandbox_guarantee line = OMEGA_SANDBOX_GUARANTEE_INIT;
	const char *open;
	struct stat st;
	size_t i;

	if (stat(path, &st) != 0 || !S_ISSOCK(st.st_mode))
		return 0;
	for (i = 0; (open = omega_sandbox_get_option(call->sandbox,
			 "allow_sockets", i, NULL, NULL)) != NULL;
	     i++)
		if (strcmp(open, path) == 0)
			return 0;
	for (i = 0; omega_sandbox_report_get(report, i, &line) == 0; i++)
		if (strcmp(line.kind, "outside_sockets") == 0 ||
		    strcmp(line.kind, "launcher_sockets") == 0) {
			snprintf(error->text, sizeof(error->text),
			    "%s %s does not open a socket; allow_sockets = { "
			    "\"%s\" } in sandbox.conf does",
			    option, path, path);
			return OMEGA_SANDBOX_E_REFUSED;
		}
	return 0;
}

/* Hosts that a floor keeps from everybody, and variables that there are not. */
static int
check_others(const struct tool_call *call, struct omega_sandbox_error *error)
{
	const struct tool_options *options = &call->options;
	size_t i;

	for (i = 0; i < options->env.count; i++)
		if (strpbrk(options->env.list[i], "=*?") == NULL &&
		    getenv(options->env.list[i]) == NULL)
			tool_error("warning: --env %s: there is no such "
				   "variable to be passed on",
			    options->env.list[i]);
	for (i = 0; options->hosts[i] != NULL; i++) {
		struct omega_sandbox_judgement found =
		    OMEGA_SANDBOX_JUDGEMENT_INIT;

		/* What stands for several hosts is not asked about. */
		if (omega_sandbox_policy_judge(call->policy, NULL,
			OMEGA_SANDBOX_CONNECT, options->hosts[i], &found,
			NULL) == 0 &&
		    !found.is_allowed)
			return refuse("--allow-host", options->hosts[i], NULL,
			    &found, error);
	}
	return 0;
}

int
tool_check_grants(
    const struct tool_call *call, struct omega_sandbox_error *error)
{
	const struct tool_options *options = &call->options;
	struct omega_sandbox_policy *policy = call->policy;
	struct omega_sandbox_report *report = NULL;
	size_t i;
	size_t j;
	int ret = check_others(call, error);

	for (i = 0; ret == 0 && i < GRANT_COUNT; i++)
		for (j = 0; ret == 0 && j < words_of(options, i)->count; j++) {
			struct omega_sandbox_judgement found =
			    OMEGA_SANDBOX_JUDGEMENT_INIT;
			const char *word = words_of(options, i)->list[j];
			char *full;

			if (report == NULL)
				ret = omega_sandbox_describe(
				    policy, &report, error);
			if (ret < 0)
				break;
			full = full_path(grants[i].option, word, error);
			ret = full == NULL
				  ? OMEGA_SANDBOX_E_INVALID_POLICY
				  : omega_sandbox_policy_judge(policy, report,
					grants[i].access, full, &found, error);
			if (ret == 0 && !found.is_allowed)
				ret = refuse(grants[i].option, word, full,
				    &found, error);
			if (ret == 0)
				ret = check_socket(call, report,
				    grants[i].option, full, error);
			free(full);
		}
	omega_sandbox_report_unref(report);
	return ret;
}

bool
tool_would_grant(const struct tool_call *call,
    const struct omega_sandbox_report *report, unsigned access,
    const char *path, const char *const *needs)
{
	struct omega_sandbox_judgement found = OMEGA_SANDBOX_JUDGEMENT_INIT;
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_policy *policy = NULL;
	size_t i = 0;
	int ret;

	while (grants[i].access != access)
		i++;
	ret = tool_policy(&call->options, call->sandbox, &policy, &error);
	if (ret == 0)
		ret = set_place(policy, i, path, &error);
	for (; ret == 0 && *needs != NULL; needs++) {
		ret = omega_sandbox_policy_judge(
		    policy, report, access, *needs, &found, &error);
		if (ret == 0 && !found.is_allowed)
			ret = OMEGA_SANDBOX_E_REFUSED;
	}
	omega_sandbox_policy_unref(policy);
	return ret == 0;
}
