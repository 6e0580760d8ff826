/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * main.c - the tool omega-sandbox: finds the verb and calls it.
 */

#include "config.h"

#include <sys/resource.h>

#include "tool.h"

#include "../core/base/nearest.h"

#define STACK_KIB 512

static const struct tool_verb *const verbs[] = {&tool_run, &tool_describe,
    &tool_verify, &tool_status, &tool_list, &tool_check, &tool_explain,
    &tool_learn, &tool_trust, &tool_rpc, &tool_config};

#define VERB_COUNT (sizeof(verbs) / sizeof(verbs[0]))

static void
print_usage(FILE *out)
{
	size_t i;

	fputs("usage: omega-sandbox VERB [OPTION...] [ARG...]\n"
	      "       omega-sandbox help [VERB]\n"
	      "       omega-sandbox version\n\nverbs:\n",
	    out);
	for (i = 0; i < VERB_COUNT; i++)
		fprintf(out, "  %-10s %s\n", verbs[i]->name, verbs[i]->summary);
}

static const struct tool_verb *
find_verb(const char *word)
{
	size_t i;

	for (i = 0; i < VERB_COUNT; i++)
		if (strcmp(word, verbs[i]->name) == 0)
			return verbs[i];
	return NULL;
}

static int
refuse_verb(const char *word)
{
	char known[256] = "";
	size_t used = 0;
	size_t i;

	if (word[0] == '-')
		return tool_error("'%s' stands before the verb; options come "
				  "behind it: see omega-sandbox help",
		    word);
	for (i = 0; i < VERB_COUNT; i++)
		if (omega_nearest(word, verbs[i]->name))
			return tool_error("unknown verb '%s'; did you mean "
					  "%s? see omega-sandbox help",
			    word, verbs[i]->name);
	for (i = 0; i < VERB_COUNT; i++)
		used += (size_t)snprintf(known + used, sizeof(known) - used,
		    "%s%s", i > 0 ? ", " : "", verbs[i]->name);
	return tool_error("unknown verb '%s'; the verbs are %s; see "
			  "omega-sandbox help",
	    word, known);
}

/* The verb, and what all have before and after. */
static int
run_verb(const struct tool_verb *verb, int argc, char **argv)
{
	struct tool_call call = {.verb = verb};
	int status =
	    verb->options == NULL ? -1 : tool_read_options(argc, argv, &call);

	if (status >= 0)
		return status;
	if (verb->is_alone && call.word_count > 0)
		return tool_error(
		    "%s: unexpected '%s'", verb->name, call.words[0]);
	status = verb->run(&call);
	omega_sandbox_policy_unref(call.policy);
	omega_sandbox_unref(call.sandbox);
	/* A command has had its own end. */
	if (tool_finish(TOOL_YES) != TOOL_YES &&
	    (status == 0 || !verb->is_command))
		status = tool_usage_exit(verb);
	return status;
}

/* The library refuses too, but not where it only answers yes or no. */
static bool
has_stack(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_STACK, &limit) != 0 ||
	       limit.rlim_cur >= (rlim_t)STACK_KIB * 1024;
}

/* Of a verb what its own --help prints. */
static int
help(int argc, char **argv)
{
	const struct tool_verb *verb;
	char word[] = "--help";
	char *words[] = {argc > 0 ? argv[0] : NULL, word, NULL};

	if (argc == 0) {
		print_usage(stdout);
		return tool_finish(TOOL_YES);
	}
	if (argc > 1)
		return tool_error("help: unexpected '%s'", argv[1]);
	verb = find_verb(argv[0]);
	return verb == NULL ? refuse_verb(argv[0]) : run_verb(verb, 2, words);
}

/* Is it one of the ways to ask for this? */
static bool
is_asked(const char *word, const char *verb, const char *letter)
{
	return strcmp(word, verb) == 0 || strcmp(word, letter) == 0 ||
	       (strncmp(word, "--", 2) == 0 && strcmp(word + 2, verb) == 0);
}

int
main(int argc, char **argv)
{
	const struct tool_verb *verb;

	if (argc < 2) {
		print_usage(stderr);
		return TOOL_ERROR;
	}
	if (is_asked(argv[1], "help", "-h"))
		return help(argc - 2, argv + 2);
	if (is_asked(argv[1], "version", "-V")) {
		printf("omega-sandbox %s\n", omega_sandbox_version());
		return tool_finish(TOOL_YES);
	}
	if (!has_stack()) {
		tool_error("the stack is limited to less than %d KiB; "
			   "raise the limit: ulimit -s 1024",
		    STACK_KIB);
		return strcmp(argv[1], "run") == 0 ? 125 : TOOL_ERROR;
	}
	verb = find_verb(argv[1]);
	if (verb != NULL)
		return run_verb(verb, argc - 1, argv + 1);
	if (strcmp(argv[1], "verify-attempt") == 0)
		return tool_verify_attempt(argc - 1, argv + 1);
	return refuse_verb(argv[1]);
}
