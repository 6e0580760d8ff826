/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-path-links.c - hard links: another name of a protected file is as
 * protected as the file, and the search for it has an end.
 */

#include "scene.h"

#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "path/aliases.h"
#include "path/place.h"

static struct home home;

static int
setup(void **state)
{
	(void)state;
	home_make(&home);
	return 0;
}

static void
test_hard_link_to_config_is_blocked(void **state)
{
	const char *other = in_root(&home, "free/other");

	(void)state;
	make_hard_link(in_dir(&home, "config.toml"), other);
	expect_blocked(other, home.dir);
	expect_blocked(text("%s/", other), home.dir);
	make_link("free/other", in_root(&home, "to-other"));
	expect_blocked(in_root(&home, "to-other"), home.dir);
	/* A second name, not the file's content, is what was protected. */
	expect_free(other, in_root(&home, "none"));
}

static void
test_hard_link_to_config_path_is_blocked_for_reading(void **state)
{
	const char *other = in_root(&home, "free/other");

	(void)state;
	make_hard_link(home.config_path, other);
	expect_verdict(other, home.dir, home.config_path, true, false);
	expect_verdict(other, home.dir, NULL, false, false);
	make_link("app/app.toml", in_root(&home, "to-app"));
	expect_verdict(other, home.dir, in_root(&home, "to-app"), true, false);
}

static void
test_hard_link_to_a_file_in_data_is_blocked(void **state)
{
	(void)state;
	make_hard_link(
	    in_dir(&home, "data/memory.db"), in_root(&home, "free/top"));
	make_hard_link(
	    in_dir(&home, "data/deep/er/file"), in_root(&home, "free/deep"));
	make_hard_link(
	    in_dir(&home, "data/deep/er/file"), in_dir(&home, "skills/deep"));
	expect_blocked(in_root(&home, "free/top"), home.dir);
	expect_blocked(in_root(&home, "free/deep"), home.dir);
	expect_blocked(in_dir(&home, "skills/deep"), home.dir);
}

static void
test_hard_link_is_found_through_a_linked_data_dir(void **state)
{
	(void)state;
	make_link("omega", in_root(&home, "linked"));
	make_link(in_dir(&home, "data"), in_root(&home, "second/data"));
	make_hard_link(
	    in_dir(&home, "data/deep/er/file"), in_root(&home, "free/deep"));
	expect_blocked(in_root(&home, "free/deep"), in_root(&home, "linked"));
	expect_blocked(in_root(&home, "free/deep"), in_root(&home, "second"));
	expect_free(in_root(&home, "free/deep"), in_root(&home, "free"));
}

static void
test_hard_link_of_a_special_file_is_blocked(void **state)
{
	(void)state;
	assert_int_equal(mkfifo(in_dir(&home, "data/pipe"), 0600), 0);
	make_hard_link(in_dir(&home, "data/pipe"), in_root(&home, "pipe"));
	expect_blocked(in_root(&home, "pipe"), home.dir);
	/* A symbolic link can have two names as well. */
	make_link(in_root(&home, "free/plain"), in_dir(&home, "data/out"));
	assert_int_equal(linkat(AT_FDCWD, in_dir(&home, "data/out"), AT_FDCWD,
			     in_root(&home, "out"), 0),
	    0);
	expect_free(in_root(&home, "out"), home.dir);
}

static void
test_unrelated_hard_link_is_free(void **state)
{
	(void)state;
	make_hard_link(in_root(&home, "free/plain"), in_root(&home, "second"));
	make_hard_link(in_root(&home, "free/plain"), in_dir(&home, "skills/x"));
	expect_free(in_root(&home, "free/plain"), home.dir);
	expect_free(in_root(&home, "second"), home.dir);
	expect_free(in_dir(&home, "skills/x"), home.dir);
	/* No data, no configuration: nothing to be a link to. */
	expect_free(in_root(&home, "second"), in_root(&home, "nowhere"));
}

