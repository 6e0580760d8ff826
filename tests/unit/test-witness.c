/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-witness.c - one try of the witness at a time: what is a hole, and
 * what is none.
 */

#include "harness.h"

#include <sys/resource.h>
#include <sys/xattr.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <omega/sandbox.h>

#include "child/witness.h"
#include "launch/launch.h"
#include "load/sandbox.h"
#include "plan/plan.h"
#include "plan/prepared.h"
#include "plugins.h"

/* ---- One try at a time ----------------------------------------------------
 */

/* What one try finds; object NULL: nothing was there before. */
static struct omega_witness_found
find(uint32_t how, const char *path, const struct omega_witness_object *object)
{
	struct omega_witness_try try = {.how = how, .path = text("%s", path)};
	struct omega_witness witness = {.tries = &try, .fixed = 1, .count = 1};
	struct omega_witness_found found;

	if (object != NULL)
		try.object = *object;
	omega_witness_run(&witness, 0, &found);
	return found;
}

static struct omega_witness_object
object_of(const char *path)
{
	struct omega_witness_object object;

	assert_int_equal(omega_witness_look(AT_FDCWD, path, &object), 0);
	return object;
}

static void
test_protected_object_is_known_by_identity(void **state)
{
	const char *file = text("%s/file", scratch_dir());
	const char *dir = text("%s/dir", scratch_dir());
	struct omega_witness_object object;

	(void)state;
	make_file(file, ""); /* nothing to read, and yet it is the one */
	make_dir(dir);
	object = object_of(file);
	assert_int_equal(find(OMEGA_WITNESS_READ, file, &object).finding,
	    OMEGA_WITNESS_ITSELF);
	assert_int_equal(find(OMEGA_WITNESS_WRITE, file, &object).finding,
	    OMEGA_WITNESS_ITSELF);
	object = object_of(dir);
	assert_int_equal(find(OMEGA_WITNESS_READ, dir, &object).finding,
	    OMEGA_WITNESS_ITSELF);
}

static void
test_empty_mask_is_no_hole(void **state)
{
	const char *file = text("%s/file", scratch_dir());
	const char *dir = text("%s/dir", scratch_dir());
	struct omega_witness_object object;

	(void)state;
	make_file(file, "");
	make_dir(dir);
	/* What was protected has been something else. */
	object = object_of(scratch_dir());
	assert_int_equal(find(OMEGA_WITNESS_READ, file, &object).finding,
	    OMEGA_WITNESS_HELD);
	assert_int_equal(find(OMEGA_WITNESS_WRITE, file, &object).finding,
	    OMEGA_WITNESS_HELD);
	assert_int_equal(
	    find(OMEGA_WITNESS_READ, dir, &object).finding, OMEGA_WITNESS_HELD);
	assert_int_equal(find(OMEGA_WITNESS_READ, "/dev/null", &object).finding,
	    OMEGA_WITNESS_HELD);
}

/* Whoever meets a lease has been let in: that is no refusal. */
static void
test_a_lease_is_no_protection(void **state)
{
	const char *file = text("%s/file", scratch_dir());
	struct omega_witness_object object;
	struct omega_witness_found found;
	void (*before)(int) = signal(SIGIO, SIG_IGN);
	int fd;

	(void)state;
	make_file(file, "x");
	object = object_of(file);
	fd = open(file, O_RDWR | O_CLOEXEC);
	assert_int_equal(fcntl(fd, F_SETLEASE, F_WRLCK), 0);
	found = find(OMEGA_WITNESS_READ, file, &object);
	assert_int_equal(found.finding, OMEGA_WITNESS_UNTRIED);
	assert_int_equal(found.error, EAGAIN);
	close(fd);
	signal(SIGIO, before);
}

