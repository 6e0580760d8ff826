/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * pty.h - a terminal of the command's own, between it and the caller's.
 *
 * The tool becomes two processes. One stays where it was, in the caller's
 * session, and carries bytes, the size of the window, signals and stops to and
 * fro. The other leads a new session on the pty and goes on with the verb; the
 * command is in that session, and the caller's terminal is nowhere in it.
 */

#ifndef OMEGA_TOOL_PTY_H
#define OMEGA_TOOL_PTY_H

#include <stdbool.h>

enum pty_side {
	PTY_NONE, /* none of 0 to 2 is a terminal: nothing was done */
	PTY_INSIDE, /* this process leads the session; 0 to 2 are the pty */
	PTY_OVER, /* this process has carried until the other ended */
	PTY_FAILED /* errno says why */
};

/* Open a pty, numbers above 2. 0, or -1 with errno. The one place where one
 * comes from. */
int pty_open(int *master, int *slave);

/* Come between. With PTY_OVER *status is how the other ended, as exit has it,
 * 128 + N after a signal. */
enum pty_side pty_come_between(int *status);

/* Of the process inside: its terminal, or -1; and is a command in front there?
 * That changes when somebody puts the tool into the foreground. */
int pty_terminal(void);
bool pty_is_front(void);

/* Inside: tell that a signal has stopped the command. When it is to go on, in
 * front or not, SIGCONT comes. */
void pty_tell_stop(int signal);

#endif
