/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-plan-ground.c - what is done when the ground moves, when
 * commands meet, and with more than one prefix.
 */

#include "harness.h"

#include <errno.h>
#include <string.h>

#include <omega/sandbox.h>

#include "fakes.h"
#include "launch/launch.h"
#include "load/sandbox.h"
#include "plan/plan.h"
#include "plan/prepared.h"

/* A file was saved between planning and mounting: look again, and go on. */
static void
test_a_place_that_changed_is_prepared_again(void **state)
{
	struct fake fakes[] = {
	    {.name = "one", .path = EVERY_BIT},
	    {.name = "two", .all_hardening = true, .stale = 3},
	};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_prepared *prepared = NULL;
	struct world world;

	(void)state;
	fakes_open(&world, fakes, 2, "one,two");
	assert_int_equal(
	    omega_sandbox_prepare(world.policy, &prepared, &error), 0);
	assert_int_equal(fakes[1].applied, 4);
	/* Planned anew from the start: the one before it as well. */
	assert_int_equal(fakes[0].applied, 4);
	omega_sandbox_prepared_unref(prepared);
	fakes_close(&world);
}

static void
test_a_place_that_keeps_changing_is_an_error(void **state)
{
	struct fake fakes[] = {{.name = "one",
	    .path = EVERY_BIT,
	    .all_hardening = true,
	    .stale = 1000}};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_prepared *prepared = NULL;
	struct world world;

	(void)state;
	fakes_open(&world, fakes, 1, "one");
	assert_int_equal(omega_sandbox_prepare(world.policy, &prepared, &error),
	    OMEGA_SANDBOX_E_SYSTEM);
	assert_null(prepared);
	assert_int_equal(error.sys_errno, ESTALE);
	assert_string_equal(error.backend, "one");
	assert_non_null(strstr(error.text, "changed 11 times"));
	assert_non_null(strstr(error.text, "the ground has moved"));
	assert_int_equal(fakes[0].applied, 11);
	fakes_close(&world);
}

/* Any other failure is told as soon as nothing is only believed any more. */
static void
test_another_failure_is_tried_once_more(void **state)
{
	struct fake fakes[] = {{.name = "one",
	    .path = EVERY_BIT,
	    .all_hardening = true,
	    .apply_error = -EMFILE}};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_prepared *prepared = NULL;
	struct world world;

	(void)state;
	fakes_open(&world, fakes, 1, "one");
	assert_int_equal(omega_sandbox_prepare(world.policy, &prepared, &error),
	    OMEGA_SANDBOX_E_SYSTEM);
	assert_int_equal(error.sys_errno, EMFILE);
	assert_int_equal(fakes[0].applied, 2);
	assert_false(fakes[0].is_believed);
	fakes_close(&world);
}

/* What was only believed is tried before anybody is refused, and others do
 * instead where they can. */
static void
test_what_was_believed_is_tried(void **state)
{
	struct fake fakes[] = {
	    {.name = "one", .path = EVERY_BIT, .is_overrated = true},
	    {.name = "two", .path = EVERY_BIT, .all_hardening = true},
	};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_prepared *prepared = NULL;
	struct world world;

	(void)state;
	fakes_open(&world, fakes, 2, "one,two");
	assert_int_equal(omega_sandbox_prepare(world.policy, &prepared, &error),
	    OMEGA_SANDBOX_E_UNAVAILABLE);
	assert_non_null(strstr(error.text, "the moon"));
	assert_int_equal(fakes[0].applied, 1);
	assert_int_equal(fakes[1].applied, 0);
	fakes_close(&world);
	/* Nothing is believed for a report. */
	fakes[0].is_unusable = false;
	fakes_open(&world, fakes, 2, "two");
	assert_int_equal(
	    omega_sandbox_prepare(world.policy, &prepared, &error), 0);
	assert_true(fakes[1].is_believed);
	omega_sandbox_prepared_unref(prepared);
	{
		struct omega_sandbox_report *report = NULL;

		assert_int_equal(
		    omega_sandbox_describe(world.policy, &report, &error), 0);
		assert_false(fakes[1].is_believed);
		omega_sandbox_report_unref(report);
	}
	fakes_close(&world);
}

/* A child would be started without the words, and without the other way. */
static void
test_a_way_for_this_process_alone_is_refused(void **state)
{
	struct fake fakes[] = {{.name = "one",
	    .path = EVERY_BIT,
	    .all_hardening = true,
	    .is_prefix = true,
	    .has_only_self = true}};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_prepared *prepared = NULL;
	struct world world;

	(void)state;
	fakes_open(&world, fakes, 1, "one");
	assert_int_equal(omega_sandbox_prepare(world.policy, &prepared, &error),
	    OMEGA_SANDBOX_E_PLUGIN);
	assert_string_equal(error.backend, "one");
	assert_non_null(strstr(error.text, "no words"));
	assert_null(prepared);
	fakes_close(&world);
}

/* Who makes a filter is told that another installs it, which is used also when
 * nothing else is its own. */
