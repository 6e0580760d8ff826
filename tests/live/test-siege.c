/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-siege.c - a hostile command stays while thousands of others are
 * started: neither the host nor any of them may be touched. The same attacks
 * are made without a sandbox first, where each of them works.
 */

#include "library.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "siege.h"
#include "spawning.h"
#include "twice.h"

/* What the attacker is after. */
static char treasure[] = "TREASURE";
static volatile sig_atomic_t signals;

static void
count_signal(int number)
{
	(void)number;
	signals++;
}

/* One that is besieged: what can be seen of it. */
struct host {
	struct rlimit limit;
	int descriptors;
	char *mounts;
};

static void
begin(struct host *host)
{
	struct sigaction action = {.sa_handler = count_signal};

	sigaction(SIGURG, &action, NULL);
	prctl(PR_SET_DUMPABLE, 1); /* lost when uids were changed */
	strcpy(treasure, "TREASURE");
	signals = 0;
	getrlimit(RLIMIT_MSGQUEUE, &host->limit);
	host->descriptors = count_descriptors();
	host->mounts = library_mounts();
}

/* Faults when something of the host is not as it was. */
static int
is_changed(struct host *host, bool is_limit_held)
{
	struct rlimit limit;
	char *mounts = library_mounts();
	int faults = 0;

	getrlimit(RLIMIT_MSGQUEUE, &limit);
	CHECK(
	    faults, strcmp(treasure, "TREASURE") == 0, "memory: %s", treasure);
	CHECK(faults, signals == 0, "%d signals", (int)signals);
	CHECK(faults, !is_limit_held || limit.rlim_cur == host->limit.rlim_cur,
	    "limit: %lu", (unsigned long)limit.rlim_cur);
	CHECK(faults, count_descriptors() == host->descriptors,
	    "descriptors: %d", count_descriptors());
	CHECK(faults, strcmp(mounts, host->mounts) == 0, "mounts");
	free(mounts);
	return faults;
}

static struct omega_sandbox_child *
start_attacker(struct omega_sandbox_prepared *prepared, const char *dir)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_child *child = NULL;
	struct omega_sandbox_command *command;
	char path[2 * PATH_MAX];
	char where[32];
	const char *words[] = {library_self(), "siege", dir, where, NULL};
	int waited = 0;

	snprintf(path, sizeof(path), "%s/workspace/stop", dir);
	unlink(path);
	snprintf(path, sizeof(path), "%s/workspace/ready", dir);
	unlink(path);
	snprintf(where, sizeof(where), "%lx", (unsigned long)treasure);
	command = library_command(prepared, words);
	if (omega_sandbox_spawn(command, &child, &error) < 0)
		fprintf(stderr, "# spawn: %s\n", error.text);
	omega_sandbox_command_unref(command);
	while (access(path, F_OK) != 0 && wait_a_little(&waited))
		continue;
	return child;
}

static int
stop_attacker(struct omega_sandbox_child *child, const char *dir,
    struct siege_score *score)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	char path[2 * PATH_MAX];
	int faults = 0;

	snprintf(path, sizeof(path), "%s/workspace/stop", dir);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	CHECK(faults,
	    omega_sandbox_child_wait(child, PATIENCE_MS, &end, &error) == 1,
	    "%s", error.text);
	omega_sandbox_child_free(child);
	CHECK(faults, end.status == 0, "the attacker: %d, signal %d",
	    end.status, end.signal);
	CHECK(faults, siege_read_score(dir, score), "no score");
	return faults;
}

/* Start others beside it; every 500th tries to read the secret. */
static int
start_others(struct omega_sandbox_prepared *prepared,
    struct omega_sandbox_child *attacker, const struct world *world, int rounds,
    int secret)
{
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	char path[2 * PATH_MAX];
	const char *quick[] = {"/bin/true", NULL};
	const char *read[] = {library_self(), "read", path, NULL};
	int faults = 0;
	int status;
	int i;

	snprintf(path, sizeof(path), "%s/data/memory.db", world->dir);
	for (i = 0; i < rounds && faults < 5; i++) {
		bool is_read = i % 500 == 0;

		status = library_run(prepared, is_read ? read : quick);
		CHECK(faults, status == (is_read ? secret : 0), "start %d: %d",
		    i, status);
		if (i % 50 == 49 &&
		    omega_sandbox_child_wait(attacker, 0, &end, NULL) != 0)
			break;
	}
	return faults;
}

