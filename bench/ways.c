/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * ways.c - see ways.h.
 */

#include "config.h"

#include "ways.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <omega/sandbox.h>

#include "child/end.h"
#include "launch/command.h"
#include "launch/launch.h"
#include "run/spawn.h"
#include "tree.h"

#define PROGRAM "/bin/true"
#define BWRAP "/usr/bin/bwrap"
#define READER "/bin/cat"

extern char **environ;

const char *const ways_names[WAY_COUNT] = {"posix_spawn",
    "start, nothing to do", "the same, own memory", "namespace + landlock",
    "the same + seccomp", "bubblewrap"};

static const char *const backends[WAY_COUNT] = {
    [WAY_LANDLOCK] = "namespace,landlock",
    [WAY_SECCOMP] = "namespace,landlock,seccomp"};

/* What the default policy keeps from being changed, for bubblewrap. */
static const char *const kept[] = {"/usr/bin", "/usr/sbin", "/usr/lib",
    "/usr/libexec", "/etc", "/boot", "/sys", NULL};

static char secret[PATH_MAX];
static struct omega_launch *launches[WAY_COUNT];
static struct omega_command bare;
static struct omega_sandbox_prepared *prepared[WAY_COUNT];
static struct omega_sandbox_command *commands[WAY_COUNT];
static char bwrap_texts[32][PATH_MAX];
static char *bwrap_argv[34];
static int bwrap_count;

static void
add_word(const char *word)
{
	if (bwrap_count == 32)
		tree_refuse("too many words for bubblewrap");
	snprintf(bwrap_texts[bwrap_count], PATH_MAX, "%s", word);
	bwrap_argv[bwrap_count] = bwrap_texts[bwrap_count];
	bwrap_count++;
}

static void
add_bind(const char *how, const char *from, const char *to)
{
	add_word(how);
	add_word(from);
	add_word(to);
}

/* The directory pinned, data and config.toml masked, the system kept. */
static void
make_bwrap(const char *dir)
{
	char data[PATH_MAX];
	char config[PATH_MAX];
	char empty[PATH_MAX];
	int i;

	tree_join(data, dir, "omega/data");
	tree_join(config, dir, "omega/config.toml");
	tree_join(empty, dir, "empty");
	bwrap_count = 0;
	add_word(BWRAP);
	add_bind("--bind", "/", "/");
	for (i = 0; kept[i] != NULL; i++)
		if (access(kept[i], F_OK) == 0)
			add_bind("--ro-bind", kept[i], kept[i]);
	add_word("--tmpfs");
	add_word(data);
	add_bind("--ro-bind", empty, config);
	add_word("--");
}

void
ways_make_data(const char *dir)
{
	static const char accept[] =
	    "accept = {metadata, outside_signals, abstract_sockets, "
	    "outside_sockets, aliases, replaced_files, absent_paths, execute, "
	    "launcher_sockets, terminal, keyring}\n";
	char path[PATH_MAX];
	FILE *file;

	tree_join(path, dir, "omega");
	tree_make_dir(path);
	tree_append(path, "data");
	tree_make_dir(path);
	tree_append(path, "memory.db");
	tree_make_file(path);
	tree_join(path, dir, "omega/config.toml");
	tree_make_file(path);
	tree_join(path, dir, "empty");
	tree_make_file(path);
	if (chmod(path, 0) != 0)
		tree_fail(path);
	/* Without seccomp the two last are not held. */
	tree_join(path, dir, "sandbox.conf");
	file = fopen(path, "w");
	if (file == NULL || fputs(accept, file) < 0 || fclose(file) != 0)
		tree_fail(path);
}

static void
prepare_stack(enum way way, struct omega_sandbox *sandbox, const char *dir)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_policy *policy = NULL;
	char data_dir[PATH_MAX];

	tree_join(data_dir, dir, "omega");
	if (omega_sandbox_policy_new(sandbox, NULL, &policy, &error) < 0 ||
	    omega_sandbox_policy_set(policy, "data_dir", data_dir, &error) <
		0 ||
	    omega_sandbox_policy_set(policy, "backend", backends[way], &error) <
		0 ||
	    omega_sandbox_prepare(policy, &prepared[way], &error) < 0 ||
	    omega_sandbox_command_new(
		prepared[way], PROGRAM, &commands[way], &error) < 0)
		fprintf(stderr, "%s: not measured: %s\n", ways_names[way],
		    error.text);
	omega_sandbox_policy_unref(policy);
}

