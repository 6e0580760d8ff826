/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * bench-path.c - what a path check costs, next to open(2) and realpath(3) of
 * the same path. See README.md for the columns.
 *
 * Builds a small tree under $TMPDIR or /tmp, another under /dev/shm if that is
 * another mount, and removes both. Before anything is timed the answers are
 * checked, so that no figure is good because nothing was done.
 */

#include "config.h"

#include <sys/stat.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <omega/sandbox.h>

#include "bench.h"
#include "tree.h"

#define MANY 1000

enum kind {
	EXISTING,
	MISSING,
	LINKED,		/* through one symbolic link */
	LINKED_MISSING, /* the same, and the last name is missing */
};

enum column {
	OPEN,
	REALPATH,
	TWICE,
	GUARD_READ,
	GUARD_WRITE,
	BLOCK_1,
	BLOCK_MANY,
	PLAIN_READ,
	PLAIN_WRITE,
	PLAIN_CONFIG,
	COLUMNS
};

static const char *const column_names[COLUMNS] = {
    [OPEN] = "open",
    [REALPATH] = "realpth",
    [TWICE] = "twice",
    [GUARD_READ] = "g.read",
    [GUARD_WRITE] = "g.write",
    [BLOCK_1] = "g.1",
    [BLOCK_MANY] = "g.1000",
    [PLAIN_READ] = "read",
    [PLAIN_WRITE] = "write",
    [PLAIN_CONFIG] = "read+c",
};

struct row {
	const char *name;
	unsigned depth; /* components of the path */
	enum kind kind;
	bool is_elsewhere; /* on another mount than the data directory */
};