/* Is what prlimit can do held here? The report says. */
static bool
is_limit_held(struct omega_sandbox_prepared *prepared)
{
	struct omega_sandbox_report *report =
	    omega_sandbox_prepared_report(prepared);
	bool is_held = false;
	size_t i;

	for (i = 0;; i++) {
		struct omega_sandbox_guarantee guarantee =
		    OMEGA_SANDBOX_GUARANTEE_INIT;

		if (omega_sandbox_report_get(report, i, &guarantee) != 0)
			break;
		if (strcmp(guarantee.kind, "outside_signals") == 0)
			is_held = guarantee.state == OMEGA_SANDBOX_ENFORCED;
	}
	omega_sandbox_report_unref(report);
	return is_held;
}

/* May processes trace each other here at all? */
static bool
has_yama(void)
{
	FILE *file = fopen("/proc/sys/kernel/yama/ptrace_scope", "r");
	int scope = 0;

	if (file == NULL)
		return false;
	if (fscanf(file, "%d", &scope) != 1)
		scope = 0;
	fclose(file);
	return scope != 0;
}

static int
outside(struct library *library, const struct world *world)
{
	struct siege_score score;
	struct omega_sandbox_child *attacker;
	struct host host;
	int faults = 0;
	int i;

	begin(&host);
	attacker = start_attacker(library->outside, world->dir);
	if (attacker == NULL)
		return 1;
	faults += start_others(library->outside, attacker, world, 5000, 0);
	faults += stop_attacker(attacker, world->dir, &score);
	for (i = 0; i < SIEGE_ATTACKS; i++) {
		if (i < 5 && has_yama() && score.next[i].hits == 0) {
			printf("# %s: cannot be shown here: yama\n",
			    siege_names[i]);
			continue;
		}
		CHECK(faults, score.host[i].hits > 0, "%s of the host",
		    siege_names[i]);
		CHECK(faults, score.next[i].hits > 0, "%s of the next",
		    siege_names[i]);
	}
	CHECK(faults, signals > 0, "no signal came");
	CHECK(faults, has_yama() || strcmp(treasure, "TREASURE") != 0,
	    "memory was not written");
	free(host.mounts);
	return faults;
}

static int
inside(struct library *library, const struct world *world, int rounds)
{
	struct siege_score score;
	struct omega_sandbox_child *attacker;
	bool is_held = is_limit_held(library->inside);
	struct host host;
	unsigned long tries = 0;
	int faults = 0;
	int i;

	begin(&host);
	attacker = start_attacker(library->inside, world->dir);
	if (attacker == NULL)
		return 1;
	faults +=
	    start_others(library->inside, attacker, world, rounds, EACCES);
	faults += stop_attacker(attacker, world->dir, &score);
	for (i = 0; i < SIEGE_ATTACKS; i++) {
		tries += score.host[i].tries + score.next[i].tries;
		CHECK(faults, score.host[i].tries > 0, "%s: the host untried",
		    siege_names[i]);
		CHECK(faults, score.next[i].tries > 0, "%s: the next untried",
		    siege_names[i]);
		if (i == SIEGE_PRLIMIT && !is_held) {
			printf("# prlimit is not held here\n");
			continue;
		}
		CHECK(faults, score.host[i].hits == 0,
		    "%s: the host, %lu of %lu", siege_names[i],
		    score.host[i].hits, score.host[i].tries);
		CHECK(faults, score.next[i].hits == 0,
		    "%s: the next, %lu of %lu", siege_names[i],
		    score.next[i].hits, score.next[i].tries);
	}
	faults += is_changed(&host, is_held);
	CHECK(faults, world_is_whole(world), "the data changed");
	printf("# %s: %d starts, %lu of them found, %lu attacks\n",
	    geteuid() == 0 ? "root" : "user", rounds, score.seen, tries);
	fflush(stdout);
	free(host.mounts);
	return faults;
}

static int
siege(void *base)
{
	struct library library;
	struct world world;
	int faults = 0;

	world_make(&world, base, ".omega");
	if (!library_open(&library, base, world.dir, ""))
		return 1;
	faults += inside(&library, &world, library_rounds(2500));
	faults += outside(&library, &world);
	library_close(&library);
	world_end(&world);
	return faults;
}

static void
test_a_resident_attacker_touches_nothing(void **state)
{
	(void)state;
	if (is_under_valgrind())
		skip_because("valgrind makes a fork of every start");
	twice(siege);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_a_resident_attacker_touches_nothing),
	};
	int status = library_main(argc, argv);

	if (status >= 0)
		_exit(status);
	if (argc == 4 && strcmp(argv[1], "siege") == 0)
		_exit(siege_lay(argv[2], argv[3]));
	return run_all(tests);
}
