/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-plan.c - who is assigned what, and may a command start?
 */

#include "conf/kinds.h"
#include "harness.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <omega/sandbox.h>

#include "fakes.h"
#include "launch/launch.h"
#include "load/sandbox.h"
#include "plan/plan.h"
#include "plan/prepared.h"

static void
test_everything_held_by_one_starts(void **state)
{
	struct fake fakes[] = {
	    {.name = "one", .path = EVERY_BIT, .all_hardening = true}};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_report *report = NULL;
	struct omega_sandbox_guarantee line;
	struct world world;

	(void)state;
	fakes_open(&world, fakes, 1, "one");
	assert_int_equal(
	    omega_sandbox_describe(world.policy, &report, &error), 0);
	assert_int_equal(omega_sandbox_report_get_verdict(report, &error), 0);
	assert_true(omega_sandbox_report_is_protected(report));
	line = fakes_guarantee(report, "/data cannot be read");
	assert_int_equal(line.state, OMEGA_SANDBOX_ENFORCED);
	assert_true(line.is_required);
	assert_string_equal(line.backends, "one");
	assert_string_equal(line.why, "");
	assert_string_equal(line.kind, "path");
	assert_int_equal(fakes[0].applied, 0);
	omega_sandbox_report_unref(report);
	fakes_close(&world);
}

static void
test_required_not_held_is_refused_with_the_guarantee(void **state)
{
	struct fake fakes[] = {{.name = "one", .all_hardening = true}};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_prepared *prepared = NULL;
	struct world world;

	(void)state;
	fakes_open(&world, fakes, 1, "one");
	assert_int_equal(
	    fakes_verdict(&world, &error), OMEGA_SANDBOX_E_REQUIRED);
	assert_int_equal(omega_sandbox_prepare(world.policy, &prepared, &error),
	    OMEGA_SANDBOX_E_REQUIRED);
	assert_null(prepared);
	assert_int_equal(error.code, OMEGA_SANDBOX_E_REQUIRED);
	assert_non_null(strstr(error.text, "/data cannot be read"));
	assert_non_null(strstr(error.text, "because one"));
	assert_non_null(strstr(error.text, "backend = auto"));
	assert_null(strstr(error.text, "fail_closed"));
	assert_non_null(strstr(error.atom, "/data cannot be read"));
	assert_int_equal(fakes[0].applied, 0);
	fakes_close(&world);
}

/* A remedy of one backend is that backend's to tell: the core names none. */
static void
test_refusal_has_the_words_of_the_backends(void **state)
{
	static const char *const names[] = {
	    "namespace", "landlock", "seccomp", "bwrap", "complement"};
	struct fake fakes[] = {{.name = "one", .all_hardening = true}};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct world world;
	size_t i;

	(void)state;
	fakes_open(&world, fakes, 1, "one");
	assert_int_equal(
	    fakes_verdict(&world, &error), OMEGA_SANDBOX_E_REQUIRED);
	assert_non_null(strstr(error.text, "backend = auto"));
	assert_non_null(strstr(error.text, "one: because one"));
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_null(strstr(error.text, names[i]));
	assert_null(strstr(error.text, "fail_closed"));
	fakes_close(&world);
}

static void
test_required_partial_is_refused(void **state)
{
	struct fake fakes[] = {{.name = "one",
	    .path = EVERY_BIT & ~(uint32_t)OMEGA_SANDBOX_ATOM_LIST,
	    .path_partial = OMEGA_SANDBOX_ATOM_LIST,
	    .all_hardening = true}};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_report *report = NULL;
	struct omega_sandbox_guarantee line;
	struct world world;

	(void)state;
	fakes_open(&world, fakes, 1, "one");
	assert_int_equal(
	    omega_sandbox_describe(world.policy, &report, &error), 0);
	assert_int_equal(omega_sandbox_report_get_verdict(report, &error),
	    OMEGA_SANDBOX_E_REQUIRED);
	assert_false(omega_sandbox_report_is_protected(report));
	line = fakes_guarantee(report, "/data cannot be read");
	assert_int_equal(line.state, OMEGA_SANDBOX_PARTIAL);
	assert_non_null(strstr(line.why, "because one"));
	line = fakes_guarantee(report, "/data cannot be changed");
	assert_int_equal(line.state, OMEGA_SANDBOX_ENFORCED);
	omega_sandbox_report_unref(report);
	fakes_close(&world);
}

