/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-path-race.c - omega_sandbox_open_checked while somebody exchanges the
 * names under it: what it opens is never protected, and nothing is made,
 * cut or left where something is.
 *
 * One thread swaps, the test opens, for a fixed time. A check and an open(2)
 * after it lose this race within a few milliseconds.
 */

#include "guarded.h"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <omega/sandbox.h>

#define RACE_MS 400
#ifndef RENAME_EXCHANGE
#define RENAME_EXCHANGE 2
#endif

/* The one who swaps. */
struct swapper {
	void (*step)(struct swapper *swapper);
	char name[PATH_MAX]; /* what is opened, or a directory of it */
	char spare[PATH_MAX]; /* for the next one to wait under */
	char bad[PATH_MAX];
	char good[PATH_MAX];
	atomic_bool is_over;
	atomic_long steps;
	pthread_t thread;
};

static struct swapper swapper;

static void *
swap_on(void *arg)
{
	struct swapper *self = arg;

	while (!atomic_load(&self->is_over)) {
		self->step(self);
		atomic_fetch_add(&self->steps, 1);
	}
	return NULL;
}

static void
start(void (*step)(struct swapper *swapper), const char *name, const char *bad,
    const char *good)
{
	swapper.step = step;
	strcpy(swapper.name, in_root(&home, name));
	strcpy(swapper.spare, in_root(&home, text("%s.spare", name)));
	strcpy(swapper.bad, in_root(&home, bad));
	strcpy(swapper.good, in_root(&home, good));
	atomic_store(&swapper.is_over, false);
	atomic_store(&swapper.steps, 0);
	step(&swapper);
	assert_int_equal(
	    pthread_create(&swapper.thread, NULL, swap_on, &swapper), 0);
}

static void
stop(void)
{
	atomic_store(&swapper.is_over, true);
	assert_int_equal(pthread_join(swapper.thread, NULL), 0);
	assert_true(atomic_load(&swapper.steps) > 5);
}

/* Let the name be a link, now to the one, now to the other. */
static void
step_links(struct swapper *self)
{
	if (symlink(self->bad, self->spare) == 0)
		rename(self->spare, self->name);
	if (symlink(self->good, self->spare) == 0)
		rename(self->spare, self->name);
}

/* Let the name be a hard link, now of the one, now of the other. */
static void
step_hard_links(struct swapper *self)
{
	if (link(self->bad, self->spare) == 0)
		rename(self->spare, self->name);
	unlink(self->spare);
	if (link(self->good, self->spare) == 0)
		rename(self->spare, self->name);
	unlink(self->spare);
}

/* Exchange what is there for what waits, a directory and a link. */
static void
step_exchange(struct swapper *self)
{
	syscall(SYS_renameat2, AT_FDCWD, self->name, AT_FDCWD, self->spare,
	    RENAME_EXCHANGE);
}

/*
 * Has it been tried long enough? Under valgrind, where one thread runs at a
 * time, that may take longer until there was something to try.
 */
static bool
is_over(const struct timespec *begin, long successes)
{
	struct timespec now;
	long ms;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ms = (now.tv_sec - begin->tv_sec) * 1000 +
	     (now.tv_nsec - begin->tv_nsec) / 1000000;
	if (ms > RACE_MS && successes > 0 && atomic_load(&swapper.steps) > 5)
		return true;
	return ms > 50 * RACE_MS;
}

/* Read the path over and over: the secret must never be seen. */
static void
race_to_read(const char *path)
{
	struct timespec begin;
	int before = count_descriptors();
	long opened = 0;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	while (!is_over(&begin, opened)) {
		char content[64] = "";
		int fd = -1;

		if (omega_sandbox_open_checked(guard, path, O_RDONLY, 0, &fd,
			NULL, NULL) != OMEGA_SANDBOX_OK)
			continue;
		opened++;
		assert_true(read(fd, content, sizeof(content) - 1) >= 0);
		close(fd);
		assert_string_equal(content, HARMLESS);
	}
	stop();
	assert_int_equal(count_descriptors(), before);
	assert_true(opened > 0);
}

static void
test_swapped_link_never_opens_the_protected_file(void **state)
{
	const char *path = in_root(&home, "turn");

	(void)state;
	start(step_links, "turn", "omega/config.toml", "free/plain");
	race_to_read(path);
}

static void
test_swapped_directory_link_never_opens_the_protected_file(void **state)
{
	const char *path = in_root(&home, "turn/memory.db");

	(void)state;
	make_file(in_root(&home, "free/memory.db"), HARMLESS);
	start(step_links, "turn", "omega/data", "free");
	race_to_read(path);
}

