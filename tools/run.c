/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * run.c - omega-sandbox run: a command, protected or not at all.
 */

#include "config.h"

#include <stdio.h>

#include "tool.h"

/* Exits of run besides the command's own. */
enum run_exit {
	RUN_REFUSED = 125, /* refused, failed or wrong usage: it never ran */
	RUN_NOT_EXECUTABLE = 126,
	RUN_NOT_FOUND = 127,
	RUN_SIGNAL = 128 /* plus the number of the signal */
};

static const char help[] =
    "usage: omega-sandbox run [OPTION...] [--] COMMAND [ARG...]\n"
    "\n"
    "Runs COMMAND with what the policy protects out of its reach. When that\n"
    "cannot be done here, it is not run.\n"
    "\n" TOOL_HELP_UNDER
    "  --witness        let the child try its sandbox before COMMAND is "
    "started\n"
    "  --json           print the result and what was enforced as JSON\n"
    "  --help           print this\n"
    "\n"
    "Exit: the command's own; 128+N when signal N ended it; 125 refused,\n"
    "failed or wrong usage (it never ran); 126 not executable; 127 not "
    "found.\n";

static int
exit_of_code(int code)
{
	if (code == OMEGA_SANDBOX_E_NOT_FOUND)
		return RUN_NOT_FOUND;
	if (code == OMEGA_SANDBOX_E_NOT_EXECUTABLE)
		return RUN_NOT_EXECUTABLE;
	return RUN_REFUSED;
}

static void
print_result(struct omega_sandbox_prepared *prepared,
    const struct omega_sandbox_exit *end)
{
	struct omega_sandbox_report *report =
	    omega_sandbox_prepared_report(prepared);
	json_t *guarantees =
	    json_loads(omega_sandbox_report_json(report), 0, NULL);

	tool_print_json(json_pack("{s:o, s:o, s:b, s:o}", "exit",
	    end->signal == 0 ? json_integer(end->status) : json_null(),
	    "signal",
	    end->signal != 0 ? json_integer(end->signal) : json_null(),
	    "sandbox_applied", end->is_protected, "report",
	    guarantees != NULL ? guarantees : json_null()));
	omega_sandbox_report_unref(report);
}

/* Make the command and run it; the code of the failure, or 0. */
static int
run_command(const struct tool_options *options, char **words,
    struct omega_sandbox_policy *policy, struct omega_sandbox_exit *end)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_prepared *prepared = NULL;
	struct omega_sandbox_command *command = NULL;
	size_t i;
	int ret;

	ret = omega_sandbox_prepare(policy, &prepared, &error);
	if (ret == 0)
		ret = omega_sandbox_command_new(
		    prepared, words[0], &command, &error);
	for (i = 1; ret == 0 && words[i] != NULL; i++)
		ret = omega_sandbox_command_add_arg(command, words[i]);
	if (ret == 0)
		ret = omega_sandbox_run(command, end, &error);
	if (ret < 0)
		tool_error(
		    "%s", error.text[0] != '\0' ? error.text : "out of memory");
	else if (options->is_json)
		print_result(prepared, end);
	omega_sandbox_command_unref(command);
	omega_sandbox_prepared_unref(prepared);
	return ret;
}

int
tool_run(int argc, char **argv)
{
	struct omega_sandbox_exit end = OMEGA_SANDBOX_EXIT_INIT;
	struct omega_sandbox *sandbox = NULL;
	struct omega_sandbox_policy *policy = NULL;
	struct tool_options options;
	int status;
	int ret;

	status = tool_read_options(argc, argv,
	    TOOL_OPT_UNDER | TOOL_OPT_JSON | TOOL_OPT_WITNESS | TOOL_OPT_STOP,
	    help, RUN_REFUSED, &options);
	if (status >= 0)
		return status;
	if (options.first >= argc) {
		tool_error("run: no command given; see omega-sandbox run "
			   "--help");
		return RUN_REFUSED;
	}
	ret = tool_open(&options, &sandbox, &policy);
	if (ret == 0)
		ret = run_command(&options, argv + options.first, policy, &end);
	if (ret < 0)
		status = exit_of_code(ret);
	else
		status = end.signal != 0 ? RUN_SIGNAL + end.signal : end.status;
	if (tool_finish(TOOL_YES) != TOOL_YES && status == 0)
		status = RUN_REFUSED;
	omega_sandbox_policy_unref(policy);
	omega_sandbox_unref(sandbox);
	return status;
}
