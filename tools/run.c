/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * run.c - omega-sandbox run: a command, protected or not at all.
 */

#include "config.h"

#include <signal.h>
#include <time.h>

#include "run.h"
#include "tool.h"
#include "watch/watch.h"

/* Exits of run besides the command's own. */
enum run_exit {
	RUN_TIMED_OUT = 124,
	RUN_REFUSED = 125, /* refused, failed or wrong usage: it never ran */
	RUN_NOT_EXECUTABLE = 126,
	RUN_NOT_FOUND = 127,
	RUN_SIGNAL = 128 /* plus the number of the signal */
};

static int
exit_of_code(int code)
{
	if (code == OMEGA_SANDBOX_E_NOT_FOUND)
		return RUN_NOT_FOUND;
	if (code == OMEGA_SANDBOX_E_NOT_EXECUTABLE)
		return RUN_NOT_EXECUTABLE;
	return RUN_REFUSED;
}

/* The variables that are not passed on: "A, B", to be freed; or NULL. */
static char *
find_removed(const struct omega_sandbox_report *report)
{
	static const char begin[] = "environment: removed ";
	json_t *all = tool_json_report(report);
	const json_t *note;
	char *names = NULL;
	size_t i;

	json_array_foreach(json_object_get(all, "notes"), i, note)
	{
		const char *text = json_string_value(note);

		if (names == NULL &&
		    strncmp(text, begin, sizeof(begin) - 1) == 0) {
			text += sizeof(begin) - 1;
			if (strncmp(text, "with sockets ", 13) == 0)
				continue;
			names = strndup(text, strcspn(text, ";"));
		}
	}
	json_decref(all);
	return names;
}

json_t *
run_removed(const struct omega_sandbox_report *report)
{
	char *names = find_removed(report);
	json_t *list = json_array();
	char *rest = names;
	char *name;

	while ((name = strsep(&rest, ", ")) != NULL)
		if (name[0] != '\0')
			json_array_append_new(list, tool_json_text(name));
	free(names);
	return list;
}

/* With its output, which is part of the answer. */
static int
capture(struct omega_sandbox_command *command,
    struct omega_sandbox_policy *policy, bool is_why, bool is_all,
    struct omega_sandbox_outcome *end, struct omega_sandbox_error *error)
{
	struct omega_sandbox_prepared *prepared =
	    omega_sandbox_command_prepared(command);
	struct omega_sandbox_report *report =
	    omega_sandbox_prepared_report(prepared);
	json_t *removed = is_why ? run_removed(report) : NULL;
	struct omega_sandbox_result *result = NULL;
	json_t *hosts;
	json_t *value;
	int ret;

	omega_sandbox_report_unref(report);

	ret = omega_sandbox_command_set_stdio(
	    command, 0, OMEGA_SANDBOX_STDIO_INHERIT, -1, error);
	if (ret == 0)
		ret = omega_sandbox_capture(command, &result, error);
	hosts = tool_json_hosts(prepared, policy, NULL);
	omega_sandbox_prepared_unref(prepared);
	if (ret < 0) {
		json_decref(hosts);
		json_decref(removed);
		return ret;
	}
	omega_sandbox_result_get(result, end);
	value = tool_json_result(result, is_all);
	if (value != NULL && is_why) {
		json_t *refused = why_end();

		tool_add_hosts(refused, hosts);
		json_object_set_new(
		    value, "refused", refused != NULL ? refused : json_null());
		json_object_set(value, "removed_variables", removed);
	}
	json_decref(removed);
	if (value != NULL && json_array_size(hosts) > 0)
		json_object_set(value, "refused_hosts", hosts);
	json_decref(hosts);
	pty_let_out();
	if (value != NULL)
		tool_print_json(value);
	omega_sandbox_result_free(result);
	return value != NULL ? 0 : OMEGA_SANDBOX_E_MEMORY;
}

static double
seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* One line about what was. */
static void
sum_up(const char *word, struct omega_sandbox_prepared *prepared,
    const struct omega_sandbox_outcome *end, double took)
{
	struct omega_sandbox_report *report =
	    omega_sandbox_prepared_report(prepared);

	tool_error("%s: %s %d after %.3f s%s%s; %s: %u guarantees enforced, "
		   "%u partial, %u not",
	    word,
	    end->signal != 0   ? "signal"
	    : end->status >= 0 ? "exit"
			       : "no end, status",
	    end->signal != 0 ? end->signal : end->status, took,
	    end->is_timed_out ? ", timed out" : "",
	    end->is_truncated ? ", output cut" : "",
	    omega_sandbox_report_is_protected(report) ? "protected"
						      : "NOT PROTECTED",
	    tool_count_state(report, OMEGA_SANDBOX_ENFORCED),
	    tool_count_state(report, OMEGA_SANDBOX_PARTIAL),
	    tool_count_state(report, OMEGA_SANDBOX_NOT_ENFORCED));
	omega_sandbox_report_unref(report);
}

