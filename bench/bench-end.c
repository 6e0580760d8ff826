/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * bench-end.c - how long the end of a hostile command takes: the attacks of the
 * tests, each under a time-out, and what passes from the end of the grace
 * period until the call returns with nothing left. The slowest of all rounds.
 */

#include "config.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "capture-acts.h"
#include "subject.h"
#include "tree.h"

#define TIMEOUT_MS 2000
#define GRACE_MS 200 /* as subject_make() has it */

static const struct {
	const char *act;
	const char *name;
	bool is_inside_only; /* else the machine may run out of processes */
} rows[] = {{"stay", "one that waits", false},
    {"many", "100, deaf to SIGTERM", false},
    {"bomb", "fork bomb at SIGTERM", false},
    {"chain", "forks all the time", true},
    {"all", "daemons, stopped ones", false},
    {"zombies", "1,000 zombies", false}, {"web", "web of tracers", false},
    {"trace-flood", "flood of traces", false},
    {"stop-flood", "flood of stops", false},
    {"listen", "four that listen", false},
    {"exhaust", "no more processes", false}};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

/* How late it was once, in ms. */
static double
take(struct omega_sandbox_prepared *prepared, const char *act)
{
	struct omega_sandbox_outcome outcome = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_result *result;
	struct subject subject;
	int faults = 0;

	if (!subject_make(&subject, prepared, act, NULL) ||
	    omega_sandbox_command_set_number(
		subject.command, "timeout_ms", TIMEOUT_MS, NULL) < 0)
		tree_refuse(act);
	result = subject_capture(&subject, &outcome, &faults);
	if (faults != 0 || !outcome.is_timed_out)
		tree_refuse(act);
	omega_sandbox_result_free(result);
	subject_end(&subject);
	return (double)outcome.duration_ms - TIMEOUT_MS - GRACE_MS;
}

static double
measure(struct omega_sandbox_prepared *prepared, const char *act, int rounds)
{
	double most = -TIMEOUT_MS - GRACE_MS;
	double late;

	while (rounds-- > 0) {
		late = take(prepared, act);
		if (late > most)
			most = late;
	}
	return most;
}

int
main(int argc, char **argv)
{
	int status = capture_attack(argc, argv);
	int rounds = argc > 1 ? atoi(argv[1]) : 3;
	struct subject_scene scene;
	char top[PATH_MAX];
	size_t row;

	if (status >= 0)
		_exit(status);
	if (!tree_make(tree_default(), top))
		tree_fail(tree_default());
	if (!subject_open(&scene, top, ""))
		tree_refuse("the library");
	printf("end: ms after time-out and grace period, the slowest of %d\n\n"
	       "%-24s%12s%12s\n",
	    rounds, "", "namespace", "one by one");
	for (row = 0; row < ROWS; row++) {
		printf("%-24s%12.0f", rows[row].name,
		    measure(scene.library.inside, rows[row].act, rounds));
		if (rows[row].is_inside_only)
			printf("%12s\n", "-");
		else
			printf("%12.0f\n", measure(scene.library.outside,
					       rows[row].act, rounds));
		fflush(stdout);
	}
	subject_close(&scene);
	return 0;
}
