/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * main.c - the tool omega-sandbox: finds the verb and calls it.
 */

#include "config.h"

#include <sys/resource.h>
#include <stdio.h>
#include <string.h>

#include <omega/sandbox.h>

#include "tool.h"

#define STACK_KIB 512

static const struct verb {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
} verbs[] = {
    {"run", tool_run, "run a command protected, or not at all"},
    {"describe", tool_describe, "what would be enforced, by whom"},
    {"verify", tool_verify, "is it so? attack every guarantee"},
    {"status", tool_status, "settings, backends and platform"},
    {"list", tool_list, "the backends and whether they can be used"},
    {"check", tool_check, "may a path be read or written?"},
    {"explain", tool_explain, "why may a path not be read, written, run?"},
    {"rpc", tool_rpc, "run commands for a program: lines of JSON"},
    {"config", tool_config, "show or check the configuration"},
};

static void
print_usage(FILE *out)
{
	size_t i;

	fputs("usage: omega-sandbox VERB [OPTION...] [ARG...]\n"
	      "       omega-sandbox VERB --help\n"
	      "       omega-sandbox --version\n\nverbs:\n",
	    out);
	for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		fprintf(out, "  %-10s %s\n", verbs[i].name, verbs[i].summary);
}

static int
refuse_verb(const char *word)
{
	char known[256] = "";
	size_t used = 0;
	size_t i;

	if (word[0] == '-')
		return tool_error("'%s' stands before the verb; options come "
				  "behind it: see omega-sandbox --help",
		    word);
	for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		used += (size_t)snprintf(known + used, sizeof(known) - used,
		    "%s%s", i > 0 ? ", " : "", verbs[i].name);
	return tool_error("unknown verb '%s'; the verbs are %s; see "
			  "omega-sandbox --help",
	    word, known);
}

/* The library refuses too, but not where it only answers yes or no. */
static bool
has_stack(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_STACK, &limit) != 0 ||
	       limit.rlim_cur >= (rlim_t)STACK_KIB * 1024;
}

int
main(int argc, char **argv)
{
	size_t i;

	if (argc < 2) {
		print_usage(stderr);
		return TOOL_ERROR;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		print_usage(stdout);
		return tool_finish(TOOL_YES);
	}
	if (strcmp(argv[1], "--version") == 0) {
		printf("omega-sandbox %s\n", omega_sandbox_version());
		return tool_finish(TOOL_YES);
	}
	if (!has_stack()) {
		tool_error("the stack is limited to less than %d KiB; "
			   "raise the limit: ulimit -s 1024",
		    STACK_KIB);
		return strcmp(argv[1], "run") == 0 ? 125 : TOOL_ERROR;
	}
	for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (strcmp(argv[1], verbs[i].name) == 0)
			return verbs[i].run(argc - 1, argv + 1);
	/* What verify starts inside the sandbox; not for people. */
	if (strcmp(argv[1], "verify-attempt") == 0)
		return tool_verify_attempt(argc - 1, argv + 1);
	return refuse_verb(argv[1]);
}