static void
test_two_backends_hold_an_atom_together(void **state)
{
	struct fake fakes[] = {
	    {.name = "reads", .path = OMEGA_SANDBOX_ATOM_READ},
	    {.name = "rest",
		.path = EVERY_BIT & ~(uint32_t)OMEGA_SANDBOX_ATOM_READ,
		.all_hardening = true},
	};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_prepared *prepared = NULL;
	struct omega_sandbox_report *report;
	struct omega_sandbox_guarantee line;
	struct world world;

	(void)state;
	fakes_open(&world, fakes, 2, "reads,rest");
	assert_int_equal(
	    omega_sandbox_prepare(world.policy, &prepared, &error), 0);
	report = omega_sandbox_prepared_report(prepared);
	line = fakes_guarantee(report, "/data cannot be read");
	assert_int_equal(line.state, OMEGA_SANDBOX_ENFORCED);
	assert_string_equal(line.backends, "reads, rest");
	line = fakes_guarantee(report, "/data cannot be changed");
	assert_string_equal(line.backends, "rest");
	assert_int_equal(fakes[0].applied, 1);
	assert_int_equal(fakes[0].assigned_bits, OMEGA_SANDBOX_ATOM_READ);
	assert_int_equal(fakes[1].assigned_bits & OMEGA_SANDBOX_ATOM_READ, 0);
	omega_sandbox_report_unref(report);
	omega_sandbox_prepared_unref(prepared);
	fakes_close(&world);
}

static void
test_first_full_holder_gets_it_alone(void **state)
{
	struct fake fakes[] = {
	    {.name = "part", .path = OMEGA_SANDBOX_ATOM_READ},
	    {.name = "full", .path = EVERY_BIT, .all_hardening = true},
	    {.name = "also", .path = EVERY_BIT, .all_hardening = true},
	};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_prepared *prepared = NULL;
	struct world world;

	(void)state;
	fakes_open(&world, fakes, 3, "part,full,also");
	assert_int_equal(
	    omega_sandbox_prepare(world.policy, &prepared, &error), 0);
	assert_int_equal(fakes[0].applied, 0);
	assert_int_equal(fakes[1].applied, 1);
	assert_int_equal(fakes[2].applied, 0);
	omega_sandbox_prepared_unref(prepared);
	fakes_close(&world);
}

static void
test_hardening_not_accepted_is_refused(void **state)
{
	struct fake fakes[] = {{.name = "one",
	    .path = EVERY_BIT,
	    .all_hardening = true,
	    .except_kind = OMEGA_SANDBOX_ATOM_TERMINAL}};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct world world;

	(void)state;
	fakes_open(&world, fakes, 1, "one");
	assert_int_equal(
	    fakes_verdict(&world, &error), OMEGA_SANDBOX_E_REQUIRED);
	assert_non_null(strstr(error.text, "backend = auto"));
	assert_non_null(strstr(error.text, "add \"terminal\" to accept"));
	world.sandbox->conf->top.values[OMEGA_OPTION_ACCEPT].number |=
	    omega_kinds_bit(OMEGA_SANDBOX_ATOM_TERMINAL);
	assert_int_equal(fakes_verdict(&world, &error), 0);
	fakes_close(&world);
}

