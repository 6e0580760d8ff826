/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-soak.c - many threads, one launch, thousands of starts: nothing may be
 * left of them, neither descriptors nor processes nor memory.
 */

#include "spawning.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THREADS 8

/* What the threads share. */
struct soak {
	struct omega_launch *launch;
	struct omega_launch *failing;
	const char *program;
	int rounds;
	atomic_int wrong;
	atomic_int started;
};

struct worker {
	struct soak *soak;
	int number;
};

static int
nothing(const void *state)
{
	(void)state;
	return 0;
}

/* One start and its end; every seventh is one that must fail. */
static bool
start_one(struct soak *soak, struct omega_command *command, int round)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_child *child;
	struct omega_spawned spawned;
	bool is_right;

	if (round % 7 == 6)
		return omega_spawn(soak->failing, command, &spawned, &error) ==
			   OMEGA_SANDBOX_E_STEP &&
		       error.sys_errno == EDOM;
	child = omega_child_new();
	if (child == NULL)
		return false;
	if (omega_spawn(soak->launch, command, &spawned, &error) != 0) {
		fprintf(stderr, "%s\n", error.text);
		omega_child_free(child);
		return false;
	}
	omega_child_adopt(child, &spawned, true);
	if (round % 5 == 4)
		omega_child_signal(child, SIGKILL);
	is_right = omega_child_wait(child, -1, &end, NULL) == 1 &&
		   (round % 5 == 4 ? end.signal == SIGKILL || end.status == 0
				   : end.status == 0);
	omega_child_free(child);
	atomic_fetch_add(&soak->started, 1);
	return is_right;
}

static void *
work(void *arg)
{
	struct worker *worker = arg;
	struct soak *soak = worker->soak;
	struct omega_command command;
	int i;

	for (i = 0; i < soak->rounds; i++) {
		if (omega_command_init(&command, soak->program, NULL) != 0) {
			atomic_fetch_add(&soak->wrong, 1);
			continue;
		}
		omega_command_set_stdio(
		    &command, 0, OMEGA_SANDBOX_STDIO_NULL, -1);
		if (i % 3 == 0)
			omega_command_set_stdio(
			    &command, 1, OMEGA_SANDBOX_STDIO_PIPE, -1);
		if (i % 4 == 0)
			omega_command_pass_fd(&command, 2, 3 + i % 20);
		if (!start_one(soak, &command, i))
			atomic_fetch_add(&soak->wrong, 1);
		omega_command_drop(&command);
	}
	return NULL;
}

static void
run_workers(struct soak *soak)
{
	struct worker workers[THREADS];
	pthread_t threads[THREADS];
	int i;

	for (i = 0; i < THREADS; i++) {
		workers[i] = (struct worker){soak, i};
		assert_int_equal(
		    pthread_create(&threads[i], NULL, work, &workers[i]), 0);
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static long
resident_pages(void)
{
	long size = 0;
	long resident = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%ld %ld", &size, &resident), 2);
	fclose(file);
	return resident;
}

static void
soak(bool has_own_memory, int rounds)
{
	static const int answer = -EDOM;
	struct soak shared = {.launch = make_launch(has_own_memory),
	    .failing = make_launch(has_own_memory),
	    .program = inspect_program(),
	    .rounds = 20};
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int descriptors;
	long pages;
	long grown;

	add_step(shared.launch, 100, "join", nothing, NULL, 0);
	add_step(shared.launch, 700, "filter", nothing, NULL, 0);
	keep_fd(shared.launch, null);
	add_step(
	    shared.failing, 400, "fall", fail_with, &answer, sizeof(answer));
	run_workers(&shared); /* arenas, stacks and caches are there now */
	descriptors = count_descriptors();
	pages = resident_pages();
	shared.rounds = rounds;
	run_workers(&shared);
	grown = resident_pages() - pages;
	assert_int_equal(atomic_load(&shared.wrong), 0);
	assert_int_equal(count_descriptors(), descriptors);
	assert_no_children();
	/* A leak of a page per start would be 8,000; a sanitizer's shadow is
	 * another matter. */
	if (grown > 256 && !is_sanitized())
		fail_msg("%ld pages more", grown);
	omega_launch_unref(shared.launch);
	omega_launch_unref(shared.failing);
	close(null);
	assert_int_equal(count_descriptors(), descriptors - 2);
}

static void
test_thousands_of_starts_leave_nothing(void **state)
{
	(void)state;
	soak(false, rounds_of(1000));
}

static void
test_starts_with_own_memory_leave_nothing(void **state)
{
	(void)state;
	soak(true, rounds_of(200));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_thousands_of_starts_leave_nothing),
	    cmocka_unit_test(test_starts_with_own_memory_leave_nothing),
	};

	spawning_begin();
	return run_all(tests);
}
