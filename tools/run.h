/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * run.h - what run is made of.
 */

#ifndef OMEGA_TOOL_RUN_H
#define OMEGA_TOOL_RUN_H

#include <stdbool.h>
#include <sys/types.h>

#include <jansson.h>
#include <omega/sandbox.h>

struct tool_call;

/* Begins to watch a command that is about to be run. 0 or a code. */
typedef int run_begin_fn(struct omega_sandbox_command *command,
    const struct tool_call *call, struct omega_sandbox_error *error);

/* Run the command of a call under its policy; begin may be NULL. Its exit. */
int run_watched(struct tool_call *call, run_begin_fn *begin);

/* The names of variables that are not passed on, as a list. */
json_t *run_removed(const struct omega_sandbox_report *report);

/*
 * ---- left.c: what a command leaves in the work directory that git outside
 * would run or obey, and that no policy can hold: a rebase or bisection under
 * way, and new repositories.
 */

struct left;

/* Look at what there is. NULL: out of memory, or there is no such directory. */
struct left *left_look(const char *work_dir);

/* Look again, say what is new, free what was. NULL is fine. */
void left_tell(struct left *before);

/*
 * ---- hold.c: names that are absent in an agent's work directory, and that
 * its profile lets nobody make, stay absent: for the time of the command they
 * are empty directories, which are held like whatever exists.
 */

/* Before the policy is prepared. */
void hold_begin(struct omega_sandbox_policy *policy, const char *agent);

/* When it is, and once more, with NULL, when a command was started: who was
 * prepared for may have changed in between. */
void hold_watch(struct omega_sandbox_prepared *prepared);

/* When nothing prepared is left: say what was made all the same. */
void hold_end(void);

/* How many names of a report are absent now and would be held so. */
size_t hold_look(const struct omega_sandbox_report *report, const char *agent);

/*
 * ---- pty.c: a terminal of the command's own, between it and the caller's.
 *
 * The tool becomes two processes. One stays where it was, in the caller's
 * session, and carries bytes, the size of the window, signals and stops to and
 * fro. The other leads a new session on the pty and goes on with the verb; the
 * command is in that session, and the caller's terminal is nowhere in it.
 */

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

/* After PTY_OVER: has the command written what is written of a file that cannot
 * be changed? In words of our own language only. */
bool pty_saw_refusal(void);

/* Of the process inside: its terminal, or -1; and is a command in front there?
 * That changes when somebody puts the tool into the foreground. */
int pty_terminal(void);
bool pty_is_front(void);

/* The command has ended: what it kept from being written, as Ctrl-S does or a
 * discipline that writes nothing, is written. */
void pty_let_out(void);
/* Inside: tell that a signal has stopped the command. When it is to go on, in
 * front or not, SIGCONT comes. */
void pty_tell_stop(int signal);

/*
 * ---- stand-in.c: the tool between its caller and the command it runs, as if
 * it were the command: signals are passed on, a shell sees it stop when the
 * command stops and makes it go on again, and what the caller ignores or has
 * blocked is ignored and blocked in the command. One command at a time.
 */

/* Before it is run; will it be in our process group? 0 or a code. */
int stand_in_begin(struct omega_sandbox_command *command, bool is_in_group,
    struct omega_sandbox_error *error);

/* Send a signal to the command whose descriptor this is, and to no other
 * process. */
void stand_in_signal(int fd, pid_t pid, int signal);

/* Afterwards: a signal that came for a command that was never started ends the
 * tool instead. */
void stand_in_end(void);

#endif