static void
test_each_hardening_kind_follows_accept(void **state)
{
	const struct omega_kind *kind;

	(void)state;
	for (kind = omega_kinds; kind->name != NULL; kind++) {
		struct fake fakes[] = {{.name = "one",
		    .path = EVERY_BIT,
		    .all_hardening = true,
		    .except_kind = kind->number}};
		struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
		struct world world;
		int expected = OMEGA_SANDBOX_E_REQUIRED;

		/* Not part of the default policy as it is here. */
		if (!kind->is_hardening ||
		    kind->number == OMEGA_SANDBOX_ATOM_EXECUTE ||
		    kind->number == OMEGA_SANDBOX_ATOM_LISTEN ||
		    kind->number == OMEGA_SANDBOX_ATOM_LIMIT ||
		    kind->number == OMEGA_SANDBOX_ATOM_LEFT_PROCESSES ||
		    kind->number == OMEGA_SANDBOX_ATOM_TRACE ||
		    kind->number == OMEGA_SANDBOX_ATOM_OUTSIDE_IPC ||
		    kind->number == OMEGA_SANDBOX_ATOM_ABSENT_PATHS)
			continue;
		fakes_open(&world, fakes, 1, "one");
		world.sandbox->conf->top.values[OMEGA_OPTION_ACCEPT].number = 0;
		assert_int_equal(fakes_verdict(&world, &error), expected);
		world.sandbox->conf->top.values[OMEGA_OPTION_ACCEPT].number =
		    omega_kinds_accepted_by_default();
		assert_int_equal(fakes_verdict(&world, &error),
		    kind->is_accepted ? 0 : expected);
		fakes_close(&world);
	}
}

static void
test_fail_open_warns_once_and_starts(void **state)
{
	struct fake fakes[] = {{.name = "one"}};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_prepared *prepared = NULL;
	struct omega_sandbox_report *report;
	struct world world;

	(void)state;
	fakes_open(&world, fakes, 1, "one");
	world.sandbox->conf->top.values[OMEGA_OPTION_FAIL_CLOSED].number =
	    false;
	assert_int_equal(
	    omega_sandbox_prepare(world.policy, &prepared, &error), 0);
	assert_non_null(strstr(fakes_log, "UNPROTECTED"));
	assert_non_null(strstr(fakes_log, "fail_closed = false"));
	report = omega_sandbox_prepared_report(prepared);
	assert_false(omega_sandbox_report_is_protected(report));
	omega_sandbox_report_unref(report);
	omega_sandbox_prepared_unref(prepared);
	fakes_close(&world);
}

static void
test_noop_waives_only_when_the_administrator_left_it_open(void **state)
{
	struct fake fakes[] = {{.name = "noop"}};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_prepared *prepared = NULL;
	struct world world;

	(void)state;
	fakes_open(&world, fakes, 1, "none");
	assert_int_equal(
	    omega_sandbox_prepare(world.policy, &prepared, &error), 0);
	assert_non_null(strstr(fakes_log, "noop was named"));
	omega_sandbox_prepared_unref(prepared);
	/* As if sandbox.conf said backend = "landlock". */
	world.policy->is_admin_named = true;
	assert_int_equal(
	    omega_sandbox_policy_set(world.policy, "backend", "noop", &error),
	    0);
	assert_int_equal(
	    fakes_verdict(&world, &error), OMEGA_SANDBOX_E_REQUIRED);
	fakes_close(&world);
}

static void
test_named_backend_that_cannot_be_used_is_refused(void **state)
{
	struct fake fakes[] = {
	    {.name = "good", .path = EVERY_BIT, .all_hardening = true},
	    {.name = "bad", .is_unusable = true},
	};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct world world;

	(void)state;
	fakes_open(&world, fakes, 2, "good,bad");
	assert_int_equal(
	    fakes_verdict(&world, &error), OMEGA_SANDBOX_E_UNAVAILABLE);
	assert_string_equal(error.backend, "bad");
	assert_non_null(strstr(error.text, "the moon"));
	world.sandbox->conf->top.values[OMEGA_OPTION_FAIL_CLOSED].number =
	    false;
	assert_int_equal(fakes_verdict(&world, &error), 0);
	fakes_close(&world);
}