static void
test_content_and_names_are_holes_whatever_the_object(void **state)
{
	const char *dir = text("%s/dir", scratch_dir());
	const char *file = text("%s/file", dir);
	struct omega_witness_object object;

	(void)state;
	make_file(file, "x");
	object = object_of(scratch_dir());
	assert_int_equal(find(OMEGA_WITNESS_READ, file, &object).finding,
	    OMEGA_WITNESS_CONTENT);
	assert_int_equal(find(OMEGA_WITNESS_READ, file, NULL).finding,
	    OMEGA_WITNESS_CONTENT);
	assert_int_equal(find(OMEGA_WITNESS_WRITE, file, &object).finding,
	    OMEGA_WITNESS_CONTENT);
	assert_int_equal(find(OMEGA_WITNESS_READ, dir, &object).finding,
	    OMEGA_WITNESS_NAMES);
	/* A try to write leaves the file as it is. */
	assert_int_equal(access(file, F_OK), 0);
	assert_int_equal(find(OMEGA_WITNESS_READ, file, NULL).finding,
	    OMEGA_WITNESS_CONTENT);
}

/* A file system gives a number to the next file that comes. */
static void
test_number_used_again_is_another_object(void **state)
{
	const char *file = text("%s/file", scratch_dir());
	struct omega_witness_object object;

	(void)state;
	make_file(file, "");
	object = object_of(file);
	if (object.birth == 0)
		skip_because("this file system keeps no time of birth");
	object.birth--;
	assert_int_equal(find(OMEGA_WITNESS_READ, file, &object).finding,
	    OMEGA_WITNESS_HELD);
}

static int
count_names(const char *path)
{
	DIR *dir = opendir(path);
	int count = 0;

	assert_non_null(dir);
	while (readdir(dir) != NULL)
		count++;
	closedir(dir);
	return count;
}

static void
test_creating_leaves_nothing(void **state)
{
	const char *dir = text("%s/dir", scratch_dir());
	const char *absent = text("%s/absent", dir);
	struct omega_witness_object object;

	(void)state;
	make_dir(dir);
	object = object_of(dir);
	assert_int_equal(find(OMEGA_WITNESS_CREATE, dir, &object).finding,
	    OMEGA_WITNESS_DONE);
	assert_int_equal(find(OMEGA_WITNESS_MAKE, absent, &object).finding,
	    OMEGA_WITNESS_DONE);
	assert_int_equal(count_names(dir), 2);
	/* What is not made on the host's device is not the host's. */
	object.minor ^= 0x4000;
	assert_int_equal(find(OMEGA_WITNESS_CREATE, dir, &object).finding,
	    OMEGA_WITNESS_HELD);
	assert_int_equal(find(OMEGA_WITNESS_MAKE, absent, &object).finding,
	    OMEGA_WITNESS_HELD);
	assert_int_equal(count_names(dir), 2);
	/* Where something is, nothing is made, and it stays. */
	make_file(absent, "x");
	assert_int_equal(find(OMEGA_WITNESS_MAKE, absent, &object).finding,
	    OMEGA_WITNESS_HELD);
	assert_int_equal(access(absent, F_OK), 0);
}

static void
test_attributes(void **state)
{
	const char *file = text("%s/file", scratch_dir());
	struct omega_witness_object object;

	(void)state;
	make_file(file, "x");
	if (removexattr(file, "user.omega-sandbox.test") == 0 ||
	    errno != ENODATA)
		skip_because(
		    "no attributes on this file system: %s", strerror(errno));
	object = object_of(file);
	assert_int_equal(find(OMEGA_WITNESS_CHANGE, file, &object).finding,
	    OMEGA_WITNESS_ITSELF);
	object.inode++;
	assert_int_equal(find(OMEGA_WITNESS_CHANGE, file, &object).finding,
	    OMEGA_WITNESS_HELD);
}

static void
test_what_is_denied_or_gone_is_held(void **state)
{
	const char *gone = text("%s/gone", scratch_dir());
	const char *below = text("%s/gone/x", scratch_dir());

	(void)state;
	assert_int_equal(
	    find(OMEGA_WITNESS_READ, gone, NULL).finding, OMEGA_WITNESS_HELD);
	assert_int_equal(
	    find(OMEGA_WITNESS_WRITE, gone, NULL).finding, OMEGA_WITNESS_HELD);
	assert_int_equal(
	    find(OMEGA_WITNESS_CREATE, gone, NULL).finding, OMEGA_WITNESS_HELD);
	assert_int_equal(
	    find(OMEGA_WITNESS_MAKE, below, NULL).finding, OMEGA_WITNESS_HELD);
	assert_int_equal(
	    find(OMEGA_WITNESS_CHANGE, gone, NULL).finding, OMEGA_WITNESS_HELD);
}