static void
test_exchanged_directory_never_opens_the_protected_file(void **state)
{
	const char *path = in_root(&home, "turn/er/file");

	(void)state;
	make_file(in_root(&home, "turn/er/file"), HARMLESS);
	make_link("omega/data/deep", in_root(&home, "turn.spare"));
	start(step_exchange, "turn", "omega", "free");
	race_to_read(path);
}

static void
test_swapped_hard_link_never_opens_the_protected_file(void **state)
{
	const char *path = in_root(&home, "turn");

	(void)state;
	start(step_hard_links, "turn", "omega/data/memory.db", "free/plain");
	race_to_read(path);
}

static void
test_swapped_link_never_cuts_the_protected_file(void **state)
{
	struct timespec begin;
	const char *path = in_root(&home, "turn");
	char content[64] = "";
	long opened = 0;
	int fd;

	(void)state;
	start(step_links, "turn", "omega/config.toml", "free/plain");
	clock_gettime(CLOCK_MONOTONIC, &begin);
	while (!is_over(&begin, opened)) {
		if (omega_sandbox_open_checked(guard, path,
			O_WRONLY | O_TRUNC | O_CREAT, 0600, &fd, NULL,
			NULL) == OMEGA_SANDBOX_OK) {
			close(fd);
			opened++;
		}
	}
	stop();
	fd = open(in_dir(&home, "config.toml"), O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_true(read(fd, content, sizeof(content) - 1) > 0);
	close(fd);
	assert_string_equal(content, SECRET);
}

static int
count_entries(const char *dir)
{
	DIR *stream = opendir(dir);
	int count = 0;

	assert_non_null(stream);
	while (readdir(stream) != NULL)
		count++;
	closedir(stream);
	return count;
}

/* Make files over and over: none may come to be in the protected place. */
static void
race_to_make(const char *path, const char *made, int flags)
{
	struct timespec begin;
	char watched[PATH_MAX];
	int before;
	long made_here = 0;

	strcpy(watched, in_dir(&home, "data"));
	before = count_entries(watched);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	while (!is_over(&begin, made_here)) {
		int fd = -1;

		if (omega_sandbox_open_checked(guard, path, flags, 0600, &fd,
			NULL, NULL) == OMEGA_SANDBOX_OK) {
			close(fd);
			made_here++;
		}
		if (count_entries(watched) != before)
			break;
		unlink(made);
	}
	stop();
	assert_int_equal(count_entries(watched), before);
	assert_true(made_here > 0);
}

static void
test_swapped_directory_link_makes_nothing_in_data(void **state)
{
	const char *path = in_root(&home, "turn/made");
	const char *made = in_root(&home, "free/made");

	(void)state;
	start(step_links, "turn", "omega/data", "free");
	race_to_make(path, made, O_WRONLY | O_CREAT);
}

static void
test_swapped_directory_link_makes_nothing_exclusively(void **state)
{
	const char *path = in_root(&home, "turn/made");
	const char *made = in_root(&home, "free/made");

	(void)state;
	start(step_links, "turn", "omega/data", "free");
	race_to_make(path, made, O_RDWR | O_CREAT | O_EXCL);
}

static void
test_exchanged_directory_makes_nothing_in_data(void **state)
{
	const char *path = in_root(&home, "turn/made");
	const char *made = in_root(&home, "turn/made");

	(void)state;
	make_dir(in_root(&home, "turn"));
	make_link("omega/data", in_root(&home, "turn.spare"));
	start(step_exchange, "turn", "omega", "free");
	race_to_make(path, made, O_WRONLY | O_CREAT);
}

static void
test_swapped_dangling_link_makes_nothing_in_data(void **state)
{
	const char *path = in_root(&home, "turn");
	const char *made = in_root(&home, "free/made");

	(void)state;
	start(step_links, "turn", "omega/data/made", "free/made");
	race_to_make(path, made, O_WRONLY | O_CREAT);
}

#define fresh(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    fresh(test_swapped_link_never_opens_the_protected_file),
	    fresh(test_swapped_directory_link_never_opens_the_protected_file),
	    fresh(test_exchanged_directory_never_opens_the_protected_file),
	    fresh(test_swapped_hard_link_never_opens_the_protected_file),
	    fresh(test_swapped_link_never_cuts_the_protected_file),
	    fresh(test_swapped_directory_link_makes_nothing_in_data),
	    fresh(test_swapped_directory_link_makes_nothing_exclusively),
	    fresh(test_exchanged_directory_makes_nothing_in_data),
	    fresh(test_swapped_dangling_link_makes_nothing_in_data),
	};

	return run_all(tests);
}
