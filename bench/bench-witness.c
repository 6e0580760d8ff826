/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * bench-witness.c - what the witness costs: starting /bin/true and waiting for
 * it, by posix_spawn, protected by the stack this host has, and the same with
 * every child trying its sandbox first; with the default policy, and with a
 * long list of blocked paths.
 */

#include "config.h"

#include <sys/wait.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <limits.h>

#include <omega/sandbox.h>

#include "bench.h"
#include "tree.h"

#define PROGRAM "/bin/true"
#define MANY 1000 /* blocked paths */

enum row { DEFAULT, LISTED, ROWS };
enum column { PLAIN, OFF, ON, COLUMNS };

static const char *const row_names[ROWS] = {
    "default policy", "1,000 blocked paths"};
static const char *const column_names[COLUMNS] = {
    "posix_spawn", "protected", "witnessed"};
static const char *const ratio_names[] = {"prot./spawn", "witn./prot."};

extern char **environ;

static char top[PATH_MAX];
static double times[ROWS][COLUMNS];
static double ratios[ROWS][2];

static void
plain(const void *arg)
{
	static char name[] = "true";
	static char *argv[] = {name, NULL};
	int status;
	pid_t pid;

	(void)arg;
	if (posix_spawn(&pid, PROGRAM, NULL, NULL, argv, environ) != 0 ||
	    waitpid(pid, &status, 0) != pid || status != 0)
		tree_fail("posix_spawn");
}

static void
start(const void *arg)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_command *const *command = arg;

	if (omega_sandbox_run(*command, &end, &error) < 0 || end.status != 0)
		tree_refuse(error.text);
}

/* A thousand files that may not be touched. */
static int
block_many(
    struct omega_sandbox_policy *policy, struct omega_sandbox_error *error)
{
	char name[32];
	char path[PATH_MAX];
	int ret = 0;
	int i;

	for (i = 0; ret == 0 && i < MANY; i++) {
		snprintf(name, sizeof(name), "blocked-%d", i);
		tree_join(path, top, name);
		tree_make_file(path);
		ret = omega_sandbox_policy_set(
		    policy, "blocked_paths", path, error);
	}
	return ret;
}

static struct omega_sandbox_command *
make_command(struct omega_sandbox *sandbox, enum row row, bool is_on)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_policy *policy = NULL;
	struct omega_sandbox_prepared *prepared = NULL;
	struct omega_sandbox_command *command = NULL;
	char dir[PATH_MAX];

	tree_join(dir, top, "omega");
	if (omega_sandbox_policy_new(sandbox, NULL, &policy, &error) < 0 ||
	    omega_sandbox_policy_set(policy, "data_dir", dir, &error) < 0 ||
	    omega_sandbox_policy_set(
		policy, "witness", is_on ? "true" : "false", &error) < 0 ||
	    (row == LISTED && block_many(policy, &error) < 0) ||
	    omega_sandbox_prepare(policy, &prepared, &error) < 0 ||
	    omega_sandbox_command_new(prepared, PROGRAM, &command, &error) < 0)
		tree_refuse(error.text);
	omega_sandbox_policy_unref(policy);
	omega_sandbox_prepared_unref(prepared);
	return command;
}

/* An empty configuration, and a data directory with everything in it. */
static struct omega_sandbox *
make_sandbox(void)
{
	static const char *const dirs[] = {
	    "omega", "omega/data", "omega/workspace"};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox *sandbox = NULL;
	char path[PATH_MAX];
	size_t i;

	if (!tree_make(tree_default(), top))
		tree_fail(tree_default());
	for (i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		tree_join(path, top, dirs[i]);
		tree_make_dir(path);
	}
	tree_join(path, top, "omega/data/memory.db");
	tree_make_file(path);
	tree_join(path, top, "omega/config.toml");
	tree_make_file(path);
	tree_join(path, top, "sandbox.conf");
	tree_make_file(path);
	if (truncate(path, 0) != 0)
		tree_fail(path);
	if (omega_sandbox_open(path, NULL, NULL, &sandbox, &error) < 0)
		tree_refuse(error.text);
	return sandbox;
}

static void
print(const struct bench_options *options)
{
	const struct bench_table tables[] = {
	    {"start and end of " PROGRAM " (ns)", row_names, ROWS, column_names,
		COLUMNS, &times[0][0], 0},
	    {"ratios", row_names, ROWS, ratio_names, 2, &ratios[0][0], 2},
	};
	const struct bench_report report = {
	    .name = "witness", .tables = tables, .table_count = 2};

	bench_print(&report, options);
}

int
main(int argc, char **argv)
{
	struct bench_options options = {.rounds = 301, .sample_us = 1000};
	struct omega_sandbox_command *commands[ROWS][COLUMNS];
	struct bench_variant variants[ROWS * COLUMNS];
	struct omega_sandbox *sandbox;
	size_t row;
	size_t column;
	size_t at = 0;

	bench_parse("bench-witness: what a look at the sandbox costs", argc,
	    argv, &options);
	sandbox = make_sandbox();
	for (row = 0; row < ROWS; row++)
		for (column = 0; column < COLUMNS; column++) {
			commands[row][column] =
			    column == PLAIN ? NULL
					    : make_command(sandbox,
						  (enum row)row, column == ON);
			variants[at++] = (struct bench_variant){
			    .call = column == PLAIN ? plain : start,
			    .arg = &commands[row][column]};
		}
	if (bench_run(&options, variants, at) < 0)
		tree_refuse("out of memory");
	for (at = 0, row = 0; row < ROWS; row++) {
		for (column = 0; column < COLUMNS; column++) {
			times[row][column] = variants[at++].median;
			omega_sandbox_command_unref(commands[row][column]);
		}
		ratios[row][0] = times[row][OFF] / times[row][PLAIN];
		ratios[row][1] = times[row][ON] / times[row][OFF];
	}
	print(&options);
	omega_sandbox_unref(sandbox);
	return 0;
}