static void
test_auto_without_any_backend_is_refused(void **state)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_report *report = NULL;
	struct world world;

	(void)state;
	fakes_open(&world, NULL, 0, "auto");
	assert_int_equal(
	    omega_sandbox_describe(world.policy, &report, &error), 0);
	assert_int_equal(omega_sandbox_report_get_verdict(report, &error),
	    OMEGA_SANDBOX_E_REQUIRED);
	assert_non_null(strstr(error.text, "omega-sandbox-landlock"));
	omega_sandbox_report_unref(report);
	fakes_close(&world);
}

static void
test_disabled_and_root_are_refused(void **state)
{
	struct fake fakes[] = {
	    {.name = "one", .path = EVERY_BIT, .all_hardening = true}};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct world world;

	(void)state;
	fakes_open(&world, fakes, 1, "one");
	world.sandbox->conf->top.values[OMEGA_OPTION_ALLOW_ROOT].number = false;
	assert_int_equal(fakes_verdict(&world, &error),
	    getuid() == 0 ? OMEGA_SANDBOX_E_REFUSED : 0);
	world.sandbox->conf->top.values[OMEGA_OPTION_ALLOW_ROOT].number = true;
	world.sandbox->conf->top.values[OMEGA_OPTION_ENABLED].number = false;
	assert_int_equal(
	    fakes_verdict(&world, &error), OMEGA_SANDBOX_E_REFUSED);
	assert_non_null(strstr(error.text, "enabled = false"));
	/* Not even fail-open runs a disabled sandbox. */
	world.sandbox->conf->top.values[OMEGA_OPTION_FAIL_CLOSED].number =
	    false;
	assert_int_equal(
	    fakes_verdict(&world, &error), OMEGA_SANDBOX_E_REFUSED);
	fakes_close(&world);
}

static void
test_broken_backends_are_told_apart(void **state)
{
	struct fake fakes[] = {
	    {.name = "probe-fails", .probe_error = -EIO},
	    {.name = "describe-fails", .describe_error = -EIO},
	    {.name = "apply-fails",
		.path = EVERY_BIT,
		.all_hardening = true,
		.apply_error = -EMFILE},
	    {.name = "liar",
		.path = EVERY_BIT,
		.all_hardening = true,
		.is_liar = true},
	};
	static const struct {
		const char *name;
		int code;
		const char *part;
	} rows[] = {
	    {"probe-fails", OMEGA_SANDBOX_E_PLUGIN, "look at this host"},
	    {"describe-fails", OMEGA_SANDBOX_E_PLUGIN, "would hold"},
	    {"apply-fails", OMEGA_SANDBOX_E_SYSTEM, "no more descriptors"},
	    {"liar", OMEGA_SANDBOX_E_PLUGIN, "promised more"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
		struct omega_sandbox_prepared *prepared = NULL;
		struct world world;

		fakes_open(&world, fakes, 4, rows[i].name);
		assert_int_equal(
		    omega_sandbox_prepare(world.policy, &prepared, &error),
		    rows[i].code);
		assert_null(prepared);
		assert_string_equal(error.backend, rows[i].name);
		assert_non_null(strstr(error.text, rows[i].part));
		fakes_close(&world);
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_everything_held_by_one_starts),
	    cmocka_unit_test(
		test_required_not_held_is_refused_with_the_guarantee),
	    cmocka_unit_test(test_refusal_has_the_words_of_the_backends),
	    cmocka_unit_test(test_required_partial_is_refused),
	    cmocka_unit_test(test_two_backends_hold_an_atom_together),
	    cmocka_unit_test(test_first_full_holder_gets_it_alone),
	    cmocka_unit_test(test_hardening_not_accepted_is_refused),
	    cmocka_unit_test(test_each_hardening_kind_follows_accept),
	    cmocka_unit_test(test_fail_open_warns_once_and_starts),
	    cmocka_unit_test(
		test_noop_waives_only_when_the_administrator_left_it_open),
	    cmocka_unit_test(test_named_backend_that_cannot_be_used_is_refused),
	    cmocka_unit_test(test_auto_without_any_backend_is_refused),
	    cmocka_unit_test(test_disabled_and_root_are_refused),
	    cmocka_unit_test(test_broken_backends_are_told_apart),
	};

	return run_all(tests);
}
