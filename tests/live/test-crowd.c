/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-crowd.c - thousands of commands from eight threads through one
 * prepared policy: nothing is left of them. And when the host replaces what
 * is protected in the middle of it, the policy is prepared once more, by one
 * thread for all, and nobody sees the new file.
 */

#include "library.h"

#include <sys/stat.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launch/launch.h"
#include "spawning.h"
#include "twice.h"

#define THREADS 8
#define SHIELD "data_dir_mode = \"shield\"\n"

/* How often something was prepared. */
static atomic_int preparations;

void __real_omega_launch_finish(struct omega_launch *launch);
void __wrap_omega_launch_finish(struct omega_launch *launch);

void
__wrap_omega_launch_finish(struct omega_launch *launch)
{
	atomic_fetch_add(&preparations, 1);
	__real_omega_launch_finish(launch);
}

struct crowd {
	struct omega_sandbox_prepared *prepared;
	char secret[2 * PATH_MAX];
	int rounds; /* of each thread */
	int refused; /* the error of who wants to read the secret */
	int every; /* so many starts, one reads */
	atomic_int faults;
	atomic_int readers;
	/* Odd while the host replaces the file. */
	atomic_int moment;
	bool is_strict; /* also a command that runs meanwhile */
	atomic_int meanwhile; /* such commands that saw the new file */
	atomic_int done;
};

static void
complain(struct crowd *crowd, const char *what, int round, int status)
{
	if (atomic_fetch_add(&crowd->faults, 1) < 5)
		fprintf(stderr, "# %s in round %d: %d\n", what, round, status);
}

/* With a pipe that nobody reads, and not waited for to the end. */
static void
leave_one(struct crowd *crowd, int round)
{
	const char *words[] = {"/bin/cat", NULL};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_child *child = NULL;
	struct omega_sandbox_command *command =
	    library_command(crowd->prepared, words);

	if (omega_sandbox_command_set_stdio(
		command, 0, OMEGA_SANDBOX_STDIO_PIPE, -1, NULL) != 0 ||
	    omega_sandbox_command_set_stdio(
		command, 1, OMEGA_SANDBOX_STDIO_PIPE, -1, NULL) != 0 ||
	    omega_sandbox_spawn(command, &child, &error) < 0)
		complain(crowd, error.text, round, 0);
	else if (omega_sandbox_child_signal(child, 9) != 0 ||
		 omega_sandbox_child_wait(child, -1, &end, &error) != 1 ||
		 end.signal != 9)
		complain(crowd, "killed", round, end.status);
	omega_sandbox_child_free(child);
	omega_sandbox_command_unref(command);
}

static void
read_one(struct crowd *crowd, int round)
{
	const char *words[] = {library_self(), "read", crowd->secret, NULL};
	int before = atomic_load(&crowd->moment);
	int status = library_run(crowd->prepared, words);
	int after = atomic_load(&crowd->moment);

	atomic_fetch_add(&crowd->readers, 1);
	if (status == crowd->refused)
		return;
	if (!crowd->is_strict && status == 0 &&
	    (before != after || before % 2 == 1))
		atomic_fetch_add(&crowd->meanwhile, 1);
	else
		complain(crowd, "read", round, status);
}

static void *
work(void *arg)
{
	static const char *const quick[] = {"/bin/true", NULL};
	struct crowd *crowd = arg;
	int status;
	int i;

	for (i = 0; i < crowd->rounds; i++) {
		if (i % crowd->every == 0) {
			read_one(crowd, i);
		} else if (i % 40 == 7) {
			leave_one(crowd, i);
		} else {
			status = library_run(crowd->prepared, quick);
			if (status != 0)
				complain(crowd, "true", i, status);
		}
	}
	atomic_fetch_add(&crowd->done, 1);
	return NULL;
}

static void
start_threads(struct crowd *crowd, pthread_t *threads)
{
	int i;

	atomic_store(&crowd->done, 0);
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, work, crowd) != 0)
			abort();
}

