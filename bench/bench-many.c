/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * bench-many.c - how preparing a policy, and starting a command that has been
 * prepared, grow with the number of blocked paths: files of one directory, and
 * names in a directory that does not exist. And how preparing grows with the
 * sockets that others have, as processor time: of the host and of what it
 * starts for that.
 */

#include "config.h"

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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
		ret =
		    omega_sandbox_policy_set(policy, "data_dir", path, &error);
	for (i = 0; ret == 0 && i < row->count; i++) {
		snprintf(name, sizeof(name), "%s/%d", row->dir, i);
		tree_join(path, top, name);
		ret = omega_sandbox_policy_set(
		    policy, "blocked_paths", path, &error);
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
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_command *const *command = arg;

	if (omega_sandbox_run(*command, &end, &error) < 0 || end.status != 0)
		tree_refuse(error.text);
}

/* ---- Sockets of others ----------------------------------------------------
 */

#define OTHER 65534
#define MOST 10000

static const struct beside {
	const char *name;
	bool is_denied; /* the network */
	int count;
} besides[] = {
    {"10 sockets", false, 10},
    {"10,000 sockets", false, MOST},
    {"10, deny", true, 10},
    {"10,000, deny", true, MOST},
};

#define BESIDES (sizeof(besides) / sizeof(besides[0]))

static const char *beside_names[BESIDES];
static const char *const beside_columns[] = {"prepare"};
static double beside_times[BESIDES];
static double beside_ratios[BESIDES];
static struct omega_sandbox *usual; /* hides sockets */
static int others = -1; /* the channel to who has them; -1: nobody */

/* Another user, who has as many sockets as it is told; says when it has. */
static void
be_other(int channel)
{
	static int sockets[MOST];
	int has = 0;
	int wanted;

	if (setgid(OTHER) != 0 || setuid(OTHER) != 0)
		_exit(1);
	while (read(channel, &wanted, sizeof(wanted)) == sizeof(wanted)) {
		struct sockaddr_un at = {.sun_family = AF_UNIX};

		for (; has < wanted; has++) {
			snprintf(at.sun_path, sizeof(at.sun_path),
			    "%.80s/%d/%d", top, has / 100, has);
			sockets[has] = socket(AF_UNIX, SOCK_STREAM, 0);
			if (bind(sockets[has], (void *)&at, sizeof(at)) != 0 ||
			    listen(sockets[has], 1) != 0)
				_exit(1);
		}
		while (has > wanted) {
			close(sockets[--has]);
			snprintf(at.sun_path, sizeof(at.sun_path),
			    "%.80s/%d/%d", top, has / 100, has);
			unlink(at.sun_path);
		}
		if (write(channel, &wanted, sizeof(wanted)) < 0)
			break;
	}
	_exit(0);
}

/* Only root has others to play. */
static void
start_others(void)
{
	struct rlimit files;
	char path[PATH_MAX];
	char name[64];
	int channel[2];
	int i;

	if (geteuid() != 0 || getrlimit(RLIMIT_NOFILE, &files) != 0 ||
	    files.rlim_max < MOST + 100 ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) != 0)
		return;
	if (chmod(top, 0755) != 0)
		tree_fail(top);
	for (i = 0; i < MOST / 100; i++) {
		snprintf(name, sizeof(name), "%d", i);
		tree_join(path, top, name);
		tree_make_dir(path);
		if (chown(path, OTHER, OTHER) != 0 || chmod(path, 0755) != 0)
			tree_fail(path);
	}
	if (fork() == 0) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
		close(channel[0]);
		be_other(channel[1]);
	}
	close(channel[1]);
	others = channel[0];
}

static double
used(int who)
{
	struct rusage use;

	getrusage(who, &use);
	return 1e9 * (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
	       1e3 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

static double
prepare_beside(const void *arg)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_prepared *prepared = NULL;
	struct omega_sandbox_policy *policy = NULL;
	const struct beside *beside = arg;
	int count = beside->count;
	char path[PATH_MAX];
	double before;
	int ret;

	if (others < 0)
		return NAN;
	if (write(others, &count, sizeof(count)) != sizeof(count) ||
	    read(others, &count, sizeof(count)) != sizeof(count))
		tree_refuse("sockets of others");
	before = used(RUSAGE_SELF) + used(RUSAGE_CHILDREN);
	tree_join(path, top, "omega");
	ret = omega_sandbox_policy_new(usual, NULL, &policy, &error);
	if (ret == 0)
		ret =
		    omega_sandbox_policy_set(policy, "data_dir", path, &error);
	if (ret == 0 && beside->is_denied)
		ret =
		    omega_sandbox_policy_set(policy, "network", "deny", &error);
	if (ret == 0)
		ret = omega_sandbox_prepare(policy, &prepared, &error);
	omega_sandbox_prepared_unref(prepared);
	omega_sandbox_policy_unref(policy);
	if (ret < 0)
		tree_refuse(error.text);
	return used(RUSAGE_SELF) + used(RUSAGE_CHILDREN) - before;
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
	tree_join(path, top, "usual.conf");
	tree_make_file(path);
	if (omega_sandbox_open(path, NULL, NULL, &usual, &error) < 0)
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
	    {"beside sockets of others (ns of processor time)", beside_names,
		BESIDES, beside_columns, 1, beside_times, 0},
	    {"to that beside 10", beside_names, BESIDES, beside_columns, 1,
		beside_ratios, 2},
	};
	const struct bench_goal goals[] = {
	    {"README", "preparing beside 10,000 sockets, to 10", 1.5,
		beside_ratios[1]},
	    {"README", "the same with network = deny", 1.5, beside_ratios[3]},
	};
	const struct bench_report report = {.name = "many",
	    .tables = tables,
	    .table_count = 4,
	    .goals = goals,
	    .goal_count = 2};

	bench_print(&report, options);
}

int
main(int argc, char **argv)
{
	struct bench_options options = {.rounds = 5, .sample_us = 1};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_command *commands[ROWS];
	struct bench_variant variants[ROWS * COLUMNS + BESIDES];
	struct bench_variant *beside = &variants[ROWS * COLUMNS];
	size_t column;
	size_t i;

	bench_parse(
	    "bench-many: what many blocked paths cost, and many sockets", argc,
	    argv, &options);
	make_tree();
	start_others();
	for (i = 0; i < BESIDES; i++) {
		beside_names[i] = besides[i].name;
		beside[i] = (struct bench_variant){
		    .take = prepare_beside, .arg = &besides[i]};
	}
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
	if (bench_run(&options, variants, ROWS * COLUMNS + BESIDES) < 0)
		tree_refuse("out of memory");
	for (i = 0; i < ROWS; i++) {
		for (column = 0; column < COLUMNS; column++) {
			times[i][column] =
			    variants[i * COLUMNS + column].median;
			ratios[i][column] = times[i][column] / times[0][column];
		}
		omega_sandbox_command_unref(commands[i]);
	}
	for (i = 0; i < BESIDES; i++) {
		beside_times[i] = beside[i].median;
		/* Each pair has its own. */
		beside_ratios[i] = beside[i].median / beside[i & ~1ul].median;
	}
	print(&options);
	omega_sandbox_unref(usual);
	omega_sandbox_unref(sandbox);
	return 0;
}
