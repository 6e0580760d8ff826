/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * describe.c - omega-sandbox describe: the plan, without starting anything.
 */

#include "config.h"

#include <stdio.h>

#include "tool.h"

static const char help[] =
    "usage: omega-sandbox describe [OPTION...]\n"
    "\n"
    "Shows every guarantee of the policy: enforced, partly enforced or not\n"
    "enforced on this host, by which backend, and why not. Nothing is "
    "started.\n"
    "\n" TOOL_HELP_UNDER "  --json           print one JSON object\n"
    "  --profile        print what the backend would put before a command, "
    "as one\n"
    "                   JSON array of strings; with --backend seatbelt, on "
    "any system\n"
    "  --help           print this\n"
    "\n"
    "Exit: 0 a command would start, 1 it would be refused, 2 error.\n";

/* The whole command line of the program that would make the sandbox. */
static int
print_profile(struct omega_sandbox_policy *policy)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_prefix *prefix = NULL;
	json_t *words = json_array();
	const char *word;
	size_t i;

	if (omega_sandbox_prefix_new(policy, &prefix, &error) < 0) {
		json_decref(words);
		tool_error("describe: %s", error.text);
		return TOOL_NO;
	}
	for (i = 0; (word = omega_sandbox_prefix_get_word(prefix, i)) != NULL;
	     i++)
		if (json_array_append_new(words, json_string(word)) != 0)
			break;
	omega_sandbox_prefix_free(prefix);
	if (word != NULL) {
		json_decref(words);
		return tool_error("describe: a word cannot be said in JSON");
	}
	tool_print_json(words);
	return tool_finish(TOOL_YES);
}

int
tool_show(const struct tool_options *options,
    struct omega_sandbox_policy *policy, const char *verb)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_report *report = NULL;
	int status;

	if (omega_sandbox_describe(policy, &report, &error) < 0)
		return tool_error("%s: %s", verb, error.text);
	if (options->is_json)
		puts(omega_sandbox_report_json(report));
	else
		tool_print_report(omega_sandbox_report_text(report));
	status = omega_sandbox_report_get_verdict(report, NULL) == 0 ? TOOL_YES
								     : TOOL_NO;
	omega_sandbox_report_unref(report);
	return tool_finish(status);
}

int
tool_describe(int argc, char **argv)
{
	struct omega_sandbox *sandbox = NULL;
	struct omega_sandbox_policy *policy = NULL;
	struct tool_options options;
	int status;

	status = tool_read_options(argc, argv,
	    TOOL_OPT_UNDER | TOOL_OPT_JSON | TOOL_OPT_PROFILE, help, TOOL_ERROR,
	    &options);
	if (status >= 0)
		return status;
	if (options.first < argc)
		return tool_error(
		    "describe: unexpected '%s'", argv[options.first]);
	status = TOOL_ERROR;
	if (tool_open(&options, &sandbox, &policy) == 0)
		status = options.is_profile
			     ? print_profile(policy)
			     : tool_show(&options, policy, "describe");
	omega_sandbox_policy_unref(policy);
	omega_sandbox_unref(sandbox);
	return status;
}
