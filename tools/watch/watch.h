/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * watch.h - a command looked at while it runs: which files and addresses it
 * names, for run --why and learn.
 *
 * It is a look and no boundary: every call goes on with the command's own
 * rights, whatever was seen, and between the look and the call the name may
 * become another. Two processes stand beside the tool. The watcher is told of
 * each call, looks, and has it go on. The keeper only has calls go on that the
 * watcher leaves: when it is late, stopped or dead, and for what the command
 * leaves running. So nothing hangs for long, and nothing fails for being
 * watched.
 */

#ifndef OMEGA_TOOL_WATCH_H
#define OMEGA_TOOL_WATCH_H

#include <sys/types.h>
#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include <omega/sandbox.h>

struct sockaddr_storage;
struct tool_call;

/* What a call is about to do. */
struct watch_act {
	pid_t pid; /* whose call */
	unsigned access; /* READ, WRITE, EXECUTE; 0: connect, send */
	bool is_name; /* the entry of a directory, not what it leads to */
	bool is_new; /* it is made where it is absent */
	bool is_made; /* it must be absent */
	bool is_dir; /* what is made is a directory */
	bool is_look; /* at what it is, not at its content */
	char path[4096]; /* absolute as the command sees it, or "": */
	const struct sockaddr_storage *address; /* NULL with a path */
};

/* Who looks. Both functions are called in the watcher. */
struct watch_look {
	void (*note)(void *arg, const struct watch_act *act);
	json_t *(*sum)(void *arg); /* what comes of it; NULL: nothing */
	void *arg;
};

/* Watch what is started as this command. 0 or a code. One at a time. */
int watch_begin(struct omega_sandbox_command *command,
    const struct watch_look *look, struct omega_sandbox_error *error);

/* The command has ended, or was never started: the sum, or NULL. */
json_t *watch_end(void);

/* A descriptor (O_PATH) of the root that the command has, or -1. In the
 * watcher. */
int watch_root(void);

/*
 * ---- acts.c: from the arguments of a call to what it is about to do.
 */

struct seccomp_data;

/* Up to two acts; how many. -1: the memory of the process cannot be read. */
int acts_read(pid_t pid, const struct seccomp_data *call,
    struct watch_act acts[2], struct sockaddr_storage *address);

/*
 * ---- why.c: what was refused, by which rule, and what would allow it.
 */

/* Begin to look for what is refused under the call's policy. 0 or a code. */
int why_begin(struct omega_sandbox_command *command,
    const struct tool_call *call, struct omega_sandbox_error *error);

/* The end: a list of what was refused, as JSON; NULL: it is not known. */
json_t *why_end(void);

/* Print the list for people, on standard error. */
void why_print(const json_t *list);

/* An address as people write it. False: it is of this machine. */
bool why_print_address(
    const struct sockaddr_storage *address, char *text, size_t size);

#endif
