/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * bench-many.c - how preparing a policy, and starting a command that has been
 * prepared, grow with the number of blocked paths: files of one directory, and
 * names in a directory that does not exist.
 */

#include "config.h"

#include <limits.h>
#include <stdio.h>

#include <omega/sandbox.h>

#include "bench.h"
#include "tree.h"

#define PROGRAM "/bin/true"

static const struct row {
	const char *name;
	const char *dir;
	int count;
} rows[] = {
    {"1 file", "files", 1},
    {"1,000 files", "files", 1000},
    {"20,000 files", "files", 20000},
    {"1,000 absent", "none", 1000},
    {"20,000 absent", "none", 20000},
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))
enum column { PREPARE, START, COLUMNS };

static const char *row_names[ROWS];
static const char *const column_names[COLUMNS] = {"prepare", "start"};

static char top[PATH_MAX];
static struct omega_sandbox *sandbox;
static double times[ROWS][COLUMNS];
static double ratios[ROWS][COLUMNS];

static struct omega_sandbox_prepared *
make(const struct row *row)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_prepared *prepared = NULL;
	struct omega_sandbox_policy *policy = NULL;
	char path[PATH_MAX];
	char name[64];
	int ret;
	int i;

	tree_join(path, top, "omega");
	ret = omega_sandbox_policy_new(sandbox, NULL, &policy, &error);
	if (ret == 0)
		ret = omega_sandbox_policy_set_data_dir(policy, path, &error);
	for (i = 0; ret == 0 && i < row->count; i++) {
		snprintf(name, sizeof(name), "%s/%d", row->dir, i);
		tree_join(path, top, name);
		ret = omega_sandbox_policy_block(policy, path, &error);
	}
	if (ret == 0)
		ret = omega_sandbox_prepare(policy, &prepared, &error);
	omega_sandbox_policy_unref(policy);
	if (ret < 0)
		tree_refuse(error.text);
	return prepared;
}

static void
prepare(const void *arg)
{
	omega_sandbox_prepared_unref(make(arg));
}

static void
start(const void *arg)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_exit end = OMEGA_SANDBOX_EXIT_INIT;
	struct omega_sandbox_command *const *command = arg;

	if (omega_sandbox_run(*command, &end, &error) < 0 || end.status != 0)
		tree_refuse(error.text);
}

static void
make_tree(void)
{
	static const char *const dirs[] = {
	    "omega", "omega/data", "omega/workspace", "files"};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	char path[PATH_MAX];
	char name[64];
	FILE *file;
	size_t i;

	if (!tree_make(tree_default(), top))
		tree_fail(tree_default());
	for (i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		tree_join(path, top, dirs[i]);
		tree_make_dir(path);
	}
	for (i = 0; i < 20000; i++) {
		snprintf(name, sizeof(name), "files/%zu", i);
		tree_join(path, top, name);
		tree_make_file(path);
	}
	tree_join(path, top, "omega/config.toml");
	tree_make_file(path);
	/* Other programs' sockets cost as much as there are of them. */
	tree_join(path, top, "sandbox.conf");
	file = fopen(path, "w");
	if (file == NULL ||
	    fputs("hide_sockets = none\naccept = {metadata, outside_signals, "
		  "abstract_sockets, late_sockets, aliases, replaced_files, "
		  "absent_paths, execute, listen, limits, launcher_sockets}\n",
		file) < 0 ||
	    fclose(file) != 0)
		tree_fail(path);
	if (omega_sandbox_open(path, NULL, NULL, &sandbox, &error) < 0)
		tree_refuse(error.text);
}

static void
print(const struct bench_options *options)
{
	const struct bench_table tables[] = {
	    {"blocked paths (ns)", row_names, ROWS, column_names, COLUMNS,
		&times[0][0], 0},
	    {"to those of one file", row_names, ROWS, column_names, COLUMNS,
		&ratios[0][0], 1},
	};
	const struct bench_report report = {
	    .name = "many", .tables = tables, .table_count = 2};

	bench_print(&report, options);
}

int
main(int argc, char **argv)
{
	struct bench_options options = {.rounds = 5, .sample_us = 1};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_command *commands[ROWS];
	struct bench_variant variants[ROWS * COLUMNS];
	size_t column;
	size_t i;

	bench_parse(
	    "bench-many: what many blocked paths cost", argc, argv, &options);
	make_tree();
	for (i = 0; i < ROWS; i++) {
		struct omega_sandbox_prepared *prepared = make(&rows[i]);

		row_names[i] = rows[i].name;
		if (omega_sandbox_command_new(
			prepared, PROGRAM, &commands[i], &error) < 0)
			tree_refuse(error.text);
		omega_sandbox_prepared_unref(prepared);
		variants[i * COLUMNS + PREPARE] =
		    (struct bench_variant){.call = prepare, .arg = &rows[i]};
		variants[i * COLUMNS + START] =
		    (struct bench_variant){.call = start, .arg = &commands[i]};
	}
	if (bench_run(&options, variants, ROWS * COLUMNS) < 0)
		tree_refuse("out of memory");
	for (i = 0; i < ROWS; i++) {
		for (column = 0; column < COLUMNS; column++) {
			times[i][column] =
			    variants[i * COLUMNS + column].median;
			ratios[i][column] = times[i][column] / times[0][column];
		}
		omega_sandbox_command_unref(commands[i]);
	}
	print(&options);
	omega_sandbox_unref(sandbox);
	return 0;
}
