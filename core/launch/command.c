/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * command.c - finding the program, and keeping what is to go with it. See
 * command.h. Descriptors are only noted here; they are looked at when the
 * command is started.
 */

#include "config.h"

#include "launch/command.h"

#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

/* What execvp(3) takes when there is no PATH, less the current directory. */
#define DEFAULT_PATH "/bin:/usr/bin"

/* May this file be executed, as far as can be told without doing it? 0 with
 * *found set, or a negative errno; -ENOENT and -ENOTDIR mean that it is not
 * there. */
static int
try_file(const char *path, char **found)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) ? -EISDIR : -EACCES;
	if (faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) != 0)
		return -errno;
	*found = strdup(path);
	return *found == NULL ? -ENOMEM : 0;
}

static bool
is_absent(int ret)
{
	return ret == -ENOENT || ret == -ENOTDIR || ret == -ENAMETOOLONG ||
	       ret == -ELOOP;
}

/*
 * Look in one directory of PATH. 0 with *found set, or a negative errno. What
 * is not absolute, the empty entry included, is passed over: whoever can
 * write the current directory could plant a program there.
 */
static int
try_entry(const char *dir, size_t len, const char *name, char **found)
{
	char path[PATH_MAX];
	int ret;

	if (len == 0 || dir[0] != '/')
		return -ENOENT;
	ret = snprintf(path, sizeof(path), "%.*s/%s",
	    len < sizeof(path) ? (int)len : (int)sizeof(path), dir, name);
	if (ret < 0 || (size_t)ret >= sizeof(path))
		return -ENAMETOOLONG;
	return try_file(path, found);
}

/* The first program of that name; a file that cannot be executed is passed
 * over but remembered, as execvp(3) does. */
static int
search(const char *name, char **found)
{
	const char *path = getenv("PATH");
	size_t len;
	int seen = -ENOENT;
	int ret;

	if (path == NULL)
		path = DEFAULT_PATH;
	for (;; path += len + 1) {
		len = strcspn(path, ":");
		ret = try_entry(path, len, name, found);
		if (ret == 0 || ret == -ENOMEM)
			return ret;
		if (!is_absent(ret) && is_absent(seen))
			seen = ret;
		if (path[len] == '\0')
			return seen;
	}
}

/* A program with a slash, as an absolute name: the command may be started
 * later and elsewhere. */
static int
locate(const char *program, char **found)
{
	char path[PATH_MAX];
	size_t len = 0;

	if (program[0] != '/') {
		if (getcwd(path, sizeof(path) - 1) == NULL)
			return errno == ERANGE ? -ENAMETOOLONG : -errno;
		len = strlen(path);
		if (path[len - 1] != '/')
			path[len++] = '/';
	}
	if (strlen(program) >= sizeof(path) - len)
		return -ENAMETOOLONG;
	memcpy(path + len, program, strlen(program) + 1);
	return try_file(path, found);
}

static int
lookup_error(struct omega_sandbox_error *error, const char *program, int ret)
{
	if (ret == -ENOMEM)
		return omega_error_memory(error);
	if (is_absent(ret))
		return omega_error_set(error, OMEGA_SANDBOX_E_NOT_FOUND, -ret,
		    "%s: not found: %s", program, strerror(-ret));
	return omega_error_set(error, OMEGA_SANDBOX_E_NOT_EXECUTABLE, -ret,
	    "%s: cannot be executed%s: %s", program,
	    strchr(program, '/') != NULL
		? ""
		: ", or a directory of PATH cannot be searched for it",
	    strerror(-ret));
}

int
omega_command_init(struct omega_command *command, const char *program,
    struct omega_sandbox_error *error)
{
	int ret;

	*command = (struct omega_command){.program = NULL};
	if (program == NULL || program[0] == '\0')
		return omega_error_set(error, OMEGA_SANDBOX_E_ARGUMENT, EINVAL,
		    "no program was given");
	if (strchr(program, '/') != NULL)
		ret = locate(program, &command->program);
	else
		ret = search(program, &command->program);
	if (ret < 0)
		return lookup_error(error, program, ret);
	ret = omega_command_add_arg(command, program);
	if (ret < 0) {
		omega_command_drop(command);
		return omega_error_memory(error);
	}
	return OMEGA_SANDBOX_OK;
}

static void
free_texts(char **texts)
{
	size_t i;

	for (i = 0; texts != NULL && texts[i] != NULL; i++)
		free(texts[i]);
	free(texts);
}

