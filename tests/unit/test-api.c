/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-api.c - the public functions' manners: senseless arguments, objects
 * of older and newer programs, codes and texts.
 */

#include "guarded.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <omega/sandbox.h>

#include "config.h"

#define BOTH (OMEGA_SANDBOX_READ | OMEGA_SANDBOX_WRITE)
#define MARK 0xa5

static void
test_version_is_the_same_in_header_and_library(void **state)
{
	int major = -1;
	int minor = -1;
	int patch = -1;

	(void)state;
	assert_string_equal(omega_sandbox_version(), PACKAGE_VERSION);
	assert_int_equal(
	    sscanf(omega_sandbox_version(), "%d.%d.%d", &major, &minor, &patch),
	    3);
	assert_int_equal(
	    major * 10000 + minor * 100 + patch, OMEGA_SANDBOX_VERSION);
}

/* An error object in its first state. */
static struct omega_sandbox_error
fresh_error(void)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;

	return error;
}

static void
assert_error(const struct omega_sandbox_error *error, int code, int sys_errno)
{
	size_t i;

	assert_int_equal(error->code, code);
	assert_int_equal(error->sys_errno, sys_errno);
	assert_int_equal(error->size, sizeof(*error));
	assert_true(error->text[0] != '\0');
	assert_non_null(memchr(error->text, '\0', sizeof(error->text)));
	for (i = 0; error->text[i] != '\0'; i++)
		assert_true((unsigned char)error->text[i] >= ' ');
	assert_string_equal(error->backend, "");
	assert_string_equal(error->file, "");
	assert_int_equal(error->line, 0);
}

static void
test_new_without_a_place_for_the_guard_fails(void **state)
{
	struct omega_sandbox_error error = fresh_error();

	(void)state;
	assert_int_equal(omega_sandbox_guard_new(home.dir, NULL, NULL, &error),
	    OMEGA_SANDBOX_E_ARGUMENT);
	assert_error(&error, OMEGA_SANDBOX_E_ARGUMENT, EINVAL);
	assert_int_equal(omega_sandbox_guard_new(home.dir, NULL, NULL, NULL),
	    OMEGA_SANDBOX_E_ARGUMENT);
}

static void
assert_not_made(const char *data_dir, const char *config_path, int sys_errno)
{
	struct omega_sandbox_error error = fresh_error();
	struct omega_sandbox_guard *made = guard;

	assert_int_equal(
	    omega_sandbox_guard_new(data_dir, config_path, &made, &error),
	    OMEGA_SANDBOX_E_INVALID_POLICY);
	assert_null(made);
	assert_error(&error, OMEGA_SANDBOX_E_INVALID_POLICY, sys_errno);
	made = guard;
	assert_int_equal(
	    omega_sandbox_guard_new(data_dir, config_path, &made, NULL),
	    OMEGA_SANDBOX_E_INVALID_POLICY);
	assert_null(made);
}