void
ways_prepare(const char *dir)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox *sandbox = NULL;
	char path[PATH_MAX];
	int way;

	tree_join(secret, dir, "omega/data/memory.db");
	launches[WAY_BARE] = omega_launch_new();
	launches[WAY_OWN_MEMORY] = omega_launch_new();
	if (launches[WAY_BARE] == NULL || launches[WAY_OWN_MEMORY] == NULL ||
	    omega_command_init(&bare, PROGRAM, NULL) != 0)
		tree_refuse("out of memory");
	launches[WAY_OWN_MEMORY]->flags = OMEGA_SANDBOX_LAUNCH_SHARES;
	tree_join(path, dir, "sandbox.conf");
	if (omega_sandbox_open(path, NULL, NULL, &sandbox, &error) < 0)
		tree_refuse(error.text);
	for (way = 0; way < WAY_COUNT; way++)
		if (backends[way] != NULL)
			prepare_stack((enum way)way, sandbox, dir);
	omega_sandbox_unref(sandbox);
	if (access(BWRAP, X_OK) == 0)
		make_bwrap(dir);
	else
		fprintf(stderr, "bubblewrap: not measured: no " BWRAP "\n");
}

bool
ways_is_usable(enum way way)
{
	if (backends[way] != NULL)
		return commands[way] != NULL;
	return way != WAY_BWRAP || bwrap_count > 0;
}

/* The status, or -1; actions may be NULL. */
static int
spawn_plainly(char *const *argv, const posix_spawn_file_actions_t *actions)
{
	int status;
	pid_t pid;

	if (posix_spawn(&pid, argv[0], actions, NULL, argv, environ) != 0 ||
	    waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

static int
spawn_bwrap(const char *program, const char *arg,
    const posix_spawn_file_actions_t *actions)
{
	char name[PATH_MAX];
	char text[PATH_MAX];

	snprintf(name, sizeof(name), "%s", program);
	bwrap_argv[bwrap_count] = name;
	bwrap_argv[bwrap_count + 1] = NULL;
	if (arg != NULL) {
		snprintf(text, sizeof(text), "%s", arg);
		bwrap_argv[bwrap_count + 1] = text;
	}
	return spawn_plainly(bwrap_argv, actions);
}

static int
spawn_bare(enum way way)
{
	struct omega_spawned spawned;
	struct omega_end end = {-1, 0, false};

	if (omega_spawn(launches[way], &bare, &spawned, NULL) != 0)
		return -1;
	while (omega_end_ask(spawned.pidfd, spawned.pid, &end) == 0)
		omega_end_wait(spawned.pidfd, -1);
	close(spawned.pidfd);
	return end.status;
}

static int
spawn_protected(struct omega_sandbox_command *command)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;

	if (omega_sandbox_run(command, &end, &error) < 0) {
		fprintf(stderr, "%s\n", error.text);
		return -1;
	}
	return end.status;
}

void
ways_run(enum way way)
{
	static char name[] = PROGRAM;
	static char *argv[] = {name, NULL};
	int status;

	if (way == WAY_POSIX_SPAWN)
		status = spawn_plainly(argv, NULL);
	else if (way == WAY_BWRAP)
		status = spawn_bwrap(PROGRAM, NULL, NULL);
	else if (backends[way] != NULL)
		status = spawn_protected(commands[way]);
	else
		status = spawn_bare(way);
	if (status != 0)
		tree_refuse(ways_names[way]);
}

/* Without the words of a program that is refused. */
static int
try_plainly(enum way way)
{
	static char name[] = READER;
	posix_spawn_file_actions_t actions;
	char *argv[] = {name, secret, NULL};
	int status;

	if (posix_spawn_file_actions_init(&actions) != 0 ||
	    posix_spawn_file_actions_addopen(
		&actions, 2, "/dev/null", O_WRONLY, 0) != 0)
		tree_refuse("out of memory");
	if (way == WAY_BWRAP)
		status = spawn_bwrap(READER, secret, &actions);
	else
		status = spawn_plainly(argv, &actions);
	posix_spawn_file_actions_destroy(&actions);
	return status;
}

static int
try_protected(enum way way)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_command *command = NULL;
	int status;

	if (omega_sandbox_command_new(prepared[way], READER, &command, &error) <
		0 ||
	    omega_sandbox_command_add_arg(command, secret, NULL) < 0 ||
	    omega_sandbox_command_set_stdio(
		command, 2, OMEGA_SANDBOX_STDIO_NULL, -1, NULL) < 0)
		tree_refuse(error.text);
	status = spawn_protected(command);
	omega_sandbox_command_unref(command);
	return status;
}

void
ways_check(enum way way)
{
	bool is_protecting = backends[way] != NULL || way == WAY_BWRAP;
	int status;

	if (way == WAY_BARE || way == WAY_OWN_MEMORY || !ways_is_usable(way))
		return;
	status = backends[way] != NULL ? try_protected(way) : try_plainly(way);
	if ((status == 0) == is_protecting)
		tree_refuse(is_protecting ? "the data is not protected"
					  : "the data cannot be read");
}
