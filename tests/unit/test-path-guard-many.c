/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-path-guard-many.c - guards with many rules, and guards beside others
 * and beside the built-in rules: they never disagree.
 */

#include "guarded.h"

#include <unistd.h>

#include <omega/sandbox.h>

#define READ OMEGA_SANDBOX_READ
#define WRITE OMEGA_SANDBOX_WRITE
#define BOTH (OMEGA_SANDBOX_READ | OMEGA_SANDBOX_WRITE)

static void
block(unsigned access, const char *path)
{
	assert_int_equal(omega_sandbox_guard_block(guard, access, path,
			     "/etc/omega/sandbox.conf", 7, NULL),
	    OMEGA_SANDBOX_OK);
}

static bool
is_blocked(unsigned access, const char *path)
{
	return omega_sandbox_guard_is_blocked(guard, access, path, NULL);
}

/* ---- many rules --------------------------------------------------------- */

static void
check_many(int count)
{
	int i;

	for (i = 0; i < count; i++) {
		unsigned access = i % 3 == 0 ? READ : i % 3 == 1 ? WRITE : BOTH;

		assert_int_equal(omega_sandbox_guard_block(guard, access,
				     in_root(&home, text("many/%d/rule", i)),
				     "list", (uint32_t)i + 1, NULL),
		    OMEGA_SANDBOX_OK);
	}
	for (i = 0; i < count; i++) {
		struct omega_sandbox_verdict verdict =
		    OMEGA_SANDBOX_VERDICT_INIT;
		const char *path = in_root(&home, text("many/%d/rule/x", i));

		assert_int_equal(
		    omega_sandbox_guard_is_blocked(guard, READ, path, &verdict),
		    i % 3 != 1);
		assert_int_equal(verdict.line, i % 3 != 1 ? i + 1 : 0);
		assert_int_equal(omega_sandbox_guard_is_blocked(
				     guard, WRITE, path, &verdict),
		    i % 3 != 0);
		assert_int_equal(verdict.line, i % 3 != 0 ? i + 1 : 0);
		path = in_root(&home, text("many/%d/rules", i));
		assert_false(is_blocked(BOTH, path));
		path = in_root(&home, text("many/%d", i));
		assert_false(is_blocked(BOTH, path));
	}
	assert_true(is_blocked(BOTH, in_dir(&home, "data/x")));
	assert_true(is_blocked(WRITE, "/etc/x"));
	assert_false(is_blocked(BOTH, in_root(&home, "free/plain")));
}

static void
test_thousand_rules_are_all_held(void **state)
{
	(void)state;
	check_many(1000);
}

static void
test_ten_thousand_rules_are_all_held(void **state)
{
	(void)state;
	check_many(10000);
}

static void
test_links_and_odd_names_are_seen_among_many_rules(void **state)
{
	(void)state;
	make_link("omega/data", in_root(&home, "l"));
	make_hard_link(in_dir(&home, "config.toml"), in_root(&home, "h"));
	make_hard_link(in_root(&home, "free/plain"), in_root(&home, "h2"));
	make_file(in_root(&home, "b\xc3\xa4r~"), HARMLESS);
	make_dir(in_root(&home, "MANY"));
	check_many(1000);
	assert_true(is_blocked(READ, in_root(&home, "l/new")));
	assert_true(is_blocked(READ, in_root(&home, "h")));
	assert_false(is_blocked(BOTH, in_root(&home, "h2")));
	assert_false(is_blocked(BOTH, in_root(&home, "b\xc3\xa4r~")));
	assert_false(is_blocked(BOTH, in_root(&home, "MANY/1/rule")));
}

/* ---- agreement ---------------------------------------------------------- */

