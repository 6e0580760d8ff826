/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * stack-many.c - more denied places than a process may have open, and that
 * what is read of the machine does not grow with them. Counted, not timed.
 */

#include "stack.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MANY 600
#define MAY_OPEN 450

/* Files of that number, there or not, as a configuration; to be freed. */
static char *
blocked(const char *dir, const char *none, int count)
{
	const size_t size = (size_t)count * (2 * PATH_MAX + 32) + 64;
	char *lines = malloc(size);
	size_t len = 0;
	int i;

	if (lines == NULL)
		return NULL;
	len += (size_t)snprintf(lines, size, "blocked_paths = {");
	for (i = 0; i < count; i++)
		len += (size_t)snprintf(lines + len, size - len,
		    "%s\"%s/%d\", \"%s/%d\"", i == 0 ? "" : ",\n", dir, i, none,
		    i);
	snprintf(lines + len, size - len, "}\n");
	return lines;
}

/* How often this process has read from anything. */
static long
reads(void)
{
	FILE *file = fopen("/proc/self/io", "r");
	char line[128];
	long count = -1;

	while (file != NULL && fgets(line, sizeof(line), file) != NULL)
		if (sscanf(line, "syscr: %ld", &count) == 1)
			break;
	if (file != NULL)
		fclose(file);
	return count;
}

/* How many preparing takes; -1: it cannot be done. */
static long
reads_to_prepare(struct stack *stack, const char *dir)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_policy *policy = NULL;
	struct omega_sandbox_prepared *prepared = NULL;
	long before = reads();
	long count = -1;

	if (omega_sandbox_policy_new(stack->sandbox, NULL, &policy, &error) ==
		0 &&
	    omega_sandbox_policy_set(policy, "data_dir", dir, &error) == 0 &&
	    omega_sandbox_prepare(policy, &prepared, &error) == 0)
		count = reads() - before;
	else
		fprintf(stderr, "# %s\n", error.text);
	omega_sandbox_prepared_unref(prepared);
	omega_sandbox_policy_unref(policy);
	return count;
}

static int
check_inside(struct stack *stack, struct world *world, const char *path)
{
	int faults = 0;

	CHECK(faults, stack_try(&stack->out, world, "denied: write", path) == 0,
	    "%s: not outside", path);
	CHECK(faults,
	    stack_try(&stack->in, world, "denied: write", path) == EACCES,
	    "%s: inside", path);
	return faults;
}

static int
many_places(void *base)
{
	struct rlimit limit = {.rlim_cur = MAY_OPEN, .rlim_max = MAY_OPEN};
	char dir[PATH_MAX + 16];
	char none[PATH_MAX + 16];
	char path[PATH_MAX + 32];
	struct stack stack;
	struct world world;
	long counts[2] = {-1, -1};
	char *lines;
	int faults = 0;
	int i;

	world_make(&world, base, ".omega");
	snprintf(dir, sizeof(dir), "%s/many", world.home);
	snprintf(none, sizeof(none), "%s/none", world.home);
	mkdir(dir, 0755);
	for (i = 0; i < MANY; i++) {
		snprintf(path, sizeof(path), "%s/%d", dir, i);
		stack_put_secret(path);
	}
	/* Or a process that has changed its user may not count its reads. */
	CHECK(faults, prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) == 0, "dumpable");
	CHECK(faults, setrlimit(RLIMIT_NOFILE, &limit) == 0, "limit");
	for (i = 0; i < 2; i++) {
		lines = blocked(dir, none, i == 0 ? 1 : MANY);
		if (lines == NULL ||
		    !stack_open(&stack, base, world.dir, lines))
			return faults + 1;
		free(lines);
		counts[i] = reads_to_prepare(&stack, world.dir);
		if (i == 0)
			stack_close(&stack);
	}
	CHECK(faults,
	    counts[0] > 0 && counts[1] > 0 && counts[1] < counts[0] + 50,
	    "%ld reads with one place, %ld with %d", counts[0], counts[1],
	    MANY);
	for (i = 0; i < MANY; i += MANY - 1) {
		snprintf(path, sizeof(path), "%s/%d", dir, i);
		faults += check_inside(&stack, &world, path);
	}
	/* The host makes one of those that were absent with their directory. */
	snprintf(path, sizeof(path), "%s/%d", none, MANY / 2);
	CHECK(faults, mkdir(none, 0755) == 0, "%s", none);
	stack_put_secret(path);
	faults += check_inside(&stack, &world, path);
	stack_close(&stack);
	world_end(&world);
	return faults;
}

TWICE(many_places)

const struct CMUnitTest stack_many_tests[] = {
    cmocka_unit_test(test_many_places),
    {NULL, NULL, NULL, NULL, NULL},
};
