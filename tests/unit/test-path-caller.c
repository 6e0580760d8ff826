/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-path-caller.c - what a caller may rely on besides the answer: errno,
 * descriptors, arguments and the working directory are left alone, little
 * stack is needed, any number of threads may ask while paths change, and
 * children may ask after fork. The heap has a program of its own.
 */

#include "scene.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <omega/sandbox.h>

#define ACCESS_BOTH (OMEGA_SANDBOX_READ | OMEGA_SANDBOX_WRITE)

static struct scene scene;

static int
setup(void **state)
{
	(void)state;
	scene_enter(&scene);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	scene_leave(&scene);
	return 0;
}

static struct omega_sandbox_guard *
new_guard(void)
{
	struct omega_sandbox_guard *guard = NULL;

	assert_int_equal(omega_sandbox_guard_new(scene.home.dir,
			     scene.home.config_path, &guard, NULL),
	    OMEGA_SANDBOX_OK);
	return guard;
}

static void
test_errno_is_left_as_it_was(void **state)
{
	static const int values[] = {0, EBADF, ENOENT, 4711};
	struct omega_sandbox_verdict verdict = OMEGA_SANDBOX_VERDICT_INIT;
	struct omega_sandbox_guard *guard = new_guard();
	size_t i;
	size_t j;

	(void)state;
	for (i = 0; i < scene.count; i++) {
		const char *path = scene.cases[i].path;

		for (j = 0; j < sizeof(values) / sizeof(values[0]); j++) {
			errno = values[j];
			omega_sandbox_is_read_blocked(
			    path, scene.home.dir, scene.home.config_path);
			assert_int_equal(errno, values[j]);
			omega_sandbox_is_write_blocked(path, scene.home.dir);
			assert_int_equal(errno, values[j]);
			omega_sandbox_is_write_blocked(path, NULL);
			assert_int_equal(errno, values[j]);
			omega_sandbox_guard_is_blocked(
			    guard, ACCESS_BOTH, path, &verdict);
			assert_int_equal(errno, values[j]);
			omega_sandbox_guard_is_blocked(
			    NULL, ACCESS_BOTH, path, NULL);
			assert_int_equal(errno, values[j]);
		}
	}
	omega_sandbox_guard_free(guard);
}

static void
test_no_descriptor_is_left_open(void **state)
{
	struct omega_sandbox_verdict verdict = OMEGA_SANDBOX_VERDICT_INIT;
	struct omega_sandbox_guard *guard = new_guard();
	size_t i;

	(void)state;
	for (i = 0; i < scene.count; i++) {
		const char *path = scene.cases[i].path;
		int before = count_descriptors();
		int fd = -1;

		omega_sandbox_is_read_blocked(
		    path, scene.home.dir, scene.home.config_path);
		omega_sandbox_is_read_blocked(path, path, path);
		omega_sandbox_is_write_blocked(path, scene.home.dir);
		omega_sandbox_is_write_blocked(scene.home.dir, path);
		omega_sandbox_guard_is_blocked(
		    guard, ACCESS_BOTH, path, &verdict);
		if (omega_sandbox_open_checked(guard, path,
			O_RDONLY | O_NONBLOCK, 0, &fd, &verdict, NULL) == 0)
			close(fd);
		if (count_descriptors() != before)
			fail_msg("left open: %s", scene.cases[i].what);
	}
	omega_sandbox_guard_free(guard);
}

static void
test_descriptors_in_the_way_do_not_matter(void **state)
{
	int saved = dup(STDIN_FILENO);
	size_t i;

	(void)state;
	/* Descriptor 0 is free, so the library will be given it. */
	close(STDIN_FILENO);
	for (i = 0; i < scene.count; i++)
		assert_true(scene_case_holds(&scene, &scene.cases[i]));
	assert_int_equal(fcntl(STDIN_FILENO, F_GETFD), -1);
	if (saved >= 0) {
		dup2(saved, STDIN_FILENO);
		close(saved);
	}
}

static void
test_working_directory_is_left_as_it_was(void **state)
{
	char before[PATH_MAX];
	char after[PATH_MAX];
	size_t i;

	(void)state;
	assert_non_null(getcwd(before, sizeof(before)));
	for (i = 0; i < scene.count; i++)
		assert_true(scene_case_holds(&scene, &scene.cases[i]));
	assert_non_null(getcwd(after, sizeof(after)));
	assert_string_equal(before, after);
}