static void
test_guard_and_functions_never_disagree(void **state)
{
	struct omega_sandbox_guard *own = NULL;
	struct scene scene;
	size_t i;

	(void)state;
	scene_enter(&scene);
	assert_int_equal(omega_sandbox_guard_new(scene.home.dir,
			     scene.home.config_path, &own, NULL),
	    OMEGA_SANDBOX_OK);
	for (i = 0; i < scene.count; i++) {
		const struct scene_case *one = &scene.cases[i];
		bool reads =
		    omega_sandbox_guard_is_blocked(own, READ, one->path, NULL);
		bool writes =
		    omega_sandbox_guard_is_blocked(own, WRITE, one->path, NULL);
		bool both =
		    omega_sandbox_guard_is_blocked(own, BOTH, one->path, NULL);

		if (reads != one->read_blocked ||
		    writes != (one->write_blocked || one->is_config) ||
		    both != (reads || writes))
			fail_msg("%s", one->what);
	}
	omega_sandbox_guard_free(own);
	scene_leave(&scene);
}

static void
test_blocked_path_is_judged_like_a_built_in_one(void **state)
{
	struct omega_sandbox_guard *own = NULL;
	struct scene scene;
	size_t i;

	(void)state;
	/* What is built in for one guard is added by hand to another. */
	scene_enter(&scene);
	assert_int_equal(
	    omega_sandbox_guard_new("/omega-none", NULL, &own, NULL), 0);
	assert_int_equal(omega_sandbox_guard_block(own, BOTH,
			     in_dir(&scene.home, "data"), "f", 1, NULL),
	    OMEGA_SANDBOX_OK);
	assert_int_equal(omega_sandbox_guard_block(own, BOTH,
			     in_dir(&scene.home, "config.toml"), "f", 2, NULL),
	    OMEGA_SANDBOX_OK);
	assert_int_equal(omega_sandbox_guard_block(
			     own, READ, scene.home.config_path, "f", 3, NULL),
	    OMEGA_SANDBOX_OK);
	for (i = 0; i < scene.count; i++) {
		const struct scene_case *one = &scene.cases[i];

		if (omega_sandbox_guard_is_blocked(
			own, READ, one->path, NULL) != one->read_blocked ||
		    omega_sandbox_guard_is_blocked(
			own, WRITE, one->path, NULL) != one->write_blocked)
			fail_msg("%s", one->what);
	}
	omega_sandbox_guard_free(own);
	scene_leave(&scene);
}

static void
test_guard_looks_at_paths_afresh(void **state)
{
	(void)state;
	make_link("free", in_root(&home, "l"));
	assert_false(is_blocked(BOTH, in_root(&home, "l/x")));
	assert_int_equal(unlink(in_root(&home, "l")), 0);
	make_link("omega/data", in_root(&home, "l"));
	assert_true(is_blocked(BOTH, in_root(&home, "l/x")));
	assert_int_equal(unlink(in_root(&home, "l")), 0);
	assert_false(is_blocked(BOTH, in_root(&home, "l/x")));
}

static void
test_two_guards_know_nothing_of_each_other(void **state)
{
	struct omega_sandbox_guard *other = NULL;

	(void)state;
	assert_int_equal(
	    omega_sandbox_guard_new(in_root(&home, "free"), NULL, &other, NULL),
	    OMEGA_SANDBOX_OK);
	block(BOTH, in_root(&home, "free/sub"));
	assert_true(omega_sandbox_guard_is_blocked(
	    other, READ, in_root(&home, "free/data/x"), NULL));
	assert_false(is_blocked(READ, in_root(&home, "free/data/x")));
	assert_false(omega_sandbox_guard_is_blocked(
	    other, READ, in_root(&home, "free/sub/x"), NULL));
	assert_false(omega_sandbox_guard_is_blocked(
	    other, READ, in_dir(&home, "data/x"), NULL));
	omega_sandbox_guard_free(other);
	assert_true(is_blocked(READ, in_dir(&home, "data/x")));
}

#define fresh(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    fresh(test_thousand_rules_are_all_held),
	    fresh(test_ten_thousand_rules_are_all_held),
	    fresh(test_links_and_odd_names_are_seen_among_many_rules),
	    fresh(test_guard_and_functions_never_disagree),
	    fresh(test_blocked_path_is_judged_like_a_built_in_one),
	    fresh(test_guard_looks_at_paths_afresh),
	    fresh(test_two_guards_know_nothing_of_each_other),
	};

	return run_all(tests);
}
