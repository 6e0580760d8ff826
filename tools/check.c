/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * check.c - omega-sandbox check: may these paths be read, written or run, and
 * by which rule not?
 */

#include "config.h"

#include "tool.h"

/* Why a path is blocked: a word for programs, and what stands before the rule
 * for people. */
static const struct reason {
	int number;
	const char *word;
	const char *text;
} reasons[] = {
    {OMEGA_SANDBOX_NOT_BLOCKED, "none", NULL},
    {OMEGA_SANDBOX_BY_NAME, "name", "protected by "},
    {OMEGA_SANDBOX_BY_RESOLVED_NAME, "resolved-name", "protected by "},
    {OMEGA_SANDBOX_BY_MOUNT, "mount", "also mounted below "},
    {OMEGA_SANDBOX_BY_HARD_LINK, "hard-link", "a hard link to a file of "},
    {OMEGA_SANDBOX_BY_FOLDED_NAME, "folded-name", "another spelling of "},
    {OMEGA_SANDBOX_BY_LIST, "list", "not on the list "},
    {OMEGA_SANDBOX_UNDECIDED, "undecided", NULL},
};

static const struct reason *
find_reason(int number)
{
	const struct reason *reason = reasons;

	while (reason->number != number &&
	       reason->number != OMEGA_SANDBOX_UNDECIDED)
		reason++;
	return reason;
}

void
tool_print_undecided(const char *rule, int error)
{
	if (rule != NULL && rule[0] != '\0') {
		fputs(": it has other names, and ", stdout);
		tool_print_visible(rule);
		fputs(" could not be searched for them", stdout);
	} else {
		fputs(": where it leads cannot be found out", stdout);
	}
	printf(": %s", strerror(error));
}

static void
print_text(const char *access, const char *path,
    const struct omega_sandbox_verdict *verdict)
{
	const struct reason *reason = find_reason(verdict->reason);

	printf("%s %s ", access, verdict->reason == 0 ? "allowed" : "blocked");
	tool_print_visible(path);
	if (reason->number == OMEGA_SANDBOX_UNDECIDED && path[0] != '/')
		fputs(": not an absolute path", stdout);
	else if (reason->number == OMEGA_SANDBOX_UNDECIDED)
		tool_print_undecided(verdict->rule, verdict->sys_errno);
	if (reason->number == OMEGA_SANDBOX_BY_RESOLVED_NAME) {
		fputs(": leads to ", stdout);
		tool_print_visible(verdict->resolved);
	}
	if (reason->text != NULL) {
		printf("%s%s",
		    reason->number == OMEGA_SANDBOX_BY_RESOLVED_NAME ? ", "
								     : ": ",
		    reason->text);
		tool_print_visible(verdict->rule);
		printf(" (%s", verdict->origin);
		if (verdict->line != 0)
			printf(", line %u", verdict->line);
		putchar(')');
	}
	putchar('\n');
}

unsigned
tool_access(const char *name)
{
	if (strcmp(name, "read") == 0)
		return OMEGA_SANDBOX_READ;
	if (strcmp(name, "write") == 0)
		return OMEGA_SANDBOX_WRITE;
	return strcmp(name, "execute") == 0 ? OMEGA_SANDBOX_EXECUTE : 0;
}

static void
set_text(json_t *object, const char *name, const char *text)
{
	if (text != NULL)
		json_object_set_new(object, name, tool_json_text(text));
}

static int
add_json(json_t *results, const char *path,
    const struct omega_sandbox_verdict *verdict)
{
	json_t *result = json_pack("{s:o, s:b, s:s}", "path",
	    tool_json_text(path), "blocked", verdict->reason != 0, "reason",
	    find_reason(verdict->reason)->word);

	set_text(result, "rule", verdict->rule);
	set_text(result, "origin", verdict->origin);
	if (verdict->line != 0)
		json_object_set_new(
		    result, "line", json_integer(verdict->line));
	if (verdict->resolved[0] != '\0')
		set_text(result, "resolved", verdict->resolved);
	if (verdict->sys_errno != 0)
		set_text(result, "error", strerror(verdict->sys_errno));
	return json_array_append_new(results, result);
}

