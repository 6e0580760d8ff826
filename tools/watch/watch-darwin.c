/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * watch-darwin.c - see watch.h. No call can be looked at here.
 */

#include "config.h"

#include "watch/watch.h"

#include "tool.h"

int
why_begin(
    struct omega_sandbox_command *command, struct omega_sandbox_policy *policy)
{
	(void)command;
	(void)policy;
	tool_error("what is refused can be told on Linux only");
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