static void
test_guard_that_would_protect_less_is_not_made(void **state)
{
	char longest[PATH_MAX + 2];

	(void)state;
	assert_not_made(NULL, NULL, EINVAL);
	assert_not_made("", NULL, EINVAL);
	assert_not_made("omega", NULL, EINVAL);
	assert_not_made(home.dir, "app.toml", EINVAL);
	assert_not_made(home.dir, "./app.toml", EINVAL);
	make_link("loop", in_root(&home, "loop"));
	assert_not_made(in_root(&home, "loop"), NULL, ELOOP);
	assert_not_made(home.dir, in_root(&home, "loop/x"), ELOOP);
	assert_not_made(in_root(&home, "none/../omega"), NULL, ENOENT);
	memset(longest, '/', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	assert_not_made(longest, NULL, ENAMETOOLONG);
	assert_not_made(home.dir, longest, ENAMETOOLONG);
}

static void
test_config_path_may_be_left_out(void **state)
{
	struct omega_sandbox_guard *made = NULL;

	(void)state;
	assert_int_equal(omega_sandbox_guard_new(home.dir, "", &made, NULL),
	    OMEGA_SANDBOX_OK);
	assert_false(
	    omega_sandbox_guard_is_blocked(made, BOTH, home.config_path, NULL));
	omega_sandbox_guard_free(made);
}

static void
test_text_about_a_path_stays_on_one_line(void **state)
{
	struct omega_sandbox_error error = fresh_error();
	char name[PATH_MAX];
	int fd;

	(void)state;
	assert_not_made("two\nlines\r\t\x7f", NULL, EINVAL);
	assert_int_equal(
	    omega_sandbox_open_checked(guard, in_root(&home, "two\nlines"),
		O_RDONLY, 0, &fd, NULL, &error),
	    OMEGA_SANDBOX_E_SYSTEM);
	assert_error(&error, OMEGA_SANDBOX_E_SYSTEM, ENOENT);
	assert_non_null(strstr(error.text, "two?lines"));
	/* Longer than the text can be: cut off, and still text. */
	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	assert_not_made(name, NULL, EINVAL);
}

static void
test_block_without_guard_or_access_fails(void **state)
{
	static const unsigned senseless[] = {0, 4, 8, BOTH | 4, ~0u, ~BOTH};
	struct omega_sandbox_error error;
	const char *path = in_root(&home, "free");
	size_t i;

	(void)state;
	error = fresh_error();
	assert_int_equal(
	    omega_sandbox_guard_block(NULL, BOTH, path, "f", 1, &error),
	    OMEGA_SANDBOX_E_ARGUMENT);
	assert_error(&error, OMEGA_SANDBOX_E_ARGUMENT, EINVAL);
	for (i = 0; i < sizeof(senseless) / sizeof(senseless[0]); i++) {
		error = fresh_error();
		assert_int_equal(omega_sandbox_guard_block(
				     guard, senseless[i], path, "f", 1, &error),
		    OMEGA_SANDBOX_E_ARGUMENT);
		assert_error(&error, OMEGA_SANDBOX_E_ARGUMENT, EINVAL);
		assert_int_equal(omega_sandbox_guard_block(
				     guard, senseless[i], path, "f", 1, NULL),
		    OMEGA_SANDBOX_E_ARGUMENT);
	}
	assert_false(omega_sandbox_guard_is_blocked(guard, BOTH, path, NULL));
}

static void
test_question_without_guard_or_access_is_blocked(void **state)
{
	static const unsigned senseless[] = {0, 8, 16, BOTH | 8, ~0u, ~BOTH};
	struct omega_sandbox_verdict verdict = OMEGA_SANDBOX_VERDICT_INIT;
	const char *path = in_root(&home, "free/plain");
	size_t i;

	(void)state;
	assert_true(omega_sandbox_guard_is_blocked(NULL, BOTH, path, NULL));
	assert_true(omega_sandbox_guard_is_blocked(NULL, BOTH, path, &verdict));
	assert_int_equal(verdict.reason, OMEGA_SANDBOX_UNDECIDED);
	assert_int_equal(verdict.sys_errno, EINVAL);
	for (i = 0; i < sizeof(senseless) / sizeof(senseless[0]); i++) {
		memset(&verdict, 0, sizeof(verdict));
		verdict.size = sizeof(verdict);
		assert_true(omega_sandbox_guard_is_blocked(
		    guard, senseless[i], path, &verdict));
		assert_int_equal(verdict.reason, OMEGA_SANDBOX_UNDECIDED);
		assert_int_equal(verdict.sys_errno, EINVAL);
		assert_null(verdict.rule);
		assert_string_equal(verdict.resolved, "");
	}
	assert_false(omega_sandbox_guard_is_blocked(guard, BOTH, path, NULL));
}

static void
test_open_without_guard_path_or_place_fails(void **state)
{
	struct omega_sandbox_error error = fresh_error();
	const char *path = in_root(&home, "free/plain");
	int fd = 4711;

	(void)state;
	assert_int_equal(omega_sandbox_open_checked(
			     NULL, path, O_RDONLY, 0, &fd, NULL, &error),
	    OMEGA_SANDBOX_E_ARGUMENT);
	assert_error(&error, OMEGA_SANDBOX_E_ARGUMENT, EINVAL);
	assert_int_equal(fd, -1);
	fd = 4711;
	assert_int_equal(omega_sandbox_open_checked(
			     guard, NULL, O_RDONLY, 0, &fd, NULL, NULL),
	    OMEGA_SANDBOX_E_ARGUMENT);
	assert_int_equal(fd, -1);
	assert_int_equal(omega_sandbox_open_checked(
			     guard, path, O_RDONLY, 0, NULL, NULL, &error),
	    OMEGA_SANDBOX_E_ARGUMENT);
}

static void
test_free_takes_null(void **state)
{
	(void)state;
	omega_sandbox_guard_free(NULL);
}

/* ---- objects of other sizes --------------------------------------------- */

/* Bytes in which an object of any size can stand, with a mark behind it. */
union room {
	uint32_t size;
	struct omega_sandbox_verdict verdict;
	struct omega_sandbox_error error;
	unsigned char bytes[sizeof(struct omega_sandbox_verdict) + 4096];
};

static union room whole;
static union room part;

static void
mark(union room *room, uint32_t size)
{
	memset(room, MARK, sizeof(*room));
	room->size = size;
}

/* The first bytes are as in the whole one, the others untouched. */
static void
assert_part(uint32_t size, size_t known)
{
	size_t written = size < known ? size : known;
	size_t i;

	assert_int_equal(part.size, size);
	for (i = sizeof(part.size); i < sizeof(part); i++) {
		unsigned char expected = i < written ? whole.bytes[i] : MARK;

		if (part.bytes[i] != expected)
			fail_msg("size %u: byte %zu", size, i);
	}
}

static const uint32_t sizes[] = {4, 5, 8, 12, 15, 16, 24, 32, 33, 40, 100, 1184,
    2208, sizeof(struct omega_sandbox_error) - 1,
    sizeof(struct omega_sandbox_error),
    sizeof(struct omega_sandbox_verdict) - 1,
    sizeof(struct omega_sandbox_verdict),
    sizeof(struct omega_sandbox_verdict) + 1,
    sizeof(struct omega_sandbox_verdict) + 4096};

static void
test_verdict_of_another_size_is_filled_as_far_as_it_goes(void **state)
{
	const char *path = in_dir(&home, "data/memory.db");
	size_t i;

	(void)state;
	mark(&whole, sizeof(whole.verdict));
	assert_true(
	    omega_sandbox_guard_is_blocked(guard, BOTH, path, &whole.verdict));
	assert_int_equal(whole.verdict.reason, OMEGA_SANDBOX_BY_NAME);
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		mark(&part, sizes[i]);
		assert_true(omega_sandbox_guard_is_blocked(
		    guard, BOTH, path, &part.verdict));
		assert_part(sizes[i], sizeof(struct omega_sandbox_verdict));
	}
}

