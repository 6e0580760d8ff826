/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-path-heap.c - memory: questions take none from the heap, and a guard
 * survives every allocation that fails.
 *
 * The program has its own malloc, which counts, fails on demand, and passes
 * on to the one of glibc.
 */

#include "scene.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <omega/sandbox.h>

#define ACCESS_BOTH (OMEGA_SANDBOX_READ | OMEGA_SANDBOX_WRITE)

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_OTHER_MALLOC 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    !defined(__GLIBC__)
#define HAS_OTHER_MALLOC 1
#endif

static atomic_bool is_watched;
static atomic_long taken; /* allocations while watched */
static atomic_long alive; /* of these, not yet freed */
static atomic_long fail_from; /* this many succeed; negative: all do */

#ifndef HAS_OTHER_MALLOC
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void __libc_free(void *memory);
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *memory, size_t size);
void free(void *memory);

/* Note an allocation; false when it is to fail. */
static bool
may_take(void)
{
	long number;

	if (!atomic_load(&is_watched))
		return true;
	number = atomic_fetch_add(&taken, 1);
	return atomic_load(&fail_from) < 0 || number < atomic_load(&fail_from);
}

static void *
noted(void *memory)
{
	if (memory != NULL && atomic_load(&is_watched))
		atomic_fetch_add(&alive, 1);
	return memory;
}

static void *
no_memory(void)
{
	errno = ENOMEM;
	return NULL;
}

void *
malloc(size_t size)
{
	return may_take() ? noted(__libc_malloc(size)) : no_memory();
}

void *
calloc(size_t count, size_t size)
{
	return may_take() ? noted(__libc_calloc(count, size)) : no_memory();
}

void *
realloc(void *memory, size_t size)
{
	if (!may_take())
		return no_memory();
	return memory != NULL ? __libc_realloc(memory, size)
			      : noted(__libc_malloc(size));
}

void
free(void *memory)
{
	if (memory != NULL && atomic_load(&is_watched))
		atomic_fetch_sub(&alive, 1);
	__libc_free(memory);
}
#endif

static void
watch(long successes)
{
	atomic_store(&taken, 0);
	atomic_store(&alive, 0);
	atomic_store(&fail_from, successes);
	atomic_store(&is_watched, true);
}

/* How many allocations there were meanwhile. */
static long
watched(void)
{
	atomic_store(&is_watched, false);
	return atomic_load(&taken);
}

/* Leave the test where our malloc is not the one in use. */
static void
need_our_malloc(void)
{
	void *volatile memory;
	long count;

	watch(-1);
	memory = malloc(1);
	free(memory);
	count = watched();
	if (count != 1)
		skip_because("memory is watched by another tool already");
}

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

static void
test_watch_sees_allocations(void **state)
{
	void *volatile memory;
	char *volatile copy;

	(void)state;
	need_our_malloc();
	watch(1);
	memory = malloc(8);
	copy = strdup("x");
	assert_int_equal(watched(), 2);
	assert_non_null(memory);
	assert_null(copy);
	free(memory);
}

static void
test_questions_take_no_memory(void **state)
{
	size_t i;

	(void)state;
	need_our_malloc();
	for (i = 0; i < scene.count; i++) {
		const char *path = scene.cases[i].path;
		long count;

		watch(0);
		omega_sandbox_is_read_blocked(
		    path, scene.home.dir, scene.home.config_path);
		omega_sandbox_is_write_blocked(path, scene.home.dir);
		count = watched();
		if (count != 0)
			fail_msg("%ld times: %s", count, scene.cases[i].what);
	}
}

