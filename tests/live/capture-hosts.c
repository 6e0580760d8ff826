/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * capture-hosts.c - hosts of many kinds: careless ones, killed ones, busy ones.
 */

#include "capture-tests.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "spawning.h"
#include "subject.h"

static atomic_bool is_over;

static void *
wait_for_all(void *unused)
{
	(void)unused;
	while (!atomic_load(&is_over))
		if (waitpid(-1, NULL, WNOHANG) <= 0)
			usleep(100);
	return NULL;
}

/* One that collects every child there is, and one that wants to see none. */
static int
careless(void *base)
{
	struct omega_sandbox_outcome outcome;
	struct omega_sandbox_result *result;
	struct subject_scene scene;
	pthread_t thread;
	int faults = 0;
	int i;

	if (!subject_open(&scene, base, ""))
		return 1;
	signal(SIGCHLD, SIG_IGN);
	for (i = 0; i < 10; i++) {
		faults += subject_act(scene.library.inside, "count", "42", 0, 0,
		    &outcome, &result);
		CHECK(faults, outcome.status == 42, "SIGCHLD is ignored: %d",
		    outcome.status);
		omega_sandbox_result_free(result);
	}
	signal(SIGCHLD, SIG_DFL);
	atomic_store(&is_over, false);
	if (pthread_create(&thread, NULL, wait_for_all, NULL) != 0)
		return 1;
	for (i = 0; i < 20; i++) {
		faults += subject_act(scene.library.inside, "count", "42", 0, 0,
		    &outcome, &result);
		CHECK(faults, outcome.status == 42, "others wait: %d",
		    outcome.status);
		omega_sandbox_result_free(result);
	}
	atomic_store(&is_over, true);
	pthread_join(thread, NULL);
	subject_close(&scene);
	return faults;
}

static void *
capture_tree(void *arg)
{
	struct omega_sandbox_outcome outcome = OMEGA_SANDBOX_OUTCOME_INIT;
	int faults = 0;

	omega_sandbox_result_free(subject_capture(arg, &outcome, &faults));
	return NULL;
}