static void
test_arguments_are_only_read(void **state)
{
	long page = sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, 2 * (size_t)page, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const char *path = in_root(&scene.home, "to-data/x");
	size_t size = strlen(path) + 1;
	char *copy;

	(void)state;
	assert_true(memory != MAP_FAILED);
	/* Right before a page that cannot be touched, and not to be written. */
	copy = memory + (size_t)page - size;
	memcpy(copy, path, size);
	assert_int_equal(mprotect(memory + page, (size_t)page, PROT_NONE), 0);
	assert_int_equal(mprotect(memory, (size_t)page, PROT_READ), 0);
	expect_blocked(copy, scene.home.dir);
	expect_free(in_root(&scene.home, "free/plain"), copy);
	expect_verdict(copy, scene.home.dir, copy, true, true);
	munmap(memory, 2 * (size_t)page);
}

static int
ask_again(void *arg)
{
	struct omega_sandbox_guard *guard = arg;
	size_t i;

	for (i = 0; i < scene.count; i++)
		child_expect(scene_case_holds(&scene, &scene.cases[i]));
	child_expect(omega_sandbox_guard_is_blocked(
	    guard, ACCESS_BOTH, in_dir(&scene.home, "data/x"), NULL));
	child_expect(!omega_sandbox_guard_is_blocked(
	    guard, ACCESS_BOTH, in_dir(&scene.home, "skills/x"), NULL));
	omega_sandbox_guard_free(guard);
	return 0;
}

static void
test_child_may_ask_after_fork(void **state)
{
	struct omega_sandbox_guard *guard = new_guard();

	(void)state;
	assert_int_equal(in_child(ask_again, guard), 0);
	omega_sandbox_guard_free(guard);
}

/* ---- threads ------------------------------------------------------------ */

#define ASKERS 8

static struct {
	atomic_bool is_over;
	atomic_int wrong;
	atomic_long asked;
	struct omega_sandbox_guard *guard;
	char now_and_then[PATH_MAX]; /* sometimes protected */
	char always[PATH_MAX]; /* at either end */
	char never[PATH_MAX]; /* at neither, and it does not move */
} shared;

static void
note(bool right)
{
	if (!right)
		atomic_fetch_add(&shared.wrong, 1);
	atomic_fetch_add(&shared.asked, 1);
}

static void *
ask_on(void *arg)
{
	const char *dir = scene.home.dir;

	(void)arg;
	while (!atomic_load(&shared.is_over)) {
		errno = EXDEV;
		omega_sandbox_is_read_blocked(shared.now_and_then, dir, NULL);
		omega_sandbox_is_write_blocked(shared.now_and_then, dir);
		omega_sandbox_guard_is_blocked(
		    shared.guard, ACCESS_BOTH, shared.now_and_then, NULL);
		note(omega_sandbox_is_read_blocked(shared.always, dir, NULL));
		note(omega_sandbox_is_write_blocked(shared.always, dir));
		note(omega_sandbox_guard_is_blocked(
		    shared.guard, OMEGA_SANDBOX_READ, shared.always, NULL));
		note(!omega_sandbox_is_read_blocked(shared.never, dir, NULL));
		note(!omega_sandbox_is_write_blocked(shared.never, dir));
		note(!omega_sandbox_guard_is_blocked(
		    shared.guard, ACCESS_BOTH, shared.never, NULL));
		note(errno == EXDEV);
	}
	return NULL;
}

/* Let link lead to target from now on, without a moment of absence. */
static void
swap(const char *target, const char *link)
{
	char fresh[PATH_MAX + 8];

	snprintf(fresh, sizeof(fresh), "%s.new", link);
	if (symlink(target, fresh) != 0 || rename(fresh, link) != 0)
		atomic_fetch_add(&shared.wrong, 1);
}

static void *
swap_on(void *arg)
{
	char turn[PATH_MAX];
	char both[PATH_MAX];

	(void)arg;
	strcpy(turn, in_root(&scene.home, "turn"));
	strcpy(both, in_root(&scene.home, "both"));
	while (!atomic_load(&shared.is_over)) {
		swap("omega/data", turn);
		swap("omega/data", both);
		swap("free", turn);
		swap("omega/data/deep/er", both);
		swap("free/none", turn);
		swap("omega/data/none", both);
	}
	return NULL;
}

static void
sleep_ms(long ms)
{
	struct timespec time = {ms / 1000, ms % 1000 * 1000000};

	nanosleep(&time, NULL);
}

