/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * bench-spawn.c - what starting /bin/true costs, protected and not, from a
 * small host and from one of a GiB. The large host is a second process that
 * starts a command when it is told to, so that both are measured in the same
 * shuffled run. Each sample is one start, after an unmeasured one.
 */

#include "config.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "tree.h"
#include "ways.h"

#define MIB 1024

enum host { SMALL, LARGE, HOSTS };

static int requests = -1; /* to the large host */
static int answers = -1;

static double
now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double
take(enum way way)
{
	double begin;

	ways_run(WAY_POSIX_SPAWN);
	begin = now_ns();
	ways_run(way);
	return now_ns() - begin;
}

static double
take_small(const void *arg)
{
	return take(*(const enum way *)arg);
}

static double
take_large(const void *arg)
{
	double taken;

	if (write(requests, arg, sizeof(enum way)) != sizeof(enum way) ||
	    read(answers, &taken, sizeof(taken)) != sizeof(taken))
		tree_refuse("the large host is gone");
	return taken;
}

/* Every page is there, and none is large. */
static void
grow(void)
{
	size_t size = (size_t)MIB << 20;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		tree_fail("memory for the large host");
	madvise(memory, size, MADV_NOHUGEPAGE);
	memset(memory, 1, size);
}

/* Does not return. */
static void
be_large(const char *dir, int in, int out)
{
	enum way way;
	double taken = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	grow();
	ways_prepare(dir);
	if (write(out, &taken, sizeof(taken)) != sizeof(taken))
		_exit(1);
	while (read(in, &way, sizeof(way)) == sizeof(way)) {
		taken = take(way);
		if (write(out, &taken, sizeof(taken)) != sizeof(taken))
			break;
	}
	_exit(0);
}

static void
start_large(const char *dir)
{
	double ready;
	int to[2];
	int from[2];
	pid_t pid;

	if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0)
		tree_fail("pipe");
	pid = fork();
	if (pid < 0)
		tree_fail("fork");
	if (pid == 0) {
		close(to[1]);
		close(from[0]);
		be_large(dir, to[0], from[1]);
	}
	close(to[0]);
	close(from[1]);
	requests = to[1];
	answers = from[0];
	if (read(answers, &ready, sizeof(ready)) != sizeof(ready))
		tree_refuse("the large host could not start");
}

static double medians[HOSTS][WAY_COUNT];

static void
measure(const struct bench_options *options)
{
	static enum way ways[WAY_COUNT];
	struct bench_variant variants[HOSTS * WAY_COUNT];
	int i;

	memset(variants, 0, sizeof(variants));
	for (i = 0; i < WAY_COUNT; i++) {
		ways[i] = (enum way)i;
		if (!ways_is_usable(ways[i]))
			continue;
		variants[i].take = take_small;
		variants[i].arg = &ways[i];
		variants[WAY_COUNT + i].take = take_large;
		variants[WAY_COUNT + i].arg = &ways[i];
	}
	if (bench_run(options, variants, HOSTS * WAY_COUNT) < 0)
		tree_refuse("out of memory");
	for (i = 0; i < WAY_COUNT; i++) {
		medians[SMALL][i] = variants[i].median;
		medians[LARGE][i] = variants[WAY_COUNT + i].median;
	}
}

static double
ratio(enum host host, enum way way, enum way to)
{
	return medians[host][way] / medians[host][to];
}

static void
report(const struct bench_options *options)
{
	static const char *const hosts[] = {"small", "1 GiB"};
	static const char *const over[] = {"ratio"};
	double times[WAY_COUNT][HOSTS];
	double to_plain[WAY_COUNT][HOSTS];
	double to_bwrap[WAY_COUNT][HOSTS];
	double growth[WAY_COUNT];
	const struct bench_table tables[] = {
	    {"us from start to end of /bin/true, by size of the host",
		ways_names, WAY_COUNT, hosts, HOSTS, &times[0][0], 1},
	    {"ratio to posix_spawn from the same host", ways_names, WAY_COUNT,
		hosts, HOSTS, &to_plain[0][0], 3},
	    {"ratio to bubblewrap from the same host", ways_names, WAY_COUNT,
		hosts, HOSTS, &to_bwrap[0][0], 3},
	    {"large host over small host", ways_names, WAY_COUNT, over, 1,
		growth, 3},
	};
	const struct bench_goal goals[] = {
	    {"PERF 0", "namespace + landlock of posix_spawn", 1.00,
		ratio(SMALL, WAY_LANDLOCK, WAY_POSIX_SPAWN)},
	    {"PERF 0", "the same from a large host", 1.00,
		ratio(LARGE, WAY_LANDLOCK, WAY_POSIX_SPAWN)},
	    {"PERF 0", "with seccomp of posix_spawn", 1.25,
		ratio(SMALL, WAY_SECCOMP, WAY_POSIX_SPAWN)},
	    {"PERF 0", "the same from a large host", 1.25,
		ratio(LARGE, WAY_SECCOMP, WAY_POSIX_SPAWN)},
	    {"PERF 0", "namespace + landlock of bubblewrap", 0.13,
		ratio(SMALL, WAY_LANDLOCK, WAY_BWRAP)},
	    {"goal 9", "namespace + landlock, large of small host", 1.15,
		medians[LARGE][WAY_LANDLOCK] / medians[SMALL][WAY_LANDLOCK]},
	};
	const struct bench_report all = {"spawn", tables,
	    sizeof(tables) / sizeof(tables[0]), goals,
	    sizeof(goals) / sizeof(goals[0])};
	int way;
	int host;

	for (way = 0; way < WAY_COUNT; way++) {
		for (host = 0; host < HOSTS; host++) {
			times[way][host] = medians[host][way] / 1e3;
			to_plain[way][host] = ratio(
			    (enum host)host, (enum way)way, WAY_POSIX_SPAWN);
			to_bwrap[way][host] =
			    ratio((enum host)host, (enum way)way, WAY_BWRAP);
		}
		growth[way] = medians[LARGE][way] / medians[SMALL][way];
	}
	bench_print(&all, options);
}

int
main(int argc, char **argv)
{
	struct bench_options options = {.rounds = 301, .sample_us = 1};
	char dir[PATH_MAX];
	int way;

	bench_parse(
	    "bench-spawn: what starting a command costs", argc, argv, &options);
	if (!tree_make(tree_default(), dir))
		tree_fail(tree_default());
	ways_make_data(dir);
	start_large(dir);
	ways_prepare(dir);
	for (way = 0; way < WAY_COUNT; way++)
		ways_check((enum way)way);
	measure(&options);
	report(&options);
	return 0;
}
