/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * setup.c - see setup.h.
 */

#include "config.h"

#include "run/setup.h"

#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/error.h"
#include "child/calls.h"
#include "child/witness.h"
#include "launch/screen.h"

extern char **environ;

/* PREFIX... PROGRAM ARG..., or just the arguments as they are. */
static int
make_argv(struct omega_setup *setup, const struct omega_command *command)
{
	const struct omega_launch *launch = setup->launch;
	char **argv;
	size_t i;

	setup->inner.program = command->program;
	setup->inner.argv = command->args;
	if (launch->word_count == 0 || setup->inner.self != NULL)
		return 0;
	argv =
	    calloc(launch->word_count + command->arg_count + 1, sizeof(*argv));
	if (argv == NULL)
		return -ENOMEM;
	setup->argv = argv;
	for (i = 0; i < launch->word_count; i++)
		*argv++ = launch->words[i];
	/* The file that was found: no second search inside. */
	*argv++ = command->program;
	for (i = 1; i < command->arg_count; i++)
		*argv++ = command->args[i];
	setup->inner.program = launch->words[0];
	setup->inner.argv = setup->argv;
	return 0;
}

static bool
is_variable(const char *text, const char *name)
{
	size_t len = strlen(name);

	return strncmp(text, name, len) == 0 && text[len] == '=';
}

static bool
is_changed(const struct omega_launch *launch, const char *text)
{
	size_t i;

	for (i = 0; i < launch->env_count; i++)
		if (is_variable(text, launch->env[i].name))
			return true;
	return false;
}

/* NAME=VALUE, kept until the start is over. */
static char *
make_variable(struct omega_setup *setup, const struct omega_launch_env *env)
{
	size_t size = strlen(env->name) + strlen(env->value) + 2;
	char *text = malloc(size);

	if (text == NULL)
		return NULL;
	snprintf(text, size, "%s=%s", env->name, env->value);
	setup->env_texts[setup->env_text_count++] = text;
	return text;
}

/* The environment less what the backends change, and then their values. The
 * host's own is never touched. */
static int
make_env(struct omega_setup *setup, const struct omega_command *command)
{
	const struct omega_launch *launch = setup->launch;
	char *const *base = command->env != NULL ? command->env : environ;
	size_t count = 0;
	size_t used = 0;
	size_t i;

	if (launch->screen != NULL) {
		if (omega_env_filter(
			&launch->screen->env, base, &setup->screened) < 0)
			return -ENOMEM;
		base = setup->screened;
	}
	setup->inner.env = base;
	if (launch->env_count == 0 && base != NULL)
		return 0;
	while (base != NULL && base[count] != NULL)
		count++;
	setup->env = calloc(count + launch->env_count + 1, sizeof(*setup->env));
	setup->env_texts =
	    calloc(launch->env_count + 1, sizeof(*setup->env_texts));
	if (setup->env == NULL || setup->env_texts == NULL)
		return -ENOMEM;
	setup->inner.env = setup->env;
	for (i = 0; i < count; i++)
		if (!is_changed(launch, base[i]))
			setup->env[used++] = base[i];
	for (i = 0; i < launch->env_count; i++) {
		if (launch->env[i].value == NULL)
			continue;
		setup->env[used] = make_variable(setup, &launch->env[i]);
		if (setup->env[used++] == NULL)
			return -ENOMEM;
	}
	return 0;
}

/* The directory's name, absolute: after a namespace was joined the current
 * one is somewhere else. */
static int
make_dir(struct omega_setup *setup, const char *dir)
{
	char here[PATH_MAX];
	size_t size;

	if (dir != NULL && dir[0] == '/') {
		setup->inner.dir = dir;
		return 0;
	}
	if (getcwd(here, sizeof(here)) == NULL)
		return errno == ERANGE ? -ENAMETOOLONG : -errno;
	size = strlen(here) + (dir == NULL ? 0 : strlen(dir)) + 2;
	setup->dir = malloc(size);
	if (setup->dir == NULL)
		return -ENOMEM;
	snprintf(setup->dir, size, "%s%s%s", here, dir == NULL ? "" : "/",
	    dir == NULL ? "" : dir);
	setup->inner.dir = setup->dir;
	return 0;
}

static void
leave(struct omega_setup *setup)
{
	snprintf(setup->left, sizeof(setup->left), "%s", setup->inner.dir);
	setup->inner.dir = "/";
}

/*
 * A directory that is hidden from the program. The child could not tell: it
 * may still have the capabilities to enter an empty mask.
 */
static void
leave_hidden(struct omega_setup *setup, bool is_canonical)
{
	const struct omega_hidden *hidden = &setup->launch->hidden;
	char *real = NULL;

	if (!is_canonical)
		real = omega_hidden_find(hidden, setup->inner.dir);
	if (is_canonical ? omega_inner_covers(
			       hidden->paths, hidden->count, setup->inner.dir)
			 : real != NULL)
		leave(setup);
	free(real);
}

