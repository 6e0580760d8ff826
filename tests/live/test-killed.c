/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-killed.c - hosts that are killed at random points of preparing and of
 * starting: no mount, no process and no file may be left, but for the
 * directories that a data directory is meant to have.
 */

#include "library.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "spawning.h"
#include "twice.h"

enum phase { OPENING, PREPARING, STARTING, WAITING, CLOSING, PHASES };

static const char *const phase_names[PHASES] = {
    "opening", "preparing", "starting", "waiting", "closing"};

/* What the host is doing; in memory that both have. */
static _Atomic int *now;

static void
be_host(const char *base, const char *dir)
{
	const char *words[] = {"/bin/true", NULL};
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	int i;

	for (;;) {
		struct omega_sandbox_policy *policy = NULL;
		struct omega_sandbox_prepared *prepared = NULL;
		struct omega_sandbox *sandbox = NULL;
		char path[2 * PATH_MAX];

		atomic_store(now, OPENING);
		snprintf(path, sizeof(path), "%s/sandbox.conf", base);
		if (omega_sandbox_open(path, NULL, NULL, &sandbox, NULL) < 0 ||
		    omega_sandbox_policy_new(sandbox, NULL, &policy, NULL) <
			0 ||
		    omega_sandbox_policy_set(policy, "data_dir", dir, NULL) < 0)
			_exit(1);
		atomic_store(now, PREPARING);
		if (omega_sandbox_prepare(policy, &prepared, NULL) < 0)
			_exit(2);
		for (i = 0; i < 4; i++) {
			struct omega_sandbox_command *command =
			    library_command(prepared, words);
			struct omega_sandbox_child *child = NULL;

			atomic_store(now, STARTING);
			if (omega_sandbox_spawn(command, &child, NULL) < 0)
				_exit(3);
			atomic_store(now, WAITING);
			if (omega_sandbox_child_wait(child, -1, &end, NULL) !=
				1 ||
			    end.status != 0)
				_exit(4);
			omega_sandbox_child_free(child);
			omega_sandbox_command_unref(command);
		}
		atomic_store(now, CLOSING);
		omega_sandbox_prepared_unref(prepared);
		omega_sandbox_policy_unref(policy);
		omega_sandbox_unref(sandbox);
	}
}

/* A name for every entry below a directory, with its kind and mode. */
static char listing[1 << 16];
static size_t listed;
static size_t listing_base;

static int
list_entry(const char *path, const struct stat *st, int type, struct FTW *place)
{
	int len;

	(void)type;
	(void)place;
	len = snprintf(listing + listed, sizeof(listing) - listed, "%o %s\n",
	    st->st_mode, path + listing_base);
	if (len > 0 && listed + (size_t)len < sizeof(listing))
		listed += (size_t)len;
	return 0;
}

static char *
list(const char *dir)
{
	listed = 0;
	listing[0] = '\0';
	listing_base = strlen(dir);
	nftw(dir, list_entry, 16, FTW_PHYS);
	return strdup(listing);
}

/* Wait for everything we inherited; how many are left. */
static int
wait_for_orphans(int children)
{
	int waited = 0;
	int left;

	do {
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		left = library_children() - children;
	} while (left > 0 && wait_a_little(&waited));
	return left > 0 ? left : 0;
}

/* How long one round of a host takes, in microseconds. */
static long
time_round(const char *base, const char *dir)
{
	struct timespec begin;
	struct timespec end;
	struct library library;
	int i;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	if (!library_open(&library, base, dir, ""))
		return 10000;
	for (i = 0; i < 4; i++)
		library_run(
		    library.inside, (const char *[]){"/bin/true", NULL});
	library_close(&library);
	clock_gettime(CLOCK_MONOTONIC, &end);
	return (end.tv_sec - begin.tv_sec) * 1000000 +
	       (end.tv_nsec - begin.tv_nsec) / 1000;
}

/* At any moment, or around that of a start, which is short. */
static void
wait_for_moment(long round, bool is_start)
{
	int i;

	usleep((useconds_t)(300 + random() % (2 * round)));
	if (!is_start)
		return;
	for (i = 0; i < 10000 && atomic_load(now) != STARTING; i++)
		usleep(10);
	usleep((useconds_t)(random() % 400));
}

static bool
is_each_met(const int *counts)
{
	return counts[PREPARING] > 0 && counts[STARTING] + counts[WAITING] > 0;
}

static int
kill_hosts(const char *base, struct world *world, int times, int *counts)
{
	long round = 30000; /* at most, whatever else the machine does */
	unsigned seed = (unsigned)getpid() ^ (unsigned)time(NULL);
	int faults = 0;
	int i;

	for (i = 0; i < 3; i++) {
		long taken = time_round(base, world->dir);

		round = taken < round ? taken : round;
	}
	printf("# seed %u, a round takes %ld us\n", seed, round);
	srandom(seed);
	/* More, if it takes them to meet each. */
	for (i = 0; i < times || (!is_each_met(counts) && i < 20 * times);
	     i++) {
		int status;
		pid_t pid;

		atomic_store(now, OPENING);
		pid = fork();
		if (pid == 0)
			be_host(base, world->dir);
		wait_for_moment(round, i % 2 == 1);
		kill(pid, SIGKILL);
		if (waitpid(pid, &status, 0) != pid || !WIFSIGNALED(status))
			CHECK(faults, false, "the host ended with %d", status);
		else
			counts[atomic_load(now)]++;
	}
	return faults;
}

static int
killed(void *base)
{
	int counts[PHASES] = {0};
	char *mounts[2];
	char *files[2];
	struct library library;
	struct world world;
	int children;
	int faults = 0;
	int i;

	now = mmap(NULL, sizeof(*now), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (now == MAP_FAILED || prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
		return 1;
	world_make(&world, base, ".omega");
	/* Makes what is meant to be there, and the configuration. */
	if (!library_open(&library, base, world.dir, ""))
		return 1;
	library_close(&library);
	children = library_children();
	mounts[0] = library_mounts();
	files[0] = list(base);
	faults += kill_hosts(base, &world, library_rounds(200), counts);
	i = wait_for_orphans(children);
	CHECK(faults, i == 0, "%d processes are left", i);
	mounts[1] = library_mounts();
	files[1] = list(base);
	CHECK(faults, strcmp(mounts[0], mounts[1]) == 0, "mounts are left");
	CHECK(faults, strcmp(files[0], files[1]) == 0, "files: %s\nwere: %s",
	    files[1], files[0]);
	CHECK(faults, world_is_whole(&world), "the data changed");
	for (i = 0; i < PHASES; i++)
		printf("# %s: %d killed while %s\n",
		    geteuid() == 0 ? "root" : "user", counts[i],
		    phase_names[i]);
	CHECK(faults, is_each_met(counts), "not at each of these");
	fflush(stdout);
	for (i = 0; i < 2; i++) {
		free(mounts[i]);
		free(files[i]);
	}
	world_end(&world);
	return faults;
}

static void
test_killed_hosts_leave_nothing(void **state)
{
	(void)state;
	if (is_under_valgrind())
		skip_because("valgrind makes a fork of every start");
	twice(killed);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_killed_hosts_leave_nothing),
	};
	int status = library_main(argc, argv);

	if (status >= 0)
		_exit(status);
	return run_all(tests);
}