static void
test_who_installs_filters_is_told_of(void **state)
{
	struct fake fakes[] = {
	    {.name = "alpha", .path = EVERY_BIT, .all_hardening = true},
	    {.name = "beta",
		.is_prefix = true,
		.flags = OMEGA_SANDBOX_PLUGIN_FILTERS},
	};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_prepared *prepared = NULL;
	struct world world;

	(void)state;
	fakes_open(&world, fakes, 2, "alpha,beta");
	assert_int_equal(
	    omega_sandbox_prepare(world.policy, &prepared, &error), 0);
	assert_true(
	    (fakes[0].request_flags & OMEGA_SANDBOX_REQUEST_FILTERS) != 0);
	assert_true(
	    (fakes[1].request_flags & OMEGA_SANDBOX_REQUEST_FILTERS) == 0);
	assert_int_equal(fakes[1].applied, 1);
	omega_sandbox_prepared_unref(prepared);
	fakes_close(&world);
}

/* A backend that holds only beside another is told of it, and needs it. */
static void
test_separation_is_told_and_required(void **state)
{
	struct fake fakes[] = {
	    {.name = "alpha",
		.path = EVERY_BIT,
		.all_hardening = true,
		.except_kind = OMEGA_SANDBOX_ATOM_OUTSIDE_PTRACE,
		.launch_flags = OMEGA_SANDBOX_LAUNCH_NEEDS_SEPARATION},
	    {.name = "beta",
		.all_hardening = true,
		.flags = OMEGA_SANDBOX_PLUGIN_SEPARATES,
		.launch_flags = OMEGA_SANDBOX_LAUNCH_SEPARATES},
	};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_prepared *prepared = NULL;
	struct world world;

	(void)state;
	fakes_open(&world, fakes, 2, "alpha,beta");
	assert_int_equal(
	    omega_sandbox_prepare(world.policy, &prepared, &error), 0);
	omega_sandbox_prepared_unref(prepared);
	assert_int_equal(
	    fakes[0].request_flags, OMEGA_SANDBOX_REQUEST_SEPARATED);
	assert_int_equal(fakes[1].request_flags, 0);
	/* It is in the stack, but does not do what its flag says. */
	fakes[1].launch_flags = 0;
	assert_int_equal(omega_sandbox_prepare(world.policy, &prepared, &error),
	    OMEGA_SANDBOX_E_REQUIRED);
	assert_non_null(strstr(error.text, "backend = auto"));
	assert_null(prepared);
	fakes_close(&world);
	/* It cannot be used. */
	fakes[1].is_unusable = true;
	fakes[0].except_kind = 0;
	fakes_open(&world, fakes, 2, "alpha,beta");
	assert_int_equal(
	    fakes_verdict(&world, &error), OMEGA_SANDBOX_E_UNAVAILABLE);
	assert_int_equal(fakes[0].request_flags, 0);
	fakes_close(&world);
}

/* Commands that meet in one place are kept apart where that can be done, also
 * by a backend that holds nothing of its own. */
static void
test_commands_that_meet_are_separated(void **state)
{
	struct fake fakes[] = {
	    {.name = "alpha",
		.path = EVERY_BIT,
		.all_hardening = true,
		.flags = OMEGA_SANDBOX_PLUGIN_CHANGES_MOUNTS},
	    {.name = "beta",
		.flags = OMEGA_SANDBOX_PLUGIN_SEPARATES,
		.launch_flags = OMEGA_SANDBOX_LAUNCH_SEPARATES},
	    {.name = "gamma"},
	};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_prepared *prepared = NULL;
	struct world world;

	(void)state;
	fakes_open(&world, fakes, 3, "alpha,beta,gamma");
	assert_int_equal(
	    omega_sandbox_prepare(world.policy, &prepared, &error), 0);
	omega_sandbox_prepared_unref(prepared);
	assert_int_equal(fakes[1].applied, 1);
	assert_int_equal(fakes[1].assigned, 0);
	assert_int_equal(fakes[2].applied, 0);
	fakes_close(&world);
}

static void
test_two_prefix_backends_are_refused(void **state)
{
	struct fake fakes[] = {
	    {.name = "a", .path = EVERY_BIT, .is_prefix = true},
	    {.name = "b", .path = EVERY_BIT, .is_prefix = true},
	};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_report *report = NULL;
	struct world world;

	(void)state;
	fakes_open(&world, fakes, 2, "a,b");
	assert_int_equal(omega_sandbox_describe(world.policy, &report, &error),
	    OMEGA_SANDBOX_E_INVALID_POLICY);
	assert_null(report);
	fakes_close(&world);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_a_place_that_changed_is_prepared_again),
	    cmocka_unit_test(test_a_place_that_keeps_changing_is_an_error),
	    cmocka_unit_test(test_another_failure_is_tried_once_more),
	    cmocka_unit_test(test_what_was_believed_is_tried),
	    cmocka_unit_test(test_a_way_for_this_process_alone_is_refused),
	    cmocka_unit_test(test_who_installs_filters_is_told_of),
	    cmocka_unit_test(test_separation_is_told_and_required),
	    cmocka_unit_test(test_commands_that_meet_are_separated),
	    cmocka_unit_test(test_two_prefix_backends_are_refused),
	};

	return run_all(tests);
}