static void
test_file_whose_other_name_has_gone_is_free(void **state)
{
	(void)state;
	make_hard_link(in_dir(&home, "data/memory.db"), in_root(&home, "left"));
	expect_blocked(in_root(&home, "left"), home.dir);
	assert_int_equal(unlink(in_dir(&home, "data/memory.db")), 0);
	expect_free(in_root(&home, "left"), home.dir);
}

/* Make dir/1/2/3/... so many levels deep and return the deepest. */
static const char *
make_levels(const char *dir, unsigned levels)
{
	char path[PATH_MAX];
	size_t len = (size_t)snprintf(path, sizeof(path), "%s", dir);
	unsigned i;

	for (i = 1; i <= levels; i++)
		len +=
		    (size_t)snprintf(path + len, sizeof(path) - len, "/%u", i);
	make_dir(path);
	return text("%s", path);
}

static void
test_link_is_found_as_deep_as_the_bound_goes(void **state)
{
	const char *deepest =
	    make_levels(in_dir(&home, "data"), OMEGA_LINKS_MAX_DEPTH);

	(void)state;
	make_file(text("%s/x", deepest), SECRET);
	make_hard_link(text("%s/x", deepest), in_root(&home, "other"));
	make_hard_link(in_root(&home, "free/plain"), in_root(&home, "second"));
	expect_blocked(in_root(&home, "other"), home.dir);
	expect_free(in_root(&home, "second"), home.dir);
}

static void
test_data_deeper_than_the_bound_blocks_every_file_with_links(void **state)
{
	(void)state;
	make_levels(in_dir(&home, "data"), OMEGA_LINKS_MAX_DEPTH + 1);
	make_hard_link(in_root(&home, "free/plain"), in_root(&home, "second"));
	expect_blocked(in_root(&home, "second"), home.dir);
	/* A file with one name needs no search. */
	expect_free(in_dir(&home, "workspace/note"), home.dir);
}

static int
ask_unlisted(void *arg)
{
	(void)arg;
	child_expect(
	    verdict_is(in_root(&home, "second"), home.dir, NULL, true, true));
	child_expect(verdict_is(
	    in_dir(&home, "workspace/note"), home.dir, NULL, false, false));
	return 0;
}

static void
test_data_that_may_not_be_listed_blocks_every_file_with_links(void **state)
{
	(void)state;
	make_hard_link(in_root(&home, "free/plain"), in_root(&home, "second"));
	assert_int_equal(chmod(in_dir(&home, "data"), 0311), 0);
	assert_int_equal(in_user_child(ask_unlisted, NULL), 0);
}

/* ---- the search itself -------------------------------------------------- */

static struct omega_object
object_of(const char *path)
{
	struct omega_object object;

	assert_int_equal(omega_kernel_stat(AT_FDCWD, path, &object), 0);
	return object;
}

static void
test_search_stops_when_the_budget_is_spent(void **state)
{
	struct omega_object plain = object_of(in_root(&home, "free/plain"));
	unsigned budget;
	int i;

	(void)state;
	for (i = 0; i < 20; i++)
		make_file(in_root(&home, text("tree/%d", i)), "");
	budget = 20;
	assert_int_equal(
	    omega_links_find(in_root(&home, "tree"), &plain, false, &budget),
	    0);
	assert_int_equal(budget, 0);
	budget = 19;
	assert_int_equal(
	    omega_links_find(in_root(&home, "tree"), &plain, false, &budget),
	    -E2BIG);
	assert_int_equal(budget, 0);
	budget = 0;
	assert_int_equal(
	    omega_links_find(in_root(&home, "tree"), &plain, false, &budget),
	    -E2BIG);
	/* An empty directory costs nothing. */
	assert_int_equal(omega_links_find(in_root(&home, "free/sub"), &plain,
			     false, &budget),
	    0);
}