static const struct row rows[] = {
    {"6 existing", 6, EXISTING, false},
    {"6 missing", 6, MISSING, false},
    {"6 symlink", 6, LINKED, false},
    {"6 symlink, missing", 6, LINKED_MISSING, false},
    {"10 existing", 10, EXISTING, false},
    {"10 missing", 10, MISSING, false},
    {"10 symlink", 10, LINKED, false},
    {"10 symlink, missing", 10, LINKED_MISSING, false},
    {"16 existing", 16, EXISTING, false},
    {"16 missing", 16, MISSING, false},
    {"16 symlink", 16, LINKED, false},
    {"16 symlink, missing", 16, LINKED_MISSING, false},
    {"30 existing", 30, EXISTING, false},
    {"30 missing", 30, MISSING, false},
    {"6 other mount", 6, EXISTING, true},
    {"6 other, missing", 6, MISSING, true},
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

/* What the timed calls are given. */
struct subject {
	char path[PATH_MAX];
	char parent[PATH_MAX];
	bool is_there; /* false: the row is left out */
};

static char base[PATH_MAX];	 /* the tree */
static char elsewhere[PATH_MAX]; /* its twin on another mount, or "" */
static char data_dir[PATH_MAX];
static char config_path[PATH_MAX];
static struct subject subjects[ROWS];
static struct omega_sandbox_guard *guard;
static struct omega_sandbox_guard *guard_1;
static struct omega_sandbox_guard *guard_many;

static void
call_open(const void *arg)
{
	const struct subject *subject = arg;
	int fd = open(subject->path, O_PATH | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
}

static void
call_realpath(const void *arg)
{
	const struct subject *subject = arg;
	char resolved[PATH_MAX];

	if (realpath(subject->path, resolved) == NULL)
		return;
}

/* What a program does that must name a file before it exists. */
static void
call_twice(const void *arg)
{
	const struct subject *subject = arg;
	char resolved[PATH_MAX];

	if (realpath(subject->path, resolved) == NULL &&
	    realpath(subject->parent, resolved) == NULL)
		return;
}

/* The paths measured are free, unless the tree itself stands in a bad place. */
static void
expect_free(bool is_blocked)
{
	if (is_blocked)
		tree_refuse(
		    "a free path is blocked; does TMPDIR lie below /dev?");
}

static void
ask_guard(const struct omega_sandbox_guard *asked, unsigned access,
    const struct subject *subject)
{
	expect_free(
	    omega_sandbox_guard_is_blocked(asked, access, subject->path, NULL));
}

static void
call_guard_read(const void *arg)
{
	ask_guard(guard, OMEGA_SANDBOX_READ, arg);
}

static void
call_guard_write(const void *arg)
{
	ask_guard(guard, OMEGA_SANDBOX_WRITE, arg);
}

static void
call_block_1(const void *arg)
{
	ask_guard(guard_1, OMEGA_SANDBOX_READ, arg);
}

static void
call_block_many(const void *arg)
{
	ask_guard(guard_many, OMEGA_SANDBOX_READ, arg);
}

static void
call_plain_read(const void *arg)
{
	const struct subject *subject = arg;

	expect_free(
	    omega_sandbox_is_read_blocked(subject->path, data_dir, NULL));
}

static void
call_plain_write(const void *arg)
{
	const struct subject *subject = arg;

	expect_free(omega_sandbox_is_write_blocked(subject->path, data_dir));
}

static void
call_plain_config(const void *arg)
{
	const struct subject *subject = arg;

	expect_free(omega_sandbox_is_read_blocked(
	    subject->path, data_dir, config_path));
}

static void (*const column_calls[COLUMNS])(const void *arg) = {
    [OPEN] = call_open,
    [REALPATH] = call_realpath,
    [TWICE] = call_twice,
    [GUARD_READ] = call_guard_read,
    [GUARD_WRITE] = call_guard_write,
    [BLOCK_1] = call_block_1,
    [BLOCK_MANY] = call_block_many,
    [PLAIN_READ] = call_plain_read,
    [PLAIN_WRITE] = call_plain_write,
    [PLAIN_CONFIG] = call_plain_config,
};

/* A path of the wanted depth: base/d/d/.../file, or base/link/d/.../file. */
static void
make_subject(const char *top, const struct row *row, struct subject *subject)
{
	unsigned depth = tree_count_components(top);
	bool is_linked = row->kind == LINKED || row->kind == LINKED_MISSING;

	if (depth + 2 > row->depth)
		tree_refuse("the temporary directory is too deep; set TMPDIR");
	memcpy(subject->path, top, strlen(top) + 1);
	for (; depth + 1 < row->depth; depth++) {
		tree_append(subject->path, is_linked ? "link" : "directory");
		is_linked = false;
		tree_make_dir(subject->path);
	}
	memcpy(subject->parent, subject->path, PATH_MAX);
	if (row->kind == EXISTING || row->kind == LINKED) {
		tree_append(subject->path, "file");
		tree_make_file(subject->path);
	} else {
		tree_append(subject->path, "missing");
	}
	subject->is_there = true;
}

static void
make_trees(void)
{
	struct stat here;
	struct stat there;
	char path[PATH_MAX];
	size_t i;

	if (!tree_make(tree_default(), base))
		tree_fail(tree_default());
	if (stat(base, &here) == 0 && stat("/dev/shm", &there) == 0 &&
	    here.st_dev != there.st_dev && !tree_make("/dev/shm", elsewhere))
		elsewhere[0] = '\0';
	tree_join(path, base, "directory");
	tree_make_dir(path);
	tree_join(path, base, "link");
	tree_make_link("directory", path);
	tree_join(data_dir, base, ".omega");
	tree_make_dir(data_dir);
	tree_join(path, data_dir, "data");
	tree_make_dir(path);
	tree_join(path, data_dir, "config.toml");
	tree_make_file(path);
	tree_join(config_path, base, "agent.toml");
	tree_make_file(config_path);
	for (i = 0; i < ROWS; i++) {
		const char *top = rows[i].is_elsewhere ? elsewhere : base;

		if (top[0] != '\0')
			make_subject(top, &rows[i], &subjects[i]);
	}
}

static struct omega_sandbox_guard *
make_guard(unsigned blocked)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_guard *made = NULL;
	char name[32];
	char path[PATH_MAX];
	unsigned i;

	if (omega_sandbox_guard_new(data_dir, NULL, &made, &error) != 0)
		tree_refuse(error.text);
	for (i = 0; i < blocked; i++) {
		snprintf(name, sizeof(name), "secret-%u", i);
		tree_join(path, base, name);
		if (omega_sandbox_guard_block(made,
			OMEGA_SANDBOX_READ | OMEGA_SANDBOX_WRITE, path, NULL, 0,
			&error) != 0)
			tree_refuse(error.text);
	}
	return made;
}

/* Is everything blocked that should be? What is free is seen when timed. */
static void
check_answers(void)
{
	unsigned both = OMEGA_SANDBOX_READ | OMEGA_SANDBOX_WRITE;
	char secret[PATH_MAX];
	char link[PATH_MAX];
	char path[PATH_MAX];

	tree_join(secret, data_dir, "data");
	tree_join(link, base, "to-data");
	tree_make_link(secret, link);
	tree_join(path, link, "missing");
	if (!omega_sandbox_guard_is_blocked(guard, both, secret, NULL) ||
	    !omega_sandbox_guard_is_blocked(guard, both, path, NULL) ||
	    !omega_sandbox_is_read_blocked(path, data_dir, NULL) ||
	    !omega_sandbox_is_write_blocked(path, data_dir) ||
	    !omega_sandbox_is_read_blocked(config_path, data_dir, config_path))
		tree_refuse(
		    "protected data is not blocked: nothing to measure");
	tree_join(path, base, "secret-999");
	if (!omega_sandbox_guard_is_blocked(guard_many, both, path, NULL))
		tree_refuse(
		    "a blocked path is not blocked: nothing to measure");
}

/* Does the column make sense in the row? */
static bool
is_measured(size_t row, enum column column)
{
	if (!subjects[row].is_there)
		return false;
	if (column == TWICE)
		return rows[row].kind == MISSING ||
		       rows[row].kind == LINKED_MISSING;
	/* /dev/shm is below /dev, where writing is blocked by name. */
	if (column == GUARD_WRITE || column == PLAIN_WRITE)
		return !rows[row].is_elsewhere;
	return true;
}

static double times[ROWS][COLUMNS];
static double of_open[ROWS][COLUMNS];
static double of_realpath[ROWS][COLUMNS];

static void
measure(const struct bench_options *options)
{
	static struct bench_variant variants[ROWS * COLUMNS];
	size_t i;

	for (i = 0; i < ROWS * COLUMNS; i++) {
		enum column column = (enum column)(i % COLUMNS);

		variants[i].arg = &subjects[i / COLUMNS];
		if (is_measured(i / COLUMNS, column))
			variants[i].call = column_calls[column];
	}
	if (bench_run(options, variants, ROWS * COLUMNS) < 0)
		tree_refuse("out of memory");
	for (i = 0; i < ROWS * COLUMNS; i++)
		times[i / COLUMNS][i % COLUMNS] = variants[i].median;
}

static size_t
find_row(unsigned depth, enum kind kind, bool is_elsewhere)
{
	size_t i;

	for (i = 0; i < ROWS; i++)
		if (rows[i].depth == depth && rows[i].kind == kind &&
		    rows[i].is_elsewhere == is_elsewhere)
			return i;
	abort();
}

static void
work_out_ratios(void)
{
	size_t i;
	size_t j;

	for (i = 0; i < ROWS; i++) {
		double open_time = times[find_row(
		    rows[i].depth, EXISTING, rows[i].is_elsewhere)][OPEN];

		for (j = 0; j < COLUMNS; j++) {
			of_open[i][j] = times[i][j] / open_time;
			of_realpath[i][j] = times[i][j] / times[i][REALPATH];
		}
	}
}

/* The larger one of two that may be missing. */
static double
worse(double a, double b)
{
	return isnan(a) || b > a ? b : a;
}

/* The worst of two columns, at one depth, over one kind of path. */
static double
worst_at(double (*ratios)[COLUMNS], unsigned depth, enum kind kind,
    enum column a, enum column b)
{
	size_t row = find_row(depth, kind, false);

	return worse(ratios[row][a], ratios[row][b]);
}

/* The same over the depths 6, 10 and 16. */
static double
worst(double (*ratios)[COLUMNS], enum kind kind, enum column a, enum column b)
{
	return worse(worst_at(ratios, 6, kind, a, b),
	    worse(worst_at(ratios, 10, kind, a, b),
		worst_at(ratios, 16, kind, a, b)));
}

/* Of existing and missing, a path without links. */
static double
worst_plain(unsigned depth, enum column a, enum column b)
{
	return worse(worst_at(of_realpath, depth, EXISTING, a, b),
	    worst_at(of_realpath, depth, MISSING, a, b));
}

/* Many blocked paths instead of one, over all rows. */
static double
growth(void)
{
	double found = NAN;
	size_t i;

	for (i = 0; i < ROWS; i++)
		if (subjects[i].is_there)
			found = worse(
			    found, times[i][BLOCK_MANY] / times[i][BLOCK_1]);
	return found;
}

/* Heap allocations while every kind of check is made once. */
static double
count_heap_calls(void)
{
	unsigned long before = bench_heap_calls();
	size_t i;
	size_t j;

	for (i = 0; i < ROWS; i++)
		for (j = GUARD_READ; j < COLUMNS; j++)
			if (is_measured(i, (enum column)j))
				column_calls[j](&subjects[i]);
	return (double)(bench_heap_calls() - before);
}

static void
report(const struct bench_options *options)
{
	static const char *row_names[ROWS];
	size_t missing_10 = find_row(10, MISSING, false);
	const struct bench_table tables[] = {
	    {"ns per call", row_names, ROWS, column_names, COLUMNS, times[0],
		0},
	    {"ratio to open + close of the existing path without a link",
		row_names, ROWS, column_names, COLUMNS, of_open[0], 2},
	    {"ratio to realpath(3) of the same path", row_names, ROWS,
		column_names, COLUMNS, of_realpath[0], 2},
	};
	const struct bench_goal goals[] = {
	    {"issue 2", "guard of realpath, 6 components", 0.60,
		worst_plain(6, GUARD_READ, GUARD_WRITE)},
	    {"issue 2", "guard of realpath, 10 components", 0.35,
		worst_plain(10, GUARD_READ, GUARD_WRITE)},
	    {"issue 2", "functions of realpath, 6 components", 1.50,
		worst_plain(6, PLAIN_READ, PLAIN_WRITE)},
	    {"issue 2", "functions of realpath, 10 components", 0.85,
		worst_plain(10, PLAIN_READ, PLAIN_WRITE)},
	    {"issue 2", "1,000 blocked paths of 1", 1.15, growth()},
	    {"goal 16", "guard of open, existing, 6 to 16", 1.10,
		worst(of_open, EXISTING, GUARD_READ, GUARD_WRITE)},
	    {"goal 16", "guard of open, missing, 6 to 16", 1.10,
		worst(of_open, MISSING, GUARD_READ, GUARD_WRITE)},
	    {"goal 17", "guard of realpath, existing, 10", 0.30,
		worst_at(of_realpath, 10, EXISTING, GUARD_READ, GUARD_WRITE)},
	    {"goal 17", "guard of realpath, missing, 10", 0.30,
		worst_at(of_realpath, 10, MISSING, GUARD_READ, GUARD_WRITE)},
	    {"goal 17", "guard of realpath twice, missing, 10", 0.15,
		worse(times[missing_10][GUARD_READ],
		    times[missing_10][GUARD_WRITE]) /
		    times[missing_10][TWICE]},
	    {"goal 18", "guard of open, through a symlink", 3.00,
		worst(of_open, LINKED, GUARD_READ, GUARD_WRITE)},
	    {"goal 18", "guard of open, symlink and missing", 4.20,
		worst(of_open, LINKED_MISSING, GUARD_READ, GUARD_WRITE)},
	    {"goal 19", "1,000 blocked paths of 1", 1.10, growth()},
	    {"goal 20", "heap allocations in all checks (count)", 0,
		count_heap_calls()},
	};
	const struct bench_report all = {
	    .name = "path",
	    .tables = tables,
	    .table_count = sizeof(tables) / sizeof(tables[0]),
	    .goals = goals,
	    .goal_count = sizeof(goals) / sizeof(goals[0]),
	};
	size_t i;

	for (i = 0; i < ROWS; i++)
		row_names[i] = rows[i].name;
	bench_print(&all, options);
}

int
main(int argc, char **argv)
{
	struct bench_options options = {.rounds = 301, .sample_us = 200};

	bench_parse(
	    "bench-path: what a path check costs", argc, argv, &options);
	make_trees();
	guard = make_guard(0);
	guard_1 = make_guard(1);
	guard_many = make_guard(MANY);
	check_answers();
	measure(&options);
	work_out_ratios();
	report(&options);
	omega_sandbox_guard_free(guard);
	omega_sandbox_guard_free(guard_1);
	omega_sandbox_guard_free(guard_many);
	return 0;
}