/* A host that is killed in the middle of its runs. */
static int
killed(void *base)
{
	enum { RUNS = 4 };
	struct subject subjects[RUNS];
	struct subject_scene scene;
	pthread_t threads[RUNS];
	int ready[2];
	char byte;
	int faults = 0;
	pid_t host;
	int i;

	if (!subject_open(&scene, base, "") || pipe(ready) != 0)
		return 1;
	for (i = 0; i < RUNS; i++) {
		if (!subject_make(&subjects[i],
			i % 2 ? scene.library.inside : scene.library.outside,
			"tree", "stay"))
			return 1;
		must(omega_sandbox_command_set_stdio(subjects[i].command, 1,
			 OMEGA_SANDBOX_STDIO_FD, ready[1], NULL) == 0);
		must(omega_sandbox_command_set_number(
			 subjects[i].command, "timeout_ms", 600000, NULL) == 0);
	}
	host = fork();
	if (host == 0) {
		for (i = 0; i < RUNS; i++)
			if (pthread_create(&threads[i], NULL, capture_tree,
				&subjects[i]) != 0)
				_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	/* Five letters of each. */
	for (i = 0; i < 5 * RUNS; i++)
		CHECK(faults, read(ready[0], &byte, 1) == 1, "no tree");
	kill(host, SIGKILL);
	waitpid(host, NULL, 0);
	for (i = 0; i < RUNS; i++) {
		CHECK(faults, !subject_is_alive(&subjects[i], 60000),
		    "something is left");
		subject_end(&subjects[i]);
	}
	close(ready[0]);
	subject_close(&scene);
	return faults;
}

/* In the host: what it has of the mark would hide that the others are gone. */
static int
stop_self(void *arg, const struct omega_sandbox_event *event)
{
	struct subject *subject = arg;

	if (event->kind != OMEGA_SANDBOX_EVENT_STARTED)
		return 0;
	close(subject->mark[1]);
	subject->mark[1] = -1;
	raise(SIGSTOP);
	return 0;
}

/* A host that has stopped when the time is over. */
static int
stop(struct omega_sandbox_prepared *prepared)
{
	struct omega_sandbox_outcome outcome = OMEGA_SANDBOX_OUTCOME_INIT;
	struct subject subject;
	int status = 0;
	int faults = 0;
	pid_t host;

	if (!subject_make(&subject, prepared, "tree", "stay"))
		return 1;
	must(omega_sandbox_command_set_number(
		 subject.command, "timeout_ms", 1000, NULL) == 0);
	must(omega_sandbox_command_set_events(
		 subject.command, stop_self, &subject, NULL) == 0);
	host = fork();
	if (host == 0) {
		omega_sandbox_result_free(
		    subject_capture(&subject, &outcome, &faults));
		_exit(faults == 0 && outcome.is_timed_out ? 0 : 1);
	}
	CHECK(faults,
	    waitpid(host, &status, WUNTRACED) == host && WIFSTOPPED(status),
	    "the host has not stopped: %x", status);
	CHECK(faults, !subject_is_alive(&subject, 60000), "something is left");
	kill(host, SIGCONT);
	CHECK(faults, waitpid(host, &status, 0) == host && status == 0,
	    "it was not told: %x", status);
	subject_end(&subject);
	return faults;
}

static int
host_stopped(void *base)
{
	struct subject_scene scene;
	int faults;

	if (!subject_open(&scene, base, ""))
		return 1;
	faults = stop(scene.library.inside) + stop(scene.library.outside);
	subject_close(&scene);
	return faults;
}

/* One that is killed at any moment of its start, or soon after. */
static int
kill_once(struct omega_sandbox_prepared *prepared, unsigned delay_us)
{
	struct omega_sandbox_outcome outcome = OMEGA_SANDBOX_OUTCOME_INIT;
	struct subject subject;
	int faults = 0;
	pid_t host;

	if (!subject_make(&subject, prepared, "tree", "stay"))
		return 1;
	must(omega_sandbox_command_set_number(
		 subject.command, "timeout_ms", 600000, NULL) == 0);
	host = fork();
	if (host == 0) {
		subject_capture(&subject, &outcome, &faults);
		_exit(0);
	}
	usleep(delay_us);
	kill(host, SIGKILL);
	waitpid(host, NULL, 0);
	CHECK(faults, !subject_is_alive(&subject, 60000),
	    "something is left after %u us", delay_us);
	subject_end(&subject);
	return faults;
}

/* Are those that have lost their parents gone? Half a minute at most. */
static bool
has_children(int wanted)
{
	int tries;

	for (tries = 0; library_children() != wanted; tries++) {
		if (tries == 30000)
			return false;
		waitpid(-1, NULL, WNOHANG | __WALL);
		usleep(1000);
	}
	return true;
}

static int
killed_often(void *base)
{
	const char *asked = getenv("OMEGA_TEST_KILLS");
	int times = asked != NULL ? atoi(asked) : 20;
	struct subject_scene scene;
	int children;
	int faults = 0;
	int i;

	if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0 ||
	    !subject_open(&scene, base, ""))
		return 1;
	children = library_children();
	srand((unsigned)getpid());
	for (i = 0; i < times; i++)
		faults += kill_once(scene.library.inside,
		    (unsigned)rand() % (i % 2 ? 2000 : 20000));
	CHECK(faults, has_children(children), "a process is left");
	subject_close(&scene);
	return faults;
}

/* The children that a process has now. */
static int
list_children(pid_t parent, pid_t *list, int most)
{
	char path[64];
	int count = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%ld/task/%ld/children",
	    (long)parent, (long)parent);
	file = fopen(path, "re");
	while (file != NULL && count < most &&
	       fscanf(file, "%d", &list[count]) == 1)
		count++;
	if (file != NULL)
		fclose(file);
	return count;
}

/* Kills whatever its parent starts, as soon as it is seen. */
static _Noreturn void
be_assassin(pid_t host, int ready)
{
	pid_t known[64];
	pid_t now[64];
	int known_count = list_children(host, known, 64);
	int count;
	int i;
	int j;

	if (write(ready, "r", 1) != 1)
		_exit(1);
	for (;;) {
		count = list_children(host, now, 64);
		for (i = 0; i < count; i++) {
			for (j = 0; j < known_count; j++)
				if (known[j] == now[i])
					break;
			if (j == known_count)
				kill(now[i], SIGKILL);
		}
	}
}