static void
test_error_of_another_size_is_filled_as_far_as_it_goes(void **state)
{
	struct omega_sandbox_guard *made = NULL;
	size_t i;

	(void)state;
	mark(&whole, sizeof(whole.error));
	assert_int_equal(
	    omega_sandbox_guard_new("x", NULL, &made, &whole.error),
	    OMEGA_SANDBOX_E_INVALID_POLICY);
	assert_int_equal(whole.error.code, OMEGA_SANDBOX_E_INVALID_POLICY);
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		mark(&part, sizes[i]);
		assert_int_equal(
		    omega_sandbox_guard_new("x", NULL, &made, &part.error),
		    OMEGA_SANDBOX_E_INVALID_POLICY);
		assert_part(sizes[i], sizeof(struct omega_sandbox_error));
	}
}

static void
test_object_whose_size_was_not_set_is_not_touched(void **state)
{
	struct omega_sandbox_guard *made = NULL;
	uint32_t size;

	(void)state;
	for (size = 0; size < 4; size++) {
		mark(&whole, size);
		mark(&part, size);
		assert_true(omega_sandbox_guard_is_blocked(
		    guard, BOTH, in_dir(&home, "data"), &part.verdict));
		assert_memory_equal(&part, &whole, sizeof(part));
		assert_int_equal(
		    omega_sandbox_guard_new("x", NULL, &made, &part.error),
		    OMEGA_SANDBOX_E_INVALID_POLICY);
		assert_memory_equal(&part, &whole, sizeof(part));
	}
}