static void
test_search_counts_directories_and_shares_the_budget(void **state)
{
	struct omega_object file =
	    object_of(in_dir(&home, "data/deep/er/file"));
	struct omega_object plain = object_of(in_root(&home, "free/plain"));
	unsigned budget = 100;

	(void)state;
	/* memory.db, deep, er, file */
	assert_int_equal(
	    omega_links_find(in_dir(&home, "data"), &plain, false, &budget), 0);
	assert_int_equal(budget, 96);
	assert_int_equal(
	    omega_links_find(in_dir(&home, "data"), &plain, false, &budget), 0);
	assert_int_equal(budget, 92);
	assert_int_equal(
	    omega_links_find(in_dir(&home, "data"), &file, false, &budget), 1);
	assert_true(budget >= 88);
}

static void
test_search_does_not_follow_links_in_the_tree(void **state)
{
	struct omega_object plain = object_of(in_root(&home, "free/plain"));
	unsigned budget = 100;

	(void)state;
	make_link(in_root(&home, "free"), in_dir(&home, "data/out"));
	make_link("..", in_dir(&home, "data/up"));
	assert_int_equal(
	    omega_links_find(in_dir(&home, "data"), &plain, false, &budget), 0);
	assert_int_equal(budget, 94);
}

static void
test_search_of_what_is_no_directory_says_so(void **state)
{
	struct omega_object plain = object_of(in_root(&home, "free/plain"));
	unsigned budget = 100;

	(void)state;
	assert_int_equal(
	    omega_links_find(in_root(&home, "none"), &plain, false, &budget),
	    0);
	assert_int_equal(omega_links_find(in_dir(&home, "config.toml"), &plain,
			     false, &budget),
	    -ENOTDIR);
	make_link("free", in_root(&home, "to-free"));
	assert_int_equal(
	    omega_links_find(in_root(&home, "to-free"), &plain, false, &budget),
	    -ENOTDIR);
}

static void
test_search_reads_a_directory_larger_than_its_buffer(void **state)
{
	struct omega_object last;
	unsigned budget = OMEGA_LINKS_MAX_ENTRIES;
	char name[200];
	int i;

	(void)state;
	for (i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "wide/%0180d", i);
		make_file(in_dir(&home, text("data/%s", name)), "");
	}
	for (i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "wide/%0180d", i);
		last = object_of(in_dir(&home, text("data/%s", name)));
		assert_int_equal(omega_links_find(in_dir(&home, "data"), &last,
				     false, &budget),
		    1);
	}
	memset(name, 'n', sizeof(name));
	make_file(
	    in_dir(&home, text("data/%.*s%.*s", 190, name, 65, name)), "");
	last = object_of(in_root(&home, "free/plain"));
	assert_int_equal(
	    omega_links_find(in_dir(&home, "data"), &last, false, &budget), 0);
}

#define fresh(test) cmocka_unit_test_setup(test, setup)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    fresh(test_hard_link_to_config_is_blocked),
	    fresh(test_hard_link_to_config_path_is_blocked_for_reading),
	    fresh(test_hard_link_to_a_file_in_data_is_blocked),
	    fresh(test_hard_link_is_found_through_a_linked_data_dir),
	    fresh(test_hard_link_of_a_special_file_is_blocked),
	    fresh(test_unrelated_hard_link_is_free),
	    fresh(test_file_whose_other_name_has_gone_is_free),
	    fresh(test_link_is_found_as_deep_as_the_bound_goes),
	    fresh(test_data_deeper_than_the_bound_blocks_every_file_with_links),
	    fresh(
		test_data_that_may_not_be_listed_blocks_every_file_with_links),
	    fresh(test_search_stops_when_the_budget_is_spent),
	    fresh(test_search_counts_directories_and_shares_the_budget),
	    fresh(test_search_does_not_follow_links_in_the_tree),
	    fresh(test_search_of_what_is_no_directory_says_so),
	    fresh(test_search_reads_a_directory_larger_than_its_buffer),
	};

	return run_all(tests);
}