/* Somebody kills supervisors while they come into being. */
static int
assassinated(void *base)
{
	struct omega_sandbox_result *result;
	struct subject_scene scene;
	struct subject subject;
	int descriptors = 0;
	int children = 0;
	int faults = 0;
	int survived = 0;
	int ready[2];
	pid_t assassin;
	char byte;
	int i;

	if (!subject_open(&scene, base, "") || pipe(ready) != 0)
		return 1;
	/* One by one they cannot be ended without a supervisor. */
	if (!subject_is_enforced(scene.library.inside, "left_processes")) {
		fprintf(stderr, "# no pid namespaces here\n");
		subject_close(&scene);
		return 0;
	}
	assassin = fork();
	if (assassin == 0)
		be_assassin(getppid(), ready[1]);
	CHECK(faults, read(ready[0], &byte, 1) == 1, "no assassin");
	for (i = 0; i < library_rounds(200); i++) {
		if (i == 2) { /* the program is open by now */
			descriptors = count_descriptors();
			children = library_children();
		}
		if (!subject_make(
			&subject, scene.library.inside, "tree", "stay"))
			return 1;
		must(omega_sandbox_command_set_number(
			 subject.command, "timeout_ms", 2000, NULL) == 0);
		result = NULL;
		if (omega_sandbox_capture(subject.command, &result, NULL) == 0)
			survived++;
		omega_sandbox_result_free(result);
		CHECK(faults, !subject_is_alive(&subject, 60000),
		    "something is left");
		subject_end(&subject);
	}
	CHECK(faults, count_descriptors() == descriptors,
	    "%d descriptors, not %d", count_descriptors(), descriptors);
	CHECK(faults, library_children() == children, "%d children, not %d",
	    library_children(), children);
	if (survived > 0)
		fprintf(stderr, "# %d were not seen\n", survived);
	kill(assassin, SIGKILL);
	waitpid(assassin, NULL, 0);
	close(ready[0]);
	close(ready[1]);
	subject_close(&scene);
	return faults;
}

/* A thousand runs by a few threads. */
struct crowd {
	struct omega_sandbox_prepared *prepared;
	atomic_int next;
	atomic_int faults;
	int runs;
};

static void *
run_many(void *arg)
{
	struct crowd *crowd = arg;
	int number;

	while ((number = atomic_fetch_add(&crowd->next, 1)) < crowd->runs) {
		char text[2][16];
		const char *words[] = {library_self(), "count", text[0], NULL};
		struct omega_sandbox_outcome outcome =
		    OMEGA_SANDBOX_OUTCOME_INIT;
		struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
		struct omega_sandbox_result *result = NULL;
		struct omega_sandbox_command *command;
		int faults = 0;

		snprintf(text[0], sizeof(text[0]), "%d", number);
		snprintf(text[1], sizeof(text[1]), "%d", 2 * number);
		command = library_command(crowd->prepared, words);
		must(omega_sandbox_command_set_number(
			 command, "timeout_ms", 600000, NULL) == 0);
		if (omega_sandbox_capture(command, &result, &error) < 0)
			CHECK(faults, false, "%d: %s", number, error.text);
		else if (omega_sandbox_result_get(result, &outcome) == 0)
			CHECK(faults,
			    outcome.status == number % 100 &&
				outcome.out.len == strlen(text[0]) &&
				subject_ends_with(&outcome.out, text[0]) &&
				outcome.err.len == strlen(text[1]) &&
				subject_ends_with(&outcome.err, text[1]),
			    "%d: status %d, %zu and %zu bytes", number,
			    outcome.status, outcome.out.len, outcome.err.len);
		omega_sandbox_result_free(result);
		omega_sandbox_command_unref(command);
		atomic_fetch_add(&crowd->faults, faults);
	}
	return NULL;
}

static int
crowded(void *base)
{
	enum { THREADS = 16 };
	pthread_t threads[THREADS];
	struct crowd crowd = {.runs = library_rounds(1000)};
	struct subject_scene scene;
	int descriptors;
	int children;
	int faults = 0;
	int i;

	if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0 ||
	    !subject_open(&scene, base, ""))
		return 1;
	crowd.prepared = scene.library.inside;
	/* The first leaves the program of the others open. */
	atomic_store(&crowd.next, crowd.runs - 1);
	run_many(&crowd);
	atomic_store(&crowd.next, 0);
	descriptors = count_descriptors();
	children = library_children();
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, run_many, &crowd) != 0)
			return 1;
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	faults += atomic_load(&crowd.faults);
	CHECK(faults, count_descriptors() == descriptors,
	    "%d descriptors, not %d", count_descriptors(), descriptors);
	CHECK(faults, library_children() == children, "%d children, not %d",
	    library_children(), children);
	subject_close(&scene);
	return faults;
}

CAPTURE(careless)
CAPTURE(killed)
CAPTURE(host_stopped)
CAPTURE(killed_often)
CAPTURE(assassinated)
CAPTURE(crowded)

const struct CMUnitTest capture_hosts_tests[] = {
    cmocka_unit_test(test_careless),
    cmocka_unit_test(test_killed),
    cmocka_unit_test(test_host_stopped),
    cmocka_unit_test(test_killed_often),
    cmocka_unit_test(test_assassinated),
    cmocka_unit_test(test_crowded),
    {NULL, NULL, NULL, NULL, NULL},
};