static void
tell_removed(struct omega_sandbox_prepared *prepared)
{
	struct omega_sandbox_report *report =
	    omega_sandbox_prepared_report(prepared);
	char *names = find_removed(report);

	if (names != NULL)
		tool_error(
		    "not passed on: %s (--env NAME passes one on)", names);
	free(names);
	omega_sandbox_report_unref(report);
}

/* What was granted in vain; and what does not reach the command, in one line
 * for who sits there. */
static void
tell_notes(struct omega_sandbox_prepared *prepared, bool is_brief)
{
	struct omega_sandbox_report *report =
	    omega_sandbox_prepared_report(prepared);
	json_t *all = tool_json_report(report);
	const json_t *note;
	size_t i;

	json_array_foreach(json_object_get(all, "notes"), i, note)
	{
		const char *text = json_string_value(note);

		if (strncmp(text, "not granted: ", 13) == 0 ||
		    strncmp(text, "allow_", 6) == 0)
			tool_error("warning: %s", text);
	}
	json_decref(all);
	if (!is_brief)
		tell_removed(prepared);
	omega_sandbox_report_unref(report);
}

/* An agent's own sandbox, which cannot be made in this one, is left out by a
 * word of the command. */
static void
tell_own_sandbox(const char *agent, char **words)
{
	static const struct {
		const char *agent;
		const char *words[3];
	} own[] = {
	    {"codex", {"--sandbox danger-full-access", "danger-full-access",
			  "--dangerously-bypass-approvals-and-sandbox"}},
	};
	size_t i;
	size_t j;

	for (i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		if (agent == NULL || strcmp(own[i].agent, agent) != 0)
			continue;
		for (j = 0; words[j] != NULL; j++)
			if (strcmp(words[j], own[i].words[1]) == 0 ||
			    strcmp(words[j], own[i].words[2]) == 0)
				return;
		tool_error("%s cannot make its own sandbox inside of this one, "
			   "which holds without it: add %s",
		    agent, own[i].words[0]);
	}
}

/* Where its end is not all of it. */
static void
warn_left(struct omega_sandbox_prepared *prepared)
{
	struct omega_sandbox_guarantee line = OMEGA_SANDBOX_GUARANTEE_INIT;
	struct omega_sandbox_report *report =
	    omega_sandbox_prepared_report(prepared);
	size_t i;

	for (i = 0; omega_sandbox_report_get(report, i, &line) == 0; i++)
		if (strcmp(line.kind, "left_processes") == 0 &&
		    line.state != OMEGA_SANDBOX_ENFORCED)
			tool_error("warning: what it has started may go on: %s",
			    line.why);
	omega_sandbox_report_unref(report);
}

/* Who closed the other end of a pipe wants no more of it. */
static bool
is_unwritten(const struct omega_sandbox_outcome *end)
{
	return end->output_error != 0 && end->output_error != EPIPE;
}

/* Make the command and run it; the code of the failure, or 0. */
static int
run_command(const struct tool_call *call, run_begin_fn *begin,
    struct omega_sandbox_outcome *end)
{
	const struct tool_options *options = &call->options;
	struct omega_sandbox_policy *policy = call->policy;
	char **words = call->words;
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_prepared *prepared = NULL;
	struct omega_sandbox_command *command = NULL;
	struct left *left = NULL;
	json_t *hosts = NULL;
	double from = 0;
	size_t i;
	int ret;

	if (options->agent != NULL)
		hold_begin(policy, options->agent);
	ret = omega_sandbox_prepare(policy, &prepared, &error);
	if (ret == 0)
		hold_watch(prepared);
	if (ret == 0)
		ret = omega_sandbox_command_new(
		    prepared, words[0], &command, &error);
	for (i = 1; ret == 0 && words[i] != NULL; i++)
		ret = omega_sandbox_command_add_arg(command, words[i], &error);
	if (ret == 0)
		ret = omega_sandbox_command_set(
		    command, "context", options->context, &error);
	/* Before our own handlers of signals are there. */
	if (ret == 0 && begin != NULL)
		ret = begin(command, call, &error);
	if (ret == 0)
		ret = stand_in_begin(command,
		    omega_sandbox_policy_get_session(policy) ==
			OMEGA_SANDBOX_SESSION_KEEP,
		    &error);
	if (ret == 0) {
		/* What the profile of an agent cannot hold is told. */
		if (options->agent != NULL)
			left = left_look(options->work_dir);
		tell_notes(prepared,
		    options->is_why || (!options->is_verbose && !isatty(2)));
		if (options->is_verbose || isatty(2))
			tell_own_sandbox(options->agent, words);
		from = seconds();
		ret = options->is_json
			  ? capture(command, policy, options->is_why,
				options->is_all, end, &error)
			  : omega_sandbox_run(command, end, &error);
		if (!options->is_json)
			hosts = tool_json_hosts(prepared, policy, NULL);
		stand_in_end();
		left_tell(left);
	}
	if (ret < 0)
		tool_error(
		    "%s", error.text[0] != '\0' ? error.text : "out of memory");
	else if (end->is_timed_out && !options->is_json)
		tool_error("the command was ended: its time was over");
	if (ret == 0 && end->is_truncated && !options->is_json)
		tool_error("some of the command's output was dropped: it was "
			   "more than max_output allows");
	if (ret == 0 && is_unwritten(end))
		tool_error("the command's output could not be written: %s",
		    strerror(end->output_error));
	if (ret == 0 && end->left > 0)
		tool_error("warning: at least %u of its processes could not be "
			   "ended%s",
		    (unsigned)end->left,
		    end->status < 0 && end->signal == 0
			? ", the command itself among them"
			: "");
	if (ret == 0 && end->is_timed_out)
		warn_left(prepared);
	if (options->is_why && !options->is_json) {
		json_t *refused = why_end();

		tool_add_hosts(refused, hosts);
		if (ret == 0) {
			why_print(refused);
			tell_removed(prepared);
		}
		json_decref(refused);
	} else if (options->is_verbose || (end->status != 0 && isatty(2))) {
		tool_tell_hosts(hosts, !options->is_verbose);
	}
	json_decref(hosts);
	if (ret == 0 && options->is_verbose)
		sum_up(words[0], prepared, end, seconds() - from);
	omega_sandbox_command_unref(command);
	omega_sandbox_prepared_unref(prepared);
	hold_end();
	return ret;
}

