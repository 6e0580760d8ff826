/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * verify.c - omega-sandbox verify: is what the report claims so? Every
 * guarantee of the policy is attacked by real children on this host.
 */

#include "config.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "verify/attempt.h"
#include "verify/verify.h"

static const char help[] =
    "usage: omega-sandbox verify [OPTION...]\n"
    "\n"
    "Tries to break every guarantee of the policy, in real children on this\n"
    "host: once without the sandbox, to see that the attempt can work, and\n"
    "once inside. On the real places only what does no harm if it works; in\n"
    "full on a copy made for it, which is removed.\n"
    "\n" TOOL_HELP_UNDER
    "  --first          stop at the first claim that is false\n"
    "  --json           print one JSON object, with every attempt\n"
    "  --help           print this\n"
    "\n"
    "Exit: 0 every claim holds, 1 a claim is false, 2 one could not be "
    "tried,\n"
    "or error.\n";

static void
drop(struct verify_result *result)
{
	size_t i;

	for (i = 0; i < result->count; i++)
		free(result->lines[i].tries);
	free(result->lines);
	for (i = 0; i < result->report_count; i++)
		omega_sandbox_report_unref(result->reports[i]);
}

int
tool_verify(int argc, char **argv)
{
	struct verify_result result;
	struct omega_sandbox *sandbox = NULL;
	struct tool_options options;
	int status;

	status = tool_read_options(argc, argv,
	    TOOL_OPT_UNDER | TOOL_OPT_JSON | TOOL_OPT_FIRST, help, TOOL_ERROR,
	    &options);
	if (status >= 0)
		return status;
	if (options.first < argc)
		return tool_error(
		    "verify: unexpected '%s'", argv[options.first]);
	memset(&result, 0, sizeof(result));
	signal(SIGPIPE, SIG_IGN);
	status = TOOL_ERROR;
	if (tool_open(&options, &sandbox, NULL) == 0) {
		verify_all(&options, sandbox, &result);
		if (options.is_json)
			tool_print_json(verify_json(&result));
		else
			verify_print(&result);
		status = tool_finish(verify_exit(&result));
	}
	drop(&result);
	omega_sandbox_unref(sandbox);
	return status;
}

int
tool_verify_attempt(int argc, char **argv)
{
	return attempt_main(argc, argv);
}
