/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * verify.c - omega-sandbox verify: is what the report claims so? Every
 * guarantee of the policy is attacked by real children on this host.
 */

#include "config.h"

#include "verify/verify.h"

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

static int
verify(struct tool_call *call)
{
	struct verify_result result;
	int status;

	memset(&result, 0, sizeof(result));
	signal(SIGPIPE, SIG_IGN);
	if (tool_open(call) < 0)
		return TOOL_ERROR;
	result.is_silent = call->options.is_json;
	verify_all(&call->options, call->sandbox, &result);
	if (call->options.is_json)
		tool_print_json(verify_json(&result));
	else
		verify_print(&result);
	status = verify_exit(&result);
	drop(&result);
	return status;
}

const struct tool_verb tool_verify = {
    .name = "verify",
    .summary = "is it so? attack every guarantee",
    .run = verify,
    .options = TOOL_UNDER " first json",
    .is_alone = true,
    .help =
	"Tries to break every guarantee of the policy, in real children on "
	"this\n"
	"host: once without the sandbox, to see that the attempt can work, "
	"and\n"
	"once inside. On the real places only what does no harm if it works; "
	"in\n"
	"full on a copy made for it, which is removed.\n",
    .json_help = "print one JSON object, with every attempt",
    .exit_help =
	"Exit: 0 every claim holds, 1 a claim is false, 2 one could not be "
	"tried,\n"
	"or error.\n",
};

int
tool_verify_attempt(int argc, char **argv)
{
	return attempt_main(argc, argv);
}
