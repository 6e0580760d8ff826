/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * check.c - omega-sandbox check: may these paths be read, written or run, and
 * by which rule not?
 */

#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <omega/sandbox.h>

#include "tool.h"

static const char help[] =
    "usage: omega-sandbox check read|write|execute [OPTION...] PATH...\n"
    "\n"
    "Says for each PATH whether a tool of the host application may touch it,\n"
    "and if not, which rule forbids it. A relative PATH is blocked.\n"
    "\n"
    "  --config FILE       this configuration instead of the installed one\n"
    "  --policy NAME       this policy (omega-sandbox list policies)\n"
    "  --agent NAME        and the profile of an agent program (list agents)\n"
    "  --data-dir DIR      the agent's data directory (default: as "
    "configured,\n"
    "                      else ~/.omega)\n"
    "  --work-dir DIR      the work directory (default: the current one)\n"
    "  --config-path FILE  the agent's configuration, if it lives elsewhere\n"
    "  --json              print one JSON object\n"
    "  --help              print this\n"
    "\n"
    "Exit: 0 none is blocked, 1 at least one is, 2 wrong usage or error.\n";

struct request {
	unsigned access;
	const char *access_name;
	bool is_json;
	char **paths;
	int path_count;
};

static const char *
reason_word(int reason)
{
	switch (reason) {
	case OMEGA_SANDBOX_NOT_BLOCKED:
		return "none";
	case OMEGA_SANDBOX_BY_NAME:
		return "name";
	case OMEGA_SANDBOX_BY_RESOLVED_NAME:
		return "resolved-name";
	case OMEGA_SANDBOX_BY_MOUNT:
		return "mount";
	case OMEGA_SANDBOX_BY_HARD_LINK:
		return "hard-link";
	case OMEGA_SANDBOX_BY_FOLDED_NAME:
		return "folded-name";
	case OMEGA_SANDBOX_BY_LIST:
		return "list";
	default:
		return "undecided";
	}
}

static void
print_rule(const struct omega_sandbox_verdict *verdict)
{
	tool_print_visible(verdict->rule);
	printf(" (%s", verdict->origin);
	if (verdict->line != 0)
		printf(", line %u", verdict->line);
	putchar(')');
}

static void
print_text(const struct request *request, const char *path,
    const struct omega_sandbox_verdict *verdict)
{
	printf("%s %s ", request->access_name,
	    verdict->reason == 0 ? "allowed" : "blocked");
	tool_print_visible(path);
	switch (verdict->reason) {
	case OMEGA_SANDBOX_NOT_BLOCKED:
		break;
	case OMEGA_SANDBOX_UNDECIDED:
		if (path[0] != '/')
			fputs(": not an absolute path", stdout);
		else
			printf(": where it leads cannot be found out: %s",
			    strerror(verdict->sys_errno));
		break;
	case OMEGA_SANDBOX_BY_NAME:
		fputs(": protected by ", stdout);
		print_rule(verdict);
		break;
	case OMEGA_SANDBOX_BY_RESOLVED_NAME:
		fputs(": leads to ", stdout);
		tool_print_visible(verdict->resolved);
		fputs(", protected by ", stdout);
		print_rule(verdict);
		break;
	case OMEGA_SANDBOX_BY_MOUNT:
		fputs(": also mounted below ", stdout);
		print_rule(verdict);
		break;
	case OMEGA_SANDBOX_BY_LIST:
		fputs(": not on the list ", stdout);
		print_rule(verdict);
		break;
	case OMEGA_SANDBOX_BY_HARD_LINK:
		fputs(": a hard link to a file of ", stdout);
		print_rule(verdict);
		break;
	default:
		fputs(": another spelling of ", stdout);
		print_rule(verdict);
		break;
	}
	putchar('\n');
}

static int
add_json(json_t *results, const char *path,
    const struct omega_sandbox_verdict *verdict)
{
	json_t *result = json_pack("{s:o, s:b, s:s}", "path",
	    tool_json_text(path), "blocked", verdict->reason != 0, "reason",
	    reason_word(verdict->reason));

	if (result == NULL)
		return -1;
	if (verdict->rule != NULL)
		json_object_set_new(
		    result, "rule", tool_json_text(verdict->rule));
	if (verdict->origin != NULL)
		json_object_set_new(
		    result, "origin", tool_json_text(verdict->origin));
	if (verdict->line != 0)
		json_object_set_new(
		    result, "line", json_integer(verdict->line));
	if (verdict->resolved[0] != '\0')
		json_object_set_new(
		    result, "resolved", tool_json_text(verdict->resolved));
	if (verdict->sys_errno != 0)
		json_object_set_new(result, "error",
		    tool_json_text(strerror(verdict->sys_errno)));
	return json_array_append_new(results, result);
}

