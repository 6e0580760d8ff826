/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-harness.c - what every other test relies on: names stay what they
 * were, scratch trees go away, and the trees of the build do not.
 */

#include "harness.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trees.h"

#define MANY 1000

static void
test_texts_stay_what_they_were(void **state)
{
	char *dir = scratch_dir();
	char *copy = strdup(dir);
	char *texts[MANY];
	char *dirs[3];
	int i;

	(void)state;
	for (i = 0; i < MANY; i++)
		texts[i] = text("%d of %s", i, dir);
	for (i = 0; i < 3; i++)
		dirs[i] = scratch_dir();
	for (i = 0; i < MANY; i++) {
		int number = -1;

		assert_int_equal(sscanf(texts[i], "%d", &number), 1);
		assert_int_equal(number, i);
		assert_non_null(strstr(texts[i], copy));
	}
	assert_string_equal(dir, copy);
	for (i = 0; i < 3; i++) {
		assert_string_not_equal(dirs[i], dir);
		assert_string_not_equal(dirs[i], dirs[(i + 1) % 3]);
		assert_int_equal(access(dirs[i], F_OK), 0);
	}
	free(copy);
}

/* As long as a text is; nothing is cut. */
static void
test_texts_may_be_long(void **state)
{
	char *made = text("%0100000d", 7);

	(void)state;
	assert_int_equal(strlen(made), 100000);
	assert_int_equal(made[99999], '7');
}

static void *
make_texts(void *arg)
{
	char *texts[MANY];
	int i;

	for (i = 0; i < MANY; i++)
		texts[i] = text("%p %d", arg, i);
	for (i = 0; i < MANY; i++)
		if (strcmp(texts[i], text("%p %d", arg, i)) != 0)
			return arg;
	return NULL;
}

static void
test_threads_may_make_texts(void **state)
{
	pthread_t threads[4];
	int names[4];
	void *wrong;
	size_t i;

	(void)state;
	for (i = 0; i < 4; i++)
		assert_int_equal(
		    pthread_create(&threads[i], NULL, make_texts, &names[i]),
		    0);
	for (i = 0; i < 4; i++) {
		assert_int_equal(pthread_join(threads[i], &wrong), 0);
		assert_null(wrong);
	}
}

static void
test_files_are_read_whole(void **state)
{
	char *dir = scratch_dir();
	char *first;

	(void)state;
	make_file(text("%s/a", dir), "one\n");
	make_file(text("%s/b", dir), text("%070000d", 1));
	first = file_text(text("%s/a", dir));
	assert_int_equal(strlen(file_text(text("%s/b", dir))), 70000);
	assert_string_equal(first, "one\n");
	assert_string_equal(file_text(text("%s/none", dir)), "");
}

/* A child has a tree of its own and takes it along; its parent's stays. */
static int
make_scratch(void *arg)
{
	char *note = arg;
	char *dir = scratch_dir();

	make_file(text("%s/file", dir), "x");
	make_file(note, dir);
	return 0;
}

static void
test_children_leave_no_scratch(void **state)
{
	char *dir = scratch_dir();
	char *note = text("%s/note", dir);

	(void)state;
	assert_int_equal(in_child(make_scratch, note), 0);
	assert_string_not_equal(file_text(note), "");
	assert_int_equal(access(file_text(note), F_OK), -1);
	assert_int_equal(access(dir, F_OK), 0);
	unlink(note);
	assert_int_equal(in_user_child(make_scratch, note), 0);
	assert_string_not_equal(file_text(note), "");
	assert_int_equal(access(file_text(note), F_OK), -1);
}

/* As in a clone below /tmp, of which a test covers all. */
static int
cover_what_is_above(void *arg)
{
	const struct tree trees[TREES] = TREES_INIT;
	int i;

	need(trees_cover(arg, "mode=755") == 0);
	need(access(text("%s/configure.ac", trees[0].path), R_OK) == 0);
	for (i = 0; i < TREES; i++)
		need(access(trees[i].path, X_OK) == 0);
	need(access(text("%s/config.h", trees[1].path), R_OK) == 0);
	return 0;
}

static void
test_covered_trees_stay_in_sight(void **state)
{
	const struct tree trees[TREES] = TREES_INIT;
	char *above = text("%s", trees[0].path);
	int status;

	(void)state;
	*strrchr(above, '/') = '\0';
	if (above[0] == '\0')
		skip_because("the source is in /");
	if (access(trees[0].path, F_OK) != 0)
		skip_because("the source is not here");
	status = in_mount_child(cover_what_is_above, above);
	if (status == CANNOT_MOUNT)
		skip_because("cannot mount here");
	assert_int_equal(status, 0);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_texts_stay_what_they_were),
	    cmocka_unit_test(test_texts_may_be_long),
	    cmocka_unit_test(test_threads_may_make_texts),
	    cmocka_unit_test(test_files_are_read_whole),
	    cmocka_unit_test(test_children_leave_no_scratch),
	    cmocka_unit_test(test_covered_trees_stay_in_sight),
	};

	return run_all(tests);
}
