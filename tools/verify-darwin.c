/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * verify-darwin.c - omega-sandbox verify, where there are no attacks to try:
 * those of tools/verify/ are made of Linux's own system calls. It claims
 * nothing.
 */

#include "config.h"

#include "tool.h"

static int
verify(struct tool_call *call)
{
	(void)call;
	return tool_error("verify: its attacks are made for Linux; nothing "
			  "was tried on this macOS, and nothing is claimed. "
			  "See describe for what the backend says");
}

/* Whatever is asked of it: it takes no options. */
const struct tool_verb tool_verify = {
    .name = "verify",
    .summary = "is it so? attack every guarantee",
    .run = verify,
};

int
tool_verify_attempt(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return verify(NULL);
}
