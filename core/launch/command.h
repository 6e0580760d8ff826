/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * command.h - a command as data: what to execute, with what, where.
 *
 * Knows nothing of policies; spawn.h starts it under a launch.
 */

#ifndef OMEGA_LAUNCH_COMMAND_H
#define OMEGA_LAUNCH_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <omega/sandbox.h>

struct omega_command_stdio {
	enum omega_sandbox_stdio how;
	int fd;
	bool is_set; /* by the host, else how is what is usual */
};

struct omega_command_fd {
	int fd;
	int child_fd;
};

struct omega_command {
	char *program; /* absolute, or relative with a slash: what runs */
	char **args; /* argv, args[0] as given, NULL-terminated */
	size_t arg_count;
	char **env; /* NULL: inherit */
	char *dir; /* NULL: the caller's */
	struct omega_command_stdio stdio[3];
	struct omega_command_fd *fds;
	size_t fd_count;
	char *context; /* the host's own words about it; NULL: none */
	uint64_t ignored; /* signals; bit N - 1 is N */
	uint64_t blocked; /* the same */
	int terminal; /* of a session made for it, which the caller leads, */
	bool has_terminal; /* if there is one; */
	bool is_in_front; /* of it */
	uint64_t watch; /* the socket for the listener of its calls, or 0 */
	bool is_unchecked; /* program and arguments pass unseen */
};

/*
 * Look the program up (PATH when it has no slash; an empty PATH entry is the
 * current directory as exec has it, but entries that are not absolute are
 * passed over: the child could plant a program there). Returns 0 or
 * OMEGA_SANDBOX_E_NOT_FOUND, _E_NOT_EXECUTABLE, _E_MEMORY, _E_ARGUMENT.
 */
int omega_command_init(struct omega_command *command, const char *program,
    struct omega_sandbox_error *error);
void omega_command_drop(struct omega_command *command);

int omega_command_add_arg(struct omega_command *command, const char *arg);
int omega_command_set_env(
    struct omega_command *command, const char *const *env);
int omega_command_set_dir(struct omega_command *command, const char *dir);
int omega_command_set_context(
    struct omega_command *command, const char *context);
int omega_command_set_stdio(struct omega_command *command, int which,
    enum omega_sandbox_stdio how, int fd);
int omega_command_pass_fd(struct omega_command *command, int fd, int child_fd);

#endif