static void
test_public_structures_have_kept_their_layout(void **state)
{
	(void)state;
	assert_int_equal(offsetof(struct omega_sandbox_error, size), 0);
	assert_int_equal(offsetof(struct omega_sandbox_error, code), 4);
	assert_int_equal(offsetof(struct omega_sandbox_error, sys_errno), 8);
	assert_int_equal(offsetof(struct omega_sandbox_error, line), 12);
	assert_int_equal(offsetof(struct omega_sandbox_error, backend), 16);
	assert_int_equal(offsetof(struct omega_sandbox_error, atom), 48);
	assert_int_equal(offsetof(struct omega_sandbox_error, file), 176);
	assert_int_equal(offsetof(struct omega_sandbox_error, text), 1200);
	assert_int_equal(offsetof(struct omega_sandbox_verdict, size), 0);
	assert_int_equal(offsetof(struct omega_sandbox_verdict, reason), 4);
	assert_int_equal(offsetof(struct omega_sandbox_verdict, sys_errno), 8);
	assert_int_equal(offsetof(struct omega_sandbox_verdict, line), 12);
	assert_int_equal(offsetof(struct omega_sandbox_verdict, rule), 16);
	assert_int_equal(offsetof(struct omega_sandbox_verdict, origin),
	    16 + sizeof(char *));
	assert_int_equal(offsetof(struct omega_sandbox_verdict, resolved),
	    16 + 2 * sizeof(char *));
}

/* What it came to in a thread with that much stack, in KiB. */
static struct omega_sandbox_error small_error;
static struct omega_sandbox *opened;

static void *
open_in_thread(void *arg)
{
	*(int *)arg =
	    omega_sandbox_open(NULL, NULL, NULL, &opened, &small_error);
	return NULL;
}

static int
open_with_stack(size_t kib)
{
	pthread_attr_t attr;
	pthread_t thread;
	int ret = 1;

	small_error = (struct omega_sandbox_error)OMEGA_SANDBOX_ERROR_INIT;
	opened = NULL;
	assert_int_equal(pthread_attr_init(&attr), 0);
	assert_int_equal(pthread_attr_setstacksize(&attr, kib * 1024), 0);
	assert_int_equal(
	    pthread_create(&thread, &attr, open_in_thread, &ret), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	pthread_attr_destroy(&attr);
	return ret;
}

/* A thread of few pages is told so; it does not run over their end. */
static void
test_small_stacks_are_refused(void **state)
{
	size_t kib;

	(void)state;
	for (kib = 32; kib <= 128; kib *= 2) {
		assert_int_equal(open_with_stack(kib), OMEGA_SANDBOX_E_SYSTEM);
		assert_non_null(strstr(small_error.text, "KiB of stack"));
		assert_null(opened);
	}
	/* With enough of it whatever comes has another reason, if any. */
	if (open_with_stack(1024) != 0)
		assert_null(strstr(small_error.text, "KiB of stack"));
	omega_sandbox_unref(opened);
}

#define fresh(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    fresh(test_version_is_the_same_in_header_and_library),
	    fresh(test_new_without_a_place_for_the_guard_fails),
	    fresh(test_guard_that_would_protect_less_is_not_made),
	    fresh(test_config_path_may_be_left_out),
	    fresh(test_text_about_a_path_stays_on_one_line),
	    fresh(test_block_without_guard_or_access_fails),
	    fresh(test_question_without_guard_or_access_is_blocked),
	    fresh(test_open_without_guard_path_or_place_fails),
	    fresh(test_free_takes_null),
	    fresh(test_verdict_of_another_size_is_filled_as_far_as_it_goes),
	    fresh(test_error_of_another_size_is_filled_as_far_as_it_goes),
	    fresh(test_object_whose_size_was_not_set_is_not_touched),
	    fresh(test_public_structures_have_kept_their_layout),
	    fresh(test_small_stacks_are_refused),
	};

	return run_all(tests);
}