static void
test_questions_to_a_guard_take_no_memory(void **state)
{
	struct omega_sandbox_verdict verdict = OMEGA_SANDBOX_VERDICT_INIT;
	struct omega_sandbox_guard *guard = NULL;
	size_t i;
	int fd;

	(void)state;
	need_our_malloc();
	assert_int_equal(omega_sandbox_guard_new(scene.home.dir,
			     scene.home.config_path, &guard, NULL),
	    OMEGA_SANDBOX_OK);
	for (i = 0; i < scene.count; i++) {
		const char *path = scene.cases[i].path;
		long count;

		watch(0);
		omega_sandbox_guard_is_blocked(
		    guard, ACCESS_BOTH, path, &verdict);
		if (omega_sandbox_open_checked(guard, path,
			O_RDONLY | O_NONBLOCK, 0, &fd, &verdict, NULL) == 0)
			close(fd);
		count = watched();
		if (count != 0)
			fail_msg("%ld times: %s", count, scene.cases[i].what);
	}
	omega_sandbox_guard_free(guard);
}

static void
test_guard_that_cannot_be_made_leaves_nothing(void **state)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_guard *guard;
	long limit;
	int ret;

	(void)state;
	need_our_malloc();
	for (limit = 0;; limit++) {
		guard = (struct omega_sandbox_guard *)&limit;
		watch(limit);
		ret = omega_sandbox_guard_new(
		    scene.home.dir, scene.home.config_path, &guard, &error);
		if (ret == OMEGA_SANDBOX_OK)
			omega_sandbox_guard_free(guard);
		watched();
		assert_int_equal(atomic_load(&alive), 0);
		if (ret == OMEGA_SANDBOX_OK)
			break;
		assert_int_equal(ret, OMEGA_SANDBOX_E_MEMORY);
		assert_int_equal(error.code, OMEGA_SANDBOX_E_MEMORY);
		assert_int_equal(error.sys_errno, ENOMEM);
		assert_null(guard);
	}
	assert_true(limit > 3);
}

static bool
is_blocked(const struct omega_sandbox_guard *guard, const char *path)
{
	return omega_sandbox_guard_is_blocked(guard, ACCESS_BOTH, path, NULL);
}

static void
test_rule_that_cannot_be_added_changes_nothing(void **state)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_guard *guard = NULL;
	long failures = 0;
	int added = 0;

	(void)state;
	need_our_malloc();
	assert_int_equal(omega_sandbox_guard_new(scene.home.dir,
			     scene.home.config_path, &guard, NULL),
	    OMEGA_SANDBOX_OK);
	/* Far enough for list and index to grow several times. */
	while (added < 200) {
		char path[PATH_MAX];
		char other[PATH_MAX];
		long limit;
		int ret = OMEGA_SANDBOX_E_MEMORY;

		/* A link: both of its ends become rules, or neither. */
		strcpy(other, in_root(&scene.home, text("free/r%d", added)));
		strcpy(path, in_root(&scene.home, text("rule-%d", added)));
		make_link(other, path);
		for (limit = 0; ret != OMEGA_SANDBOX_OK; limit++) {
			watch(limit);
			ret = omega_sandbox_guard_block(
			    guard, ACCESS_BOTH, path, "origin", 1, &error);
			watched();
			if (ret == OMEGA_SANDBOX_OK)
				break;
			failures++;
			assert_int_equal(ret, OMEGA_SANDBOX_E_MEMORY);
			assert_false(is_blocked(guard, path));
			assert_false(is_blocked(guard, other));
		}
		assert_true(is_blocked(guard, path));
		assert_true(is_blocked(guard, other));
		added++;
	}
	assert_true(failures >= 200 * 6);
	assert_true(is_blocked(guard, in_dir(&scene.home, "data/x")));
	assert_false(is_blocked(guard, in_dir(&scene.home, "skills/x")));
	omega_sandbox_guard_free(guard);
}

#define fresh(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    fresh(test_watch_sees_allocations),
	    fresh(test_questions_take_no_memory),
	    fresh(test_questions_to_a_guard_take_no_memory),
	    fresh(test_guard_that_cannot_be_made_leaves_nothing),
	    fresh(test_rule_that_cannot_be_added_changes_nothing),
	};

	return run_all(tests);
}
