/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * watch-darwin.c - see watch.h. No call can be looked at here.
 */

#include "config.h"

#include "watch/watch.h"

#include "run.h"
#include "tool.h"

int
why_begin(struct omega_sandbox_command *command, const struct tool_call *call,
    struct omega_sandbox_error *error)
{
	(void)command;
	(void)call;
	snprintf(error->text, sizeof(error->text),
	    "what is refused can be told on Linux only");
	return OMEGA_SANDBOX_E_UNAVAILABLE;
}

json_t *
why_end(void)
{
	return NULL;
}

void
why_print(const json_t *list)
{
	(void)list;
}

/* Names that are absent are denied as they are. */

void
hold_begin(struct omega_sandbox_policy *policy, const char *agent)
{
	(void)policy;
	(void)agent;
}

void
hold_watch(struct omega_sandbox_prepared *prepared)
{
	(void)prepared;
}

void
hold_end(void)
{
}

size_t
hold_look(const struct omega_sandbox_report *report, const char *agent)
{
	(void)report;
	(void)agent;
	return 0;
}

static int
learn(struct tool_call *call)
{
	(void)call;
	return tool_error("learn: on Linux only");
}

const struct tool_verb tool_learn = {
    .name = "learn",
    .summary = "make a policy of what a command does (Linux)",
    .run = learn,
};