json_t *
tool_json_check(const struct omega_sandbox_guard *guard, const char *access,
    const char *const *paths)
{
	json_t *results = json_array();
	bool is_blocked = false;

	for (; *paths != NULL; paths++) {
		struct omega_sandbox_verdict verdict =
		    OMEGA_SANDBOX_VERDICT_INIT;

		if (omega_sandbox_guard_is_blocked(
			guard, tool_access(access), *paths, &verdict))
			is_blocked = true;
		if (add_json(results, *paths, &verdict) != 0) {
			json_decref(results);
			return NULL;
		}
	}
	return json_pack("{s:s, s:b, s:o}", "access", access, "blocked",
	    is_blocked, "results", results);
}

static int
judge_all(const struct tool_call *call, const struct omega_sandbox_guard *guard)
{
	const char *const *paths = (const char *const *)call->words + 1;
	int status = TOOL_YES;
	json_t *answer;

	if (call->options.is_json) {
		answer = tool_json_check(guard, call->words[0], paths);
		if (answer == NULL)
			return tool_error("out of memory");
		if (json_is_true(json_object_get(answer, "blocked")))
			status = TOOL_NO;
		tool_print_json(answer);
		return status;
	}
	for (; *paths != NULL; paths++) {
		struct omega_sandbox_verdict verdict =
		    OMEGA_SANDBOX_VERDICT_INIT;

		if (omega_sandbox_guard_is_blocked(
			guard, tool_access(call->words[0]), *paths, &verdict))
			status = TOOL_NO;
		print_text(call->words[0], *paths, &verdict);
	}
	return status;
}

/* A guard for what the policy and the options protect. */
static int
make_guard(const struct tool_call *call, struct omega_sandbox_guard **guard)
{
	const struct tool_options *options = &call->options;
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	int ret;

	if (options->data_dir == NULL &&
	    tool_option(call->sandbox, "data_dir")[0] == '\0')
		return tool_error("check: your user has no home directory in "
				  "the password database: give --data-dir");
	ret = omega_sandbox_guard_new_for_policy(call->policy, guard, &error);
	/* Denies add up: an option does not replace what an administrator
	 * has named. */
	if (ret == 0 && options->config_path != NULL)
		ret = omega_sandbox_guard_block(*guard,
		    OMEGA_SANDBOX_READ | OMEGA_SANDBOX_WRITE,
		    options->config_path, "--config-path", 0, &error);
	return ret < 0 ? tool_error("check: %s", error.text) : 0;
}

static int
check(struct tool_call *call)
{
	struct omega_sandbox_guard *guard = NULL;
	int status = TOOL_ERROR;

	if (call->word_count == 0)
		return tool_error("check: say read, write or execute, then the "
				  "paths; see omega-sandbox check --help");
	if (tool_access(call->words[0]) == 0)
		return tool_error("check: '%s' is not an access; say read, "
				  "write or execute",
		    call->words[0]);
	if (call->word_count == 1)
		return tool_error("check: no path given");
	if (tool_open_policy(call) == 0 && make_guard(call, &guard) == 0)
		status = judge_all(call, guard);
	omega_sandbox_guard_free(guard);
	return status;
}

const struct tool_verb tool_check = {
    .name = "check",
    .summary = "may a path be read or written?",
    .run = check,
    .options = "config policy agent data-dir work-dir config-path json",
    .usage = "read|write|execute [OPTION...] PATH...",
    .help =
	"Says for each PATH whether a tool of the host application may touch "
	"it,\n"
	"and if not, which rule forbids it. A relative PATH is blocked.\n",
    .exit_help = "Exit: 0 none is blocked, 1 at least one is, 2 wrong usage or "
		 "error.\n",
};