static int
judge_all(
    const struct request *request, const struct omega_sandbox_guard *guard)
{
	json_t *results = json_array();
	json_t *answer;
	int status = TOOL_YES;
	int i;

	for (i = 0; i < request->path_count; i++) {
		struct omega_sandbox_verdict verdict =
		    OMEGA_SANDBOX_VERDICT_INIT;
		const char *path = request->paths[i];

		if (omega_sandbox_guard_is_blocked(
			guard, request->access, path, &verdict))
			status = TOOL_NO;
		if (!request->is_json)
			print_text(request, path, &verdict);
		else if (add_json(results, path, &verdict) != 0)
			return tool_error("out of memory");
	}
	answer = json_pack("{s:s, s:b, s:o}", "access", request->access_name,
	    "blocked", status == TOOL_NO, "results", results);
	if (answer == NULL)
		return tool_error("out of memory");
	if (request->is_json)
		tool_print_json(answer);
	else
		json_decref(answer);
	return tool_finish(status);
}

/* A guard for what the policy and the options protect. */
static int
make_guard(const struct tool_options *options,
    const struct omega_sandbox *sandbox, struct omega_sandbox_policy *policy,
    struct omega_sandbox_guard **guard)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_settings settings = OMEGA_SANDBOX_SETTINGS_INIT;
	int ret;

	omega_sandbox_get_settings(sandbox, &settings);
	if (options->data_dir == NULL && settings.data_dir[0] == '\0')
		return tool_error("check: your user has no home directory in "
				  "the password database: give --data-dir");
	ret = omega_sandbox_guard_new_for_policy(policy, guard, &error);
	/* Denies add up: an option does not replace what an administrator
	 * has named. */
	if (ret == 0 && options->config_path != NULL &&
	    options->config_path[0] != '\0')
		ret = omega_sandbox_guard_block(*guard,
		    OMEGA_SANDBOX_READ | OMEGA_SANDBOX_WRITE,
		    options->config_path, "--config-path", 0, &error);
	return ret < 0 ? tool_error("check: %s", error.text) : 0;
}

static unsigned
access_of(const char *name)
{
	if (strcmp(name, "read") == 0)
		return OMEGA_SANDBOX_READ;
	if (strcmp(name, "write") == 0)
		return OMEGA_SANDBOX_WRITE;
	return strcmp(name, "execute") == 0 ? OMEGA_SANDBOX_EXECUTE : 0;
}

int
tool_check(int argc, char **argv)
{
	struct omega_sandbox *sandbox = NULL;
	struct omega_sandbox_policy *policy = NULL;
	struct omega_sandbox_guard *guard = NULL;
	struct tool_options options;
	struct request request = {.access = 0};
	int status;

	status = tool_read_options(argc, argv,
	    TOOL_OPT_CONFIG | TOOL_OPT_DATA_DIR | TOOL_OPT_CONFIG_PATH |
		TOOL_OPT_POLICY | TOOL_OPT_AGENT | TOOL_OPT_WORK_DIR |
		TOOL_OPT_JSON,
	    help, TOOL_ERROR, &options);
	if (status >= 0)
		return status;
	if (options.first >= argc)
		return tool_error("check: say read, write or execute, then the "
				  "paths; see omega-sandbox check --help");
	request.access_name = argv[options.first];
	request.is_json = options.is_json;
	request.paths = argv + options.first + 1;
	request.path_count = argc - options.first - 1;
	request.access = access_of(request.access_name);
	if (request.access == 0)
		return tool_error("check: '%s' is not an access; say read, "
				  "write or execute",
		    request.access_name);
	if (request.path_count == 0)
		return tool_error("check: no path given");
	if (tool_open(&options, &sandbox, &policy) < 0 ||
	    make_guard(&options, sandbox, policy, &guard) != 0)
		status = TOOL_ERROR;
	else
		status = judge_all(&request, guard);
	omega_sandbox_guard_free(guard);
	omega_sandbox_policy_unref(policy);
	omega_sandbox_unref(sandbox);
	return status;
}
