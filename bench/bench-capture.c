/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * bench-capture.c - what a supervisor costs: a command that is run, and the
 * same captured, from hosts of several sizes. The supervisor is a copy of its
 * host, whose page tables are copied with it.
 */

#include "config.h"

#include <sys/mman.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <omega/sandbox.h>

#include "bench.h"
#include "tree.h"

#define PROGRAM "/bin/true"

enum column { RUN, CAPTURED, COLUMNS };

static const size_t sizes[] = {0, (size_t)256 << 20, (size_t)1 << 30};
static const char *const row_names[] = {
    "small host", "256 MiB resident", "1 GiB resident"};
#define ROWS (sizeof(sizes) / sizeof(sizes[0]))

static const char *const column_names[COLUMNS] = {"run", "captured"};
static const char *const ratio_names[] = {"capt./run", "of small host"};

static char top[PATH_MAX];
static double times[ROWS][COLUMNS];
static double ratios[ROWS][2];

static void
run(const void *arg)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_command *const *command = arg;

	if (omega_sandbox_run(*command, &end, &error) < 0 || end.status != 0)
		tree_refuse(error.text);
}

static void
capture(const void *arg)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_result *result = NULL;
	struct omega_sandbox_command *const *command = arg;

	if (omega_sandbox_capture(*command, &result, &error) < 0)
		tree_refuse(error.text);
	omega_sandbox_result_free(result);
}

static struct omega_sandbox_command *
make_command(void)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox *sandbox = NULL;
	struct omega_sandbox_policy *policy = NULL;
	struct omega_sandbox_prepared *prepared = NULL;
	struct omega_sandbox_command *command = NULL;
	char path[PATH_MAX];
	char dir[PATH_MAX];

	if (!tree_make(tree_default(), top))
		tree_fail(tree_default());
	tree_join(dir, top, "omega");
	tree_make_dir(dir);
	tree_join(path, top, "sandbox.conf");
	tree_make_file(path);
	if (truncate(path, 0) != 0)
		tree_fail(path);
	if (omega_sandbox_open(path, NULL, NULL, &sandbox, &error) < 0 ||
	    omega_sandbox_policy_new(sandbox, NULL, &policy, &error) < 0 ||
	    omega_sandbox_policy_set(policy, "data_dir", dir, &error) < 0 ||
	    omega_sandbox_prepare(policy, &prepared, &error) < 0 ||
	    omega_sandbox_command_new(prepared, PROGRAM, &command, &error) < 0)
		tree_refuse(error.text);
	omega_sandbox_prepared_unref(prepared);
	omega_sandbox_policy_unref(policy);
	omega_sandbox_unref(sandbox);
	return command;
}

/* Small pages: what most of a heap is made of. */
static void
grow(size_t size)
{
	void *place;

	if (size == 0)
		return;
	place = mmap(NULL, size, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (place == MAP_FAILED)
		tree_refuse("out of memory");
	madvise(place, size, MADV_NOHUGEPAGE);
	memset(place, 1, size);
}

int
main(int argc, char **argv)
{
	struct bench_options options = {.rounds = 101, .sample_us = 1000};
	const struct bench_table tables[] = {
	    {"start and end of " PROGRAM " (ns)", row_names, ROWS, column_names,
		COLUMNS, &times[0][0], 0},
	    {"ratios", row_names, ROWS, ratio_names, 2, &ratios[0][0], 2},
	};
	const struct bench_report report = {
	    .name = "capture", .tables = tables, .table_count = 2};
	struct omega_sandbox_command *command;
	size_t row;

	bench_parse(
	    "bench-capture: what a supervisor costs", argc, argv, &options);
	command = make_command();
	for (row = 0; row < ROWS; row++) {
		struct bench_variant variants[COLUMNS] = {
		    {.call = run, .arg = &command},
		    {.call = capture, .arg = &command}};

		/* They cannot take turns: it does not shrink again. */
		grow(sizes[row] - (row > 0 ? sizes[row - 1] : 0));
		if (bench_run(&options, variants, COLUMNS) < 0)
			tree_refuse("out of memory");
		times[row][RUN] = variants[RUN].median;
		times[row][CAPTURED] = variants[CAPTURED].median;
		ratios[row][0] = times[row][CAPTURED] / times[row][RUN];
		ratios[row][1] = times[row][CAPTURED] / times[0][CAPTURED];
	}
	bench_print(&report, &options);
	omega_sandbox_command_unref(command);
	return 0;
}
