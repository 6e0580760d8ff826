/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * bench-spawn.c - what starting /bin/true costs: posix_spawn, our own start
 * with nothing to do, and the start with memory of its own; from a small host
 * and from one of a GiB. Variants are shuffled anew in every round, each
 * sample follows an unmeasured start, and only ratios within one run count.
 *
 *	bench-spawn [ROUNDS [MIB]]
 */

#include "config.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "run/command.h"
#include "run/end.h"
#include "run/launch.h"
#include "run/spawn.h"

#define PROGRAM "/bin/true"
#define MOST_ROUNDS 10000

extern char **environ;

static struct omega_launch *shared;
static struct omega_launch *apart;
static struct omega_command command;

static void
die(const char *what)
{
	perror(what);
	exit(1);
}

static void
plain(void)
{
	static char name[] = "true";
	static char *argv[] = {name, NULL};
	int status;
	pid_t pid;

	if (posix_spawn(&pid, PROGRAM, NULL, NULL, argv, environ) != 0 ||
	    waitpid(pid, &status, 0) != pid || status != 0)
		die("posix_spawn");
}

static void
start(const struct omega_launch *launch)
{
	struct omega_spawned spawned;
	struct omega_end end;

	if (omega_spawn(launch, &command, &spawned, NULL) != 0)
		die("omega_spawn");
	while (omega_end_ask(spawned.pidfd, &end) == 0)
		omega_end_wait(spawned.pidfd, -1);
	close(spawned.pidfd);
}

static void
start_shared(void)
{
	start(shared);
}

static void
start_apart(void)
{
	start(apart);
}

static const struct {
	const char *name;
	void (*run)(void);
} variants[] = {
    {"posix_spawn", plain},
    {"omega_spawn, nothing to do", start_shared},
    {"omega_spawn, own memory", start_apart},
};

#define VARIANTS (sizeof(variants) / sizeof(variants[0]))

static double samples[VARIANTS][MOST_ROUNDS];

static double
now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static int
compare(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

static void
measure(int rounds)
{
	size_t order[VARIANTS];
	size_t i;
	size_t j;
	size_t swap;
	double begin;
	int round;

	for (i = 0; i < VARIANTS; i++)
		order[i] = i;
	for (round = 0; round < rounds; round++) {
		for (i = VARIANTS - 1; i > 0; i--) {
			j = (size_t)rand() % (i + 1);
			swap = order[i];
			order[i] = order[j];
			order[j] = swap;
		}
		for (i = 0; i < VARIANTS; i++) {
			plain();
			begin = now_us();
			variants[order[i]].run();
			samples[order[i]][round] = now_us() - begin;
		}
	}
	for (i = 0; i < VARIANTS; i++)
		qsort(samples[i], (size_t)rounds, sizeof(double), compare);
}

/* Print the table; the medians go to medians. */
static void
show(const char *title, int rounds, double *medians)
{
	size_t i;

	printf("%s, %d rounds\n", title, rounds);
	printf("  %-28s %9s %9s %7s\n", "", "median us", "p95 us", "ratio");
	for (i = 0; i < VARIANTS; i++) {
		medians[i] = samples[i][rounds / 2];
		printf("  %-28s %9.1f %9.1f %7.2f\n", variants[i].name,
		    medians[i], samples[i][rounds * 95 / 100],
		    medians[i] / medians[0]);
	}
}

/* A host of that size: every page is there, and none is large. */
static void
grow(size_t mib)
{
	size_t size = mib << 20;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		die("mmap");
	madvise(memory, size, MADV_NOHUGEPAGE);
	memset(memory, 1, size);
}

int
main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1000;
	int mib = argc > 2 ? atoi(argv[2]) : 1024;
	double small[VARIANTS];
	double large[VARIANTS];
	char title[64];
	size_t i;

	if (rounds < 10 || rounds > MOST_ROUNDS || mib < 1)
		return 2;
	shared = omega_launch_new();
	apart = omega_launch_new();
	if (shared == NULL || apart == NULL ||
	    omega_command_init(&command, PROGRAM, NULL) != 0)
		die("start");
	apart->flags = OMEGA_SANDBOX_LAUNCH_SHARES;
	measure(rounds);
	show("small host", rounds, small);
	grow((size_t)mib);
	rounds = rounds / 5 < 10 ? 10 : rounds / 5;
	measure(rounds);
	snprintf(title, sizeof(title), "host of %d MiB", mib);
	show(title, rounds, large);
	printf("large over small\n");
	for (i = 0; i < VARIANTS; i++)
		printf(
		    "  %-28s %27.2f\n", variants[i].name, large[i] / small[i]);
	omega_command_drop(&command);
	omega_launch_unref(shared);
	omega_launch_unref(apart);
	return 0;
}