void
omega_command_drop(struct omega_command *command)
{
	free(command->program);
	free_texts(command->args);
	free_texts(command->env);
	free(command->dir);
	free(command->fds);
	free(command->context);
	*command = (struct omega_command){.program = NULL};
}

int
omega_command_add_arg(struct omega_command *command, const char *arg)
{
	char **args;
	char *copy;

	if (arg == NULL)
		return OMEGA_SANDBOX_E_ARGUMENT;
	copy = strdup(arg);
	if (copy == NULL)
		return OMEGA_SANDBOX_E_MEMORY;
	args = realloc(command->args, (command->arg_count + 2) * sizeof(*args));
	if (args == NULL) {
		free(copy);
		return OMEGA_SANDBOX_E_MEMORY;
	}
	command->args = args;
	args[command->arg_count++] = copy;
	args[command->arg_count] = NULL;
	return OMEGA_SANDBOX_OK;
}

/* A copy of all texts; each must be NAME=VALUE. */
static int
copy_env(const char *const *env, char ***copy)
{
	size_t count;
	size_t i;
	char **texts;

	for (count = 0; env[count] != NULL; count++)
		if (env[count][0] == '=' || strchr(env[count], '=') == NULL)
			return OMEGA_SANDBOX_E_ARGUMENT;
	texts = calloc(count + 1, sizeof(*texts));
	if (texts == NULL)
		return OMEGA_SANDBOX_E_MEMORY;
	for (i = 0; i < count; i++) {
		texts[i] = strdup(env[i]);
		if (texts[i] == NULL) {
			free_texts(texts);
			return OMEGA_SANDBOX_E_MEMORY;
		}
	}
	*copy = texts;
	return OMEGA_SANDBOX_OK;
}

int
omega_command_set_env(struct omega_command *command, const char *const *env)
{
	char **copy = NULL;
	int ret;

	if (env != NULL) {
		ret = copy_env(env, &copy);
		if (ret < 0)
			return ret;
	}
	free_texts(command->env);
	command->env = copy;
	return OMEGA_SANDBOX_OK;
}

/* Put a copy of the text, or NULL, in place of what is there. */
static int
replace(char **place, const char *text)
{
	char *copy = text == NULL ? NULL : strdup(text);

	if (text != NULL && copy == NULL)
		return OMEGA_SANDBOX_E_MEMORY;
	free(*place);
	*place = copy;
	return OMEGA_SANDBOX_OK;
}

int
omega_command_set_dir(struct omega_command *command, const char *dir)
{
	if (dir != NULL && dir[0] == '\0')
		return OMEGA_SANDBOX_E_ARGUMENT;
	return replace(&command->dir, dir);
}

int
omega_command_set_context(struct omega_command *command, const char *context)
{
	return replace(&command->context, context);
}

int
omega_command_set_stdio(struct omega_command *command, int which,
    enum omega_sandbox_stdio how, int fd)
{
	if (which < 0 || which > 2 || (int)how < OMEGA_SANDBOX_STDIO_INHERIT ||
	    (int)how > OMEGA_SANDBOX_STDIO_FD ||
	    (how == OMEGA_SANDBOX_STDIO_FD && fd < 0))
		return OMEGA_SANDBOX_E_ARGUMENT;
	command->stdio[which].is_set = true;
	command->stdio[which].how = how;
	command->stdio[which].fd = how == OMEGA_SANDBOX_STDIO_FD ? fd : -1;
	return OMEGA_SANDBOX_OK;
}

int
omega_command_pass_fd(struct omega_command *command, int fd, int child_fd)
{
	struct omega_command_fd *fds;
	size_t i;

	if (fd < 0 || child_fd < 3)
		return OMEGA_SANDBOX_E_ARGUMENT;
	for (i = 0; i < command->fd_count; i++) {
		if (command->fds[i].child_fd == child_fd) {
			command->fds[i].fd = fd;
			return OMEGA_SANDBOX_OK;
		}
	}
	fds = realloc(command->fds, (command->fd_count + 1) * sizeof(*fds));
	if (fds == NULL)
		return OMEGA_SANDBOX_E_MEMORY;
	command->fds = fds;
	fds[command->fd_count++] =
	    (struct omega_command_fd){.fd = fd, .child_fd = child_fd};
	return OMEGA_SANDBOX_OK;
}
