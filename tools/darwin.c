/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * darwin.c - what is done in another way on macOS: signals to a command (see
 * run.h), and verify, whose attacks are made of Linux's own system calls: it
 * claims nothing.
 */

#include "config.h"

#include <poll.h>

#include "run.h"
#include "tool.h"

/* The descriptor is readable once the command has ended; until then its number
 * is its own. */
void
send_signal(int fd, pid_t pid, int signal)
{
	struct pollfd set = {.fd = fd, .events = POLLIN};

	if (poll(&set, 1, 0) == 0)
		kill(pid, signal);
}

bool
send_is_by_process(const siginfo_t *info, pid_t but)
{
	return info->si_pid > 0 && info->si_pid != but;
}

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
