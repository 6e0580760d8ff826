/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * describe.c - omega-sandbox describe: the plan, without starting anything.
 */

#include "config.h"

#include "run.h"
#include "tool.h"

/* The whole command line of the program that would make the sandbox. */
static int
print_profile(struct omega_sandbox_policy *policy)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	json_t *list = json_array();
	char **words = NULL;
	bool is_said = true;
	size_t i;

	if (omega_sandbox_describe_prefix(policy, &words, &error) < 0) {
		json_decref(list);
		tool_error("describe: %s", error.text);
		return TOOL_NO;
	}
	for (i = 0; is_said && words[i] != NULL; i++)
		is_said =
		    json_array_append_new(list, json_string(words[i])) == 0;
	free(words);
	if (!is_said) {
		json_decref(list);
		return tool_error("describe: a word cannot be said in JSON");
	}
	tool_print_json(list);
	return TOOL_YES;
}

/* What run does beside preparing the policy, for who names an agent. */
static void
note_held(size_t count, char *text, size_t size)
{
	snprintf(text, size,
	    "%zu of the names that are absent are in the work directory and "
	    "cannot be made while run runs a command: it has empty directories "
	    "in their place until the last process has ended",
	    count);
}

static void
print_report(
    const struct tool_call *call, const struct omega_sandbox_report *report)
{
	const bool is_json = call->options.is_json;
	const char *all = omega_sandbox_report_text(report,
	    is_json ? OMEGA_SANDBOX_FORMAT_JSON : OMEGA_SANDBOX_FORMAT_TEXT);
	char note[512];
	size_t held = 0;

	if (call->options.agent != NULL &&
	    omega_sandbox_report_is_protected(report))
		held = hold_look(report, call->options.agent);
	note_held(held, note, sizeof(note));
	if (is_json && held > 0) {
		json_t *value = json_loads(all, 0, NULL);

		json_array_append_new(
		    json_object_get(value, "notes"), json_string(note));
		tool_print_json(value);
		return;
	}
	if (is_json)
		puts(all);
	else if (call->options.is_all)
		tool_print_report(all);
	else
		tool_print_summary(report);
	if (!is_json && held > 0) {
		fputs("note: ", stdout);
		tool_print_wrapped(note, 6, 6);
	}
}

int
tool_show(const struct tool_call *call)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_report *report = NULL;
	int verdict;

	if (omega_sandbox_describe(call->policy, &report, &error) < 0)
		return tool_error("%s: %s", call->verb->name, error.text);
	print_report(call, report);
	verdict = omega_sandbox_report_get_verdict(report, NULL);
	omega_sandbox_report_unref(report);
	return verdict == 0 ? TOOL_YES : TOOL_NO;
}

static int
describe(struct tool_call *call)
{
	if (tool_open_policy(call) < 0)
		return TOOL_ERROR;
	return call->options.is_profile ? print_profile(call->policy)
					: tool_show(call);
}

const struct tool_verb tool_describe = {
    .name = "describe",
    .summary = "what would be enforced, by whom",
    .run = describe,
    .options = TOOL_UNDER " all json profile",
    .is_alone = true,
    .help = "Shows whether a command would start under the policy, what would "
	    "be held\n"
	    "on this host and what not, on one screen. Nothing is started.\n",
    .json_help = "print one JSON object, with every guarantee",
    .exit_help =
	"Exit: 0 a command would start, 1 it would be refused, 2 error.\n",
};