static bool
has_line(const char *file, const char *line)
{
	FILE *stream = fopen(file, "r");
	char text[256];
	bool is_found = false;

	while (stream != NULL && !is_found &&
	       fgets(text, sizeof(text), stream) != NULL)
		is_found = strcmp(text, line) == 0;
	if (stream != NULL)
		fclose(stream);
	return is_found;
}

/* Whatever failed first: in a sandbox like ours no other one can be made. */
static void
tell_nested(void)
{
	if (has_line("/proc/self/status", "NoNewPrivs:\t1\n") &&
	    has_line("/proc/sys/user/max_user_namespaces", "0\n") &&
	    !has_line(
		"/proc/self/uid_map", "         0          0 4294967295\n"))
		tool_error("this is inside of a sandbox already, in which no "
			   "other one can be made: start the command without "
			   "it, or omega-sandbox outside");
}

/* Where there is a terminal the rest is done by a process behind a pty. True:
 * not by this one, and *status is how it ended. */
static bool
is_done_elsewhere(const struct omega_sandbox_policy *policy, int *status)
{
	enum pty_side side = PTY_NONE;

	if (omega_sandbox_policy_get_session(policy) !=
	    OMEGA_SANDBOX_SESSION_KEEP)
		side = pty_come_between(status);
	if (side == PTY_FAILED) {
		tool_error("no terminal can be put between: %s; with --session "
			   "keep there is none",
		    strerror(errno));
		*status = RUN_REFUSED;
	}
	return side == PTY_OVER || side == PTY_FAILED;
}

int
run_watched(struct tool_call *call, run_begin_fn *begin)
{
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	int status;
	int ret;

	if (is_done_elsewhere(call->policy, &status)) {
		if (begin == NULL && status != 0 && pty_saw_refusal())
			tool_error("something could not be written; run --why "
				   "tells by which rule");
		return status;
	}
	ret = run_command(call, begin, &end);
	if (ret < 0) {
		status = exit_of_code(ret);
		if (status == RUN_REFUSED)
			tell_nested();
		return status;
	}
	if (end.is_timed_out)
		return RUN_TIMED_OUT;
	if (is_unwritten(&end))
		return RUN_REFUSED;
	if (end.status >= 0)
		return end.status;
	return RUN_SIGNAL + (end.signal != 0 ? end.signal : SIGKILL);
}

static int
run(struct tool_call *call)
{
	bool is_named = call->word_count > 0;
	int ret;

	if ((!is_named && !call->options.is_dry) ||
	    (is_named && call->words[0][0] == '\0')) {
		tool_error("run: %s; see omega-sandbox run --help",
		    is_named ? "the name of the command is empty"
			     : "no command given");
		return RUN_REFUSED;
	}
	ret = tool_open_policy(call);
	if (ret < 0) {
		if (exit_of_code(ret) == RUN_REFUSED)
			tell_nested();
		return exit_of_code(ret);
	}
	if (call->options.is_dry)
		return tool_show(call) == TOOL_YES ? 0 : RUN_REFUSED;
	return run_watched(call, call->options.is_why ? why_begin : NULL);
}

const struct tool_verb tool_run = {
    .name = "run",
    .summary = "run a command protected, or not at all",
    .run = run,
    .options =
	TOOL_UNDER " witness timeout max-output context why verbose dry-run "
		   "json all",
    .is_command = true,
    .usage_exit = RUN_REFUSED,
    .usage = "[OPTION...] [--] COMMAND [ARG...]",
    .help = "Runs COMMAND with what the policy protects out of its reach. When "
	    "that\n"
	    "cannot be done here, it is not run.\n",
    .json_help = "print result, output and what was not enforced as JSON;\n"
		 "30 s and 1 MiB of output unless said otherwise",
    .exit_help =
	"Exit: the command's own; 128+N when signal N ended it; 124 timed "
	"out;\n"
	"125 refused, failed or wrong usage (it never ran), or its output "
	"could\n"
	"not be written; 126 not executable;\n"
	"127 not found.\n",
};