static void
test_threads_may_ask_while_links_are_swapped(void **state)
{
	pthread_t askers[ASKERS];
	pthread_t swapper;
	int waited = 0;
	int before;
	int i;

	(void)state;
	memset(&shared, 0, sizeof(shared));
	shared.guard = new_guard();
	strcpy(shared.now_and_then, in_root(&scene.home, "turn/x"));
	strcpy(shared.always, in_root(&scene.home, "both/x"));
	strcpy(shared.never, in_root(&scene.home, "to-free/plain"));
	assert_int_equal(unlink(in_root(&scene.home, "hard-free")), 0);
	make_link("free", in_root(&scene.home, "turn"));
	make_link("omega/data", in_root(&scene.home, "both"));
	before = count_descriptors();
	for (i = 0; i < ASKERS; i++)
		assert_int_equal(
		    pthread_create(&askers[i], NULL, ask_on, NULL), 0);
	assert_int_equal(pthread_create(&swapper, NULL, swap_on, NULL), 0);
	sleep_ms(1500);
	while (
	    atomic_load(&shared.asked) <= ASKERS * 8 && wait_a_little(&waited))
		continue;
	atomic_store(&shared.is_over, true);
	for (i = 0; i < ASKERS; i++)
		pthread_join(askers[i], NULL);
	pthread_join(swapper, NULL);
	omega_sandbox_guard_free(shared.guard);
	assert_int_equal(count_descriptors(), before);
	assert_true(atomic_load(&shared.asked) > ASKERS * 8);
	assert_int_equal(atomic_load(&shared.wrong), 0);
}

/* ---- stack -------------------------------------------------------------- */

#define STACK_SIZE (256u * 1024)
/* "About 80 KiB"; some compilers, and the thread itself, need more. */
#define STACK_MAY_USE (96u * 1024)
#define PAINT 0x5a

struct asker {
	const char *path;
	const char *data_dir;
};

static void *
ask_once(void *arg)
{
	const struct asker *asker = arg;

	omega_sandbox_is_read_blocked(
	    asker->path, asker->data_dir, scene.home.config_path);
	omega_sandbox_is_write_blocked(asker->path, asker->data_dir);
	return NULL;
}

/* How much stack do the questions take, at the most they ever did? */
static size_t
measure(const char *path, const char *data_dir)
{
	struct asker asker = {path, data_dir};
	unsigned char *stack = NULL;
	pthread_attr_t attributes;
	pthread_t thread;
	size_t untouched = 0;

	assert_int_equal(posix_memalign((void **)&stack, 65536, STACK_SIZE), 0);
	memset(stack, PAINT, STACK_SIZE);
	assert_int_equal(pthread_attr_init(&attributes), 0);
	assert_int_equal(
	    pthread_attr_setstack(&attributes, stack, STACK_SIZE), 0);
	assert_int_equal(
	    pthread_create(&thread, &attributes, ask_once, &asker), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	while (untouched < STACK_SIZE && stack[untouched] == PAINT)
		untouched++;
	pthread_attr_destroy(&attributes);
	free(stack);
	return STACK_SIZE - untouched;
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IS_INSTRUMENTED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_INSTRUMENTED 1
#endif

static void
test_little_stack_is_needed(void **state)
{
	const char *preload = getenv("LD_PRELOAD");
	size_t most = 0;
	size_t i;
	unsigned level;
	char deep[PATH_MAX];

	(void)state;
#ifdef IS_INSTRUMENTED
	skip_because("a sanitizer makes the stack larger than it is");
#endif
	if (preload != NULL && strstr(preload, "vgpreload") != NULL)
		skip_because("valgrind objects to looking at another stack");
	/* The search for hard links goes deep as well. */
	strcpy(deep, in_dir(&scene.home, "data"));
	for (level = 0; level < 16; level++)
		strcat(deep, "/d");
	make_dir(deep);
	for (i = 0; i < scene.count; i++) {
		size_t used = measure(scene.cases[i].path, scene.home.dir);

		if (used > STACK_MAY_USE)
			print_message(
			    "%s: %zu bytes\n", scene.cases[i].what, used);
		most = used > most ? used : most;
	}
	i = measure("/proc/version", in_root(&scene.home, "to-dir/."));
	most = i > most ? i : most;
	assert_in_range(most, 1, STACK_MAY_USE);
}

#define fresh(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    fresh(test_errno_is_left_as_it_was),
	    fresh(test_no_descriptor_is_left_open),
	    fresh(test_descriptors_in_the_way_do_not_matter),
	    fresh(test_working_directory_is_left_as_it_was),
	    fresh(test_arguments_are_only_read),
	    fresh(test_child_may_ask_after_fork),
	    fresh(test_threads_may_ask_while_links_are_swapped),
	    fresh(test_little_stack_is_needed),
	};

	return run_all(tests);
}