static void
test_allowed_that_fails_is_broken(void **state)
{
	const char *gone = text("%s/gone", scratch_dir());
	struct omega_witness_found found;

	(void)state;
	assert_int_equal(find(OMEGA_WITNESS_CAN_LIST, "/", NULL).finding,
	    OMEGA_WITNESS_HELD);
	assert_int_equal(
	    find(OMEGA_WITNESS_CAN_WRITE, "/dev/null", NULL).finding,
	    OMEGA_WITNESS_HELD);
	assert_int_equal(
	    find(OMEGA_WITNESS_CAN_CREATE, scratch_dir(), NULL).finding,
	    OMEGA_WITNESS_HELD);
	found = find(OMEGA_WITNESS_CAN_LIST, gone, NULL);
	assert_int_equal(found.finding, OMEGA_WITNESS_BROKEN);
	assert_int_equal(found.error, ENOENT);
	found = find(OMEGA_WITNESS_CAN_CREATE, "/proc", NULL);
	assert_int_equal(found.finding, OMEGA_WITNESS_BROKEN);
}

static int
without_descriptors(void *arg)
{
	const struct rlimit none = {0, 0};
	struct omega_witness_found found;

	need(setrlimit(RLIMIT_NOFILE, &none) == 0);
	found = find(OMEGA_WITNESS_READ, arg, NULL);
	need(found.finding == OMEGA_WITNESS_UNTRIED && found.error == EMFILE);
	found = find(OMEGA_WITNESS_CAN_LIST, "/", NULL);
	need(found.finding == OMEGA_WITNESS_UNTRIED && found.error == EMFILE);
	found = find(99, "/", NULL);
	need(found.finding == OMEGA_WITNESS_UNTRIED);
	return 0;
}

/* Not having seen a hole is not having looked. */
static void
test_what_could_not_be_tried_is_said(void **state)
{
	char *file = text("%s/file", scratch_dir());

	(void)state;
	make_file(file, "x");
	assert_int_equal(in_child(without_descriptors, file), 0);
}

/* Every start tries another share, and after so many all were tried.
 */
static void
test_long_lists_are_tried_in_turns(void **state)
{
	const size_t fixed = 3;
	const size_t count = fixed + 5 * OMEGA_WITNESS_LISTED - 7;
	char *hole = text("%s/hole", scratch_dir());
	char *gone = text("%s/gone", scratch_dir());
	struct omega_witness_try *tries = calloc(count, sizeof(*tries));
	struct omega_witness witness = {
	    .tries = tries, .fixed = fixed, .count = count};
	struct omega_witness_found found;
	size_t i;
	size_t turn;
	size_t seen;

	(void)state;
	assert_non_null(tries);
	make_file(hole, "x");
	for (i = 0; i < count; i++) {
		tries[i].how = OMEGA_WITNESS_READ;
		tries[i].path = gone;
	}
	for (i = 0; i < count; i += 97) {
		tries[i].path = hole;
		for (turn = 0, seen = 0; turn < 5; turn++) {
			omega_witness_run(&witness, turn + 10, &found);
			if (found.finding != OMEGA_WITNESS_HELD) {
				assert_int_equal(found.index, i);
				seen++;
			}
		}
		assert_int_equal(seen, i < fixed ? 5 : 1);
		tries[i].path = gone;
	}
	free(tries);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_protected_object_is_known_by_identity),
	    cmocka_unit_test(test_empty_mask_is_no_hole),
	    cmocka_unit_test(test_a_lease_is_no_protection),
	    cmocka_unit_test(
		test_content_and_names_are_holes_whatever_the_object),
	    cmocka_unit_test(test_number_used_again_is_another_object),
	    cmocka_unit_test(test_creating_leaves_nothing),
	    cmocka_unit_test(test_attributes),
	    cmocka_unit_test(test_what_is_denied_or_gone_is_held),
	    cmocka_unit_test(test_allowed_that_fails_is_broken),
	    cmocka_unit_test(test_what_could_not_be_tried_is_said),
	    cmocka_unit_test(test_long_lists_are_tried_in_turns),
	};

	return run_all(tests);
}