bool
omega_setup_leave_dir(struct omega_setup *setup, int child_errno)
{
	struct stat st;

	/* Covered by a mask; left out of a shield. */
	if (child_errno != EACCES && child_errno != ENOENT)
		return false;
	if (stat(setup->inner.dir, &st) != 0 || !S_ISDIR(st.st_mode) ||
	    faccessat(AT_FDCWD, setup->inner.dir, X_OK, AT_EACCESS) != 0)
		return false;
	leave(setup);
	return true;
}

static bool
is_terminal(const struct omega_command *command, int which)
{
	const struct omega_command_stdio *stdio = &command->stdio[which];

	return (stdio->how == OMEGA_SANDBOX_STDIO_INHERIT && isatty(which)) ||
	       (stdio->how == OMEGA_SANDBOX_STDIO_FD && isatty(stdio->fd));
}

/* Which session the command is to have. 0, or a code. */
static int
make_session(struct omega_setup *setup, const struct omega_command *command,
    struct omega_sandbox_error *error)
{
	struct omega_inner *inner = &setup->inner;
	pid_t self = getpid();
	int i;

	inner->session = setup->launch->session;
	if (inner->session == OMEGA_SANDBOX_SESSION_KEEP)
		return 0;
	if (command->has_terminal) {
		if (getsid(0) != self || tcgetsid(command->terminal) != self)
			return omega_error_set(error, OMEGA_SANDBOX_E_STATE,
			    EPERM,
			    "descriptor %d is no terminal of a session that "
			    "this process leads",
			    command->terminal);
		inner->session = OMEGA_SANDBOX_SESSION_PTY;
		inner->terminal = command->terminal;
		inner->is_front = command->is_in_front;
		return 0;
	}
	for (i = 0; i < 3; i++)
		if (inner->session == OMEGA_SANDBOX_SESSION_PTY &&
		    is_terminal(command, i))
			return omega_error_set(error, OMEGA_SANDBOX_E_STATE,
			    ENOTTY,
			    "descriptor %d is a terminal of the caller's, "
			    "which session = pty keeps from commands: put a "
			    "pty between",
			    i);
	inner->session = OMEGA_SANDBOX_SESSION_NEW;
	return 0;
}

static int
make_command(struct omega_setup *setup, const struct omega_command *command,
    struct omega_sandbox_error *error)
{
	if (make_argv(setup, command) < 0 || make_env(setup, command) < 0)
		return omega_error_memory(error);
	setup->inner.has_close_range = omega_calls_has_close_range();
	setup->inner.to_ignore = command->ignored;
	setup->inner.to_block = command->blocked;
	return omega_fds_make(&setup->fds, setup->launch, command,
	    setup->argv != NULL, &setup->inner.watch, error);
}

int
omega_setup_make(struct omega_setup *setup, const struct omega_launch *launch,
    const struct omega_command *command, bool is_child,
    struct omega_sandbox_error *error)
{
	int ret;

	*setup = (struct omega_setup){.launch = launch,
	    .fds = {.ours = {-1, -1, -1}},
	    .inner = {.steps = launch->steps,
		.step_count = launch->step_count,
		.witness = launch->witness,
		.closed = launch->closed.paths,
		.closed_count = launch->closed.count,
		.hidden = launch->hidden.paths,
		.hidden_count = launch->hidden.count,
		.is_made_later = launch->word_count != 0,
		.is_listed = launch->is_listed,
		.program_fd = -1,
		.watch = -1,
		.is_child = is_child,
		.report = -1}};
	if (!is_child && launch->self.step != NULL)
		setup->inner.self = &launch->self;
	if (launch->witness != NULL)
		setup->inner.turn = atomic_fetch_add_explicit(
		    &launch->witness->turn, 1, memory_order_relaxed);
	ret = make_dir(setup, command == NULL ? NULL : command->dir);
	if (ret == -ENOMEM)
		return omega_error_memory(error);
	if (ret < 0)
		return omega_error_set(error, OMEGA_SANDBOX_E_SYSTEM, -ret,
		    "the working directory has no name, or was removed: %s; go "
		    "to another",
		    strerror(-ret));
	if (command != NULL && launch->screen != NULL &&
	    !command->is_unchecked) {
		ret = omega_screen_check(
		    launch->screen, command, setup->inner.dir, error);
		if (ret < 0) {
			omega_setup_drop(setup);
			return ret;
		}
	}
	leave_hidden(setup, command == NULL || command->dir == NULL);
	if (command == NULL)
		return OMEGA_SANDBOX_OK;
	ret = make_session(setup, command, error);
	if (ret == 0)
		ret = make_command(setup, command, error);
	if (ret < 0)
		omega_setup_drop(setup);
	setup->inner.fds = setup->fds.list;
	setup->inner.fd_count = setup->fds.count;
	return ret;
}

void
omega_setup_drop(struct omega_setup *setup)
{
	size_t i;

	omega_fds_drop(&setup->fds);
	for (i = 0; i < setup->env_text_count; i++)
		free(setup->env_texts[i]);
	free(setup->env_texts);
	free(setup->env);
	free(setup->screened);
	free(setup->argv);
	free(setup->wrapped);
	free(setup->dir);
	*setup = (struct omega_setup){.fds = {.ours = {-1, -1, -1}}};
}