static void
join_threads(pthread_t *threads)
{
	int i;

	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

/* What the process has. */
struct holdings {
	int descriptors;
	int children;
	char *mounts;
	long resident; /* KiB */
	long heap; /* bytes in use */
};

static long
resident(void)
{
	FILE *file = fopen("/proc/self/status", "r");
	char line[256];
	long size = 0;

	while (file != NULL && fgets(line, sizeof(line), file) != NULL)
		if (sscanf(line, "VmRSS: %ld", &size) == 1)
			break;
	if (file != NULL)
		fclose(file);
	return size;
}

static void
count_holdings(struct holdings *holdings)
{
	holdings->mounts = library_mounts();
	holdings->descriptors = count_descriptors();
	holdings->children = library_children();
	holdings->resident = resident();
#ifdef __GLIBC__
	holdings->heap = (long)mallinfo2().uordblks;
#else
	holdings->heap = 0;
#endif
}

/* A leak of one page or of forty bytes per start would be seen. */
static int
compare(const struct holdings *old, const struct holdings *new, int starts)
{
	long more = new->resident - old->resident;
	long heap = new->heap - old->heap;
	int faults = 0;

	CHECK(faults, new->descriptors == old->descriptors,
	    "descriptors: %d, then %d", old->descriptors, new->descriptors);
	CHECK(faults, new->children == old->children, "processes: %d, then %d",
	    old->children, new->children);
	CHECK(faults, strcmp(new->mounts, old->mounts) == 0, "mounts changed");
	if (!is_sanitized() && !is_under_valgrind()) {
		CHECK(faults, more < 1024 + starts / 10, "%ld KiB more", more);
		CHECK(
		    faults, heap < 16384 + starts * 4L, "%ld bytes more", heap);
	}
	printf("# %s: %d starts from %d threads; %ld KiB resident and %ld "
	       "bytes of heap more\n",
	    geteuid() == 0 ? "root" : "user", starts, THREADS, more, heap);
	fflush(stdout);
	return faults;
}

static void
prepare_crowd(struct crowd *crowd, struct library *library,
    const struct world *world, const char *secret)
{
	memset(crowd, 0, sizeof(*crowd));
	crowd->prepared = library->inside;
	crowd->refused = EACCES;
	crowd->every = 25;
	snprintf(
	    crowd->secret, sizeof(crowd->secret), "%s/%s", world->dir, secret);
}

static int
nothing_is_left(void *base)
{
	struct holdings old;
	struct holdings new;
	pthread_t threads[THREADS];
	struct library library;
	struct crowd crowd;
	struct world world;
	int begun;
	int faults = 0;

	world_make(&world, base, ".omega");
	if (!library_open(&library, base, world.dir, ""))
		return 1;
	prepare_crowd(&crowd, &library, &world, "data/memory.db");
	crowd.rounds = 30; /* arenas, stacks and caches are there now */
	start_threads(&crowd, threads);
	join_threads(threads);
	malloc_trim(0);
	count_holdings(&old);
	begun = atomic_load(&preparations);
	crowd.rounds = library_rounds(2500) / THREADS;
	start_threads(&crowd, threads);
	join_threads(threads);
	malloc_trim(0);
	count_holdings(&new);
	faults += compare(&old, &new, crowd.rounds * THREADS);
	faults += atomic_load(&crowd.faults);
	/* Others may have changed the machine's /dev meanwhile. */
	printf(
	    "# prepared again %d times\n", atomic_load(&preparations) - begun);
	CHECK(faults, world_is_whole(&world), "the data changed");
	free(old.mounts);
	free(new.mounts);
	library_close(&library);
	world_end(&world);
	return faults;
}

/* A new one by rename, as editors do it; made where nobody looks. */
static bool
replace(struct crowd *crowd, const struct world *world)
{
	char other[2 * PATH_MAX];
	FILE *file;
	bool is_done;

	snprintf(other, sizeof(other), "%s/config.new", world->home);
	file = fopen(other, "w");
	if (file == NULL || fputs(SECRET, file) < 0 || fclose(file) != 0 ||
	    chmod(other, 0600) != 0)
		return false;
	atomic_fetch_add(&crowd->moment, 1);
	is_done = rename(other, crowd->secret) == 0;
	atomic_fetch_add(&crowd->moment, 1);
	return is_done;
}

/* Has anything else of what is looked at before every start changed? Others
 * use this machine too. */
static bool
is_same_machine(const struct stat *before)
{
	struct stat now;

	return stat("/dev", &now) == 0 &&
	       now.st_ctim.tv_sec == before->st_ctim.tv_sec &&
	       now.st_ctim.tv_nsec == before->st_ctim.tv_nsec;
}

static int
replaced(const char *base, const char *lines, bool is_strict)
{
	struct stat dev = {.st_ino = 0};
	pthread_t threads[THREADS];
	struct library library;
	struct crowd crowd;
	struct world world;
	int begun;
	int faults = 0;
	int times;
	int i;

	world_make(&world, base, ".omega");
	if (!library_open(&library, base, world.dir, lines))
		return 1;
	prepare_crowd(&crowd, &library, &world, "config.toml");
	crowd.is_strict = is_strict;
	crowd.every = 2;
	crowd.rounds = library_rounds(2000) / THREADS;
	CHECK(faults, stat("/dev", &dev) == 0, "/dev");
	begun = atomic_load(&preparations);
	start_threads(&crowd, threads);
	for (times = 0; times < 8 && atomic_load(&crowd.done) == 0; times++) {
		int waited = 0;

		usleep(20000);
		CHECK(faults, replace(&crowd, &world), "%s", strerror(errno));
		while (atomic_load(&crowd.done) == 0 &&
		       atomic_load(&preparations) < begun + times + 1 &&
		       wait_a_little(&waited))
			continue;
	}
	join_threads(threads);
	/* The last may have come when no command did. */
	i = library_run(library.inside,
	    (const char *[]){library_self(), "read", crowd.secret, NULL});
	CHECK(faults, i == crowd.refused, "in the end: %d", i);
	i = library_run(library.outside,
	    (const char *[]){library_self(), "read", crowd.secret, NULL});
	CHECK(faults, i == 0, "outside: %d", i);
	i = atomic_load(&preparations) - begun;
	CHECK(faults, times > 0 && i >= times, "replaced %d times, prepared %d",
	    times, i);
	CHECK(faults, i == times || !is_same_machine(&dev),
	    "replaced %d times, prepared %d", times, i);
	/* Those that ran when the mask went, and none that came later. */
	CHECK(faults, atomic_load(&crowd.meanwhile) <= times * THREADS,
	    "%d saw it", atomic_load(&crowd.meanwhile));
	faults += atomic_load(&crowd.faults);
	printf("# %s, %s: replaced %d times, prepared %d; %d commands read, "
	       "%d meanwhile saw it\n",
	    geteuid() == 0 ? "root" : "user", is_strict ? "shield" : "mask",
	    times, i, atomic_load(&crowd.readers),
	    atomic_load(&crowd.meanwhile));
	fflush(stdout);
	library_close(&library);
	world_end(&world);
	return faults;
}

static int
replaced_while_starting(void *base)
{
	return replaced(base, "", false) + replaced(base, SHIELD, true);
}

static void
test_thousands_leave_nothing(void **state)
{
	(void)state;
	if (is_under_valgrind())
		skip_because("valgrind makes a fork of every start");
	twice(nothing_is_left);
}

static void
test_stale_is_prepared_once_for_all(void **state)
{
	(void)state;
	if (is_under_valgrind())
		skip_because("valgrind makes a fork of every start");
	twice(replaced_while_starting);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_thousands_leave_nothing),
	    cmocka_unit_test(test_stale_is_prepared_once_for_all),
	};
	int status = library_main(argc, argv);

	if (status >= 0)
		_exit(status);
	return run_all(tests);
}
