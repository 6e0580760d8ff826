/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-plan-report.c - what reports and backends are told.
 */

#include "harness.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <omega/sandbox.h>

#include "fakes.h"
#include "launch/launch.h"
#include "load/sandbox.h"
#include "plan/plan.h"
#include "plan/prepared.h"

static void
test_blocked_paths_become_guarantees_with_their_origin(void **state)
{
	struct fake fakes[] = {
	    {.name = "one", .path = EVERY_BIT, .all_hardening = true}};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_report *report = NULL;
	struct omega_sandbox_guarantee line;
	struct world world;
	const char *dir;

	(void)state;
	fakes_open(&world, fakes, 1, "one");
	dir = scratch_dir();
	make_file(text("%s/key", dir), "k");
	assert_int_equal(omega_sandbox_policy_set(world.policy, "blocked_paths",
			     text("%s/key", dir), &error),
	    0);
	assert_int_equal(omega_sandbox_policy_set(world.policy, "blocked_paths",
			     text("%s/absent", dir), &error),
	    0);
	assert_int_equal(omega_sandbox_policy_set(
			     world.policy, "blocked_paths", "x", &error),
	    OMEGA_SANDBOX_E_INVALID_POLICY);
	assert_int_equal(
	    omega_sandbox_describe(world.policy, &report, &error), 0);
	line = fakes_guarantee(report, "/key cannot be read");
	assert_string_equal(line.origin, "host application");
	line = fakes_guarantee(report, "/absent cannot be created");
	assert_string_equal(line.kind, "absent_paths");
	assert_false(line.is_required);
	line =
	    fakes_guarantee(report, "/config.toml stays out of reach when the "
				    "host replaces it meanwhile");
	assert_string_equal(line.kind, "replaced_files");
	assert_int_equal(
	    fakes_guarantee(report, "/etc cannot be changed").is_required, 1);
	omega_sandbox_report_unref(report);
	fakes_close(&world);
}

/* Open choices are the host's; a backend is told what came of it. */
static void
test_openings_reach_the_backends(void **state)
{
	struct fake fakes[] = {
	    {.name = "one", .path = EVERY_BIT, .all_hardening = true}};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_policy *policy;
	struct world world;

	(void)state;
	fakes_open(&world, fakes, 1, "one");
	policy = world.policy;
	assert_int_equal(fakes_verdict(&world, &error), 0);
	assert_int_equal(fakes[0].data_dir_mode, OMEGA_SANDBOX_DATA_DIR_AUTO);
	assert_int_equal(fakes[0].hide_sockets, OMEGA_SANDBOX_HIDE_OWN);
	assert_string_equal(fakes[0].sockets, "");
	assert_int_equal(
	    omega_sandbox_policy_set(policy, "data_dir_mode", "mask", &error),
	    0);
	assert_int_equal(
	    omega_sandbox_policy_set(policy, "hide_sockets", "none", &error),
	    0);
	assert_int_equal(
	    omega_sandbox_policy_set(policy, "allow_sockets", "/run/a", &error),
	    0);
	assert_int_equal(
	    omega_sandbox_policy_set(policy, "allow_sockets", "/run/b", &error),
	    0);
	assert_int_equal(omega_sandbox_policy_set(
			     policy, "allow_devices", "/dev/kvm", &error),
	    0);
	assert_int_equal(fakes_verdict(&world, &error), 0);
	assert_int_equal(fakes[0].data_dir_mode, OMEGA_SANDBOX_DATA_DIR_MASK);
	assert_int_equal(fakes[0].hide_sockets, OMEGA_SANDBOX_HIDE_NONE);
	assert_string_equal(fakes[0].sockets, "/run/a /run/b");
	assert_string_equal(fakes[0].devices, "/dev/kvm");
	assert_int_equal(
	    omega_sandbox_policy_set(policy, "data_dir_mode", "veil", &error),
	    OMEGA_SANDBOX_E_INVALID_POLICY);
	assert_int_equal(
	    omega_sandbox_policy_set(policy, "allow_sockets", "run/a", &error),
	    OMEGA_SANDBOX_E_INVALID_POLICY);
	assert_int_equal(
	    omega_sandbox_policy_set(NULL, "allow_devices", "/dev/kvm", &error),
	    OMEGA_SANDBOX_E_ARGUMENT);
	assert_int_equal(
	    omega_sandbox_policy_set(policy, "hide_sockets", NULL, &error),
	    OMEGA_SANDBOX_E_ARGUMENT);
	fakes_close(&world);
}

/* Where the administrator has spoken, a host can only ask for less. */
static void
test_openings_of_the_administrator_are_the_limit(void **state)
{
	static const char conf[] = "data_dir_mode = auto\n"
				   "hide_sockets = launchers\n"
				   "allow_sockets = { '/run/a' }\n"
				   "allow_devices = {}\n";
	struct fake fakes[] = {
	    {.name = "one", .path = EVERY_BIT, .all_hardening = true}};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_policy *policy = NULL;
	struct world world;

	(void)state;
	fakes_open(&world, fakes, 1, "one");
	assert_int_equal(omega_conf_parse(world.sandbox->conf, "/etc/x.conf",
			     conf, strlen(conf), &error),
	    0);
	assert_int_equal(
	    omega_sandbox_policy_new(world.sandbox, NULL, &policy, &error), 0);
	assert_int_equal(
	    omega_sandbox_policy_set(policy, "data_dir_mode", "mask", &error),
	    OMEGA_SANDBOX_E_REFUSED);
	assert_string_equal(error.file, "/etc/x.conf");
	assert_int_equal(error.line, 1);
	assert_int_equal(
	    omega_sandbox_policy_set(policy, "data_dir_mode", "shield", &error),
	    0);
	assert_int_equal(
	    omega_sandbox_policy_set(policy, "hide_sockets", "none", &error),
	    OMEGA_SANDBOX_E_REFUSED);
	assert_int_equal(error.line, 2);
	assert_int_equal(
	    omega_sandbox_policy_set(policy, "hide_sockets", "own", &error), 0);
	/* And back to what the administrator has, which is allowed. */
	assert_int_equal(omega_sandbox_policy_set(
			     policy, "hide_sockets", "launchers", &error),
	    0);
	assert_int_equal(
	    omega_sandbox_policy_set(policy, "allow_sockets", "/run/a", &error),
	    0);
	assert_int_equal(
	    omega_sandbox_policy_set(policy, "allow_sockets", "/run/b", &error),
	    OMEGA_SANDBOX_E_REFUSED);
	assert_int_equal(error.line, 3);
	assert_int_equal(omega_sandbox_policy_set(
			     policy, "allow_devices", "/dev/kvm", &error),
	    OMEGA_SANDBOX_E_REFUSED);
	omega_sandbox_policy_unref(world.policy);
	world.policy = policy;
	assert_int_equal(
	    omega_sandbox_policy_set(policy, "backend", "one", &error), 0);
	assert_int_equal(omega_sandbox_policy_set(
			     policy, "data_dir", world.data_dir, &error),
	    0);
	assert_int_equal(fakes_verdict(&world, &error), 0);
	assert_int_equal(fakes[0].data_dir_mode, OMEGA_SANDBOX_DATA_DIR_SHIELD);
	assert_int_equal(fakes[0].hide_sockets, OMEGA_SANDBOX_HIDE_LAUNCHERS);
	assert_string_equal(fakes[0].sockets, "/run/a");
	assert_string_equal(fakes[0].devices, "");
	fakes_close(&world);
}

static void
test_json_is_sound_for_any_bytes(void **state)
{
	struct fake fakes[] = {{.name = "one"}};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_report *report = NULL;
	const char *json;
	struct world world;

	(void)state;
	fakes_open(&world, fakes, 1, "one");
	assert_int_equal(omega_sandbox_policy_set(world.policy, "blocked_paths",
			     "/tmp/\"\\\n\xff\xc3\xa9/x", &error),
	    0);
	assert_int_equal(
	    omega_sandbox_describe(world.policy, &report, &error), 0);
	json = omega_sandbox_report_text(report, OMEGA_SANDBOX_FORMAT_JSON);
	assert_non_null(
	    strstr(json, "/tmp/\\\"\\\\\\u000a\xef\xbf\xbd\xc3\xa9/x"));
	assert_null(strchr(json, '\n'));
	assert_non_null(
	    strstr(omega_sandbox_report_text(report, OMEGA_SANDBOX_FORMAT_TEXT),
		"\\x0a"));
	omega_sandbox_report_unref(report);
	fakes_close(&world);
}

/* Words can be seen where nothing can be started, and nothing is claimed. */
static void
test_words_are_shown_wherever_they_would_be_used(void **state)
{
	struct fake fakes[] = {{.name = "one",
	    .path = EVERY_BIT,
	    .all_hardening = true,
	    .is_unusable = true,
	    .is_prefix = true,
	    .flags = OMEGA_SANDBOX_PLUGIN_PREVIEWS}};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	char **words = NULL;
	struct world world;

	(void)state;
	fakes_open(&world, fakes, 1, "one");
	assert_int_equal(
	    omega_sandbox_describe_prefix(world.policy, &words, &error), 0);
	assert_string_equal(words[0], "/bin/fake");
	assert_null(words[1]);
	assert_true(
	    (fakes[0].request_flags & OMEGA_SANDBOX_REQUEST_PREVIEW) != 0);
	free(words);
	/* To prepare and to describe is another matter. */
	assert_int_equal(
	    fakes_verdict(&world, &error), OMEGA_SANDBOX_E_UNAVAILABLE);
	fakes_close(&world);
}

static void
test_no_words_are_shown_that_are_not_enough(void **state)
{
	struct fake fakes[] = {
	    {.name = "one", .path = EVERY_BIT, .all_hardening = true},
	    {.name = "two",
		.path = READ_BITS,
		.all_hardening = true,
		.is_prefix = true,
		.flags = OMEGA_SANDBOX_PLUGIN_PREVIEWS}};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	char **words = NULL;
	struct world world;

	(void)state;
	fakes_open(&world, fakes, 2, "one");
	assert_int_equal(
	    omega_sandbox_describe_prefix(world.policy, &words, &error),
	    OMEGA_SANDBOX_E_UNAVAILABLE);
	assert_null(words);
	assert_int_equal(fakes[0].applied, 0);
	assert_int_equal(
	    omega_sandbox_policy_set(world.policy, "backend", "two", &error),
	    0);
	assert_int_equal(
	    omega_sandbox_describe_prefix(world.policy, &words, &error),
	    OMEGA_SANDBOX_E_REQUIRED);
	assert_non_null(strstr(error.text, "because two"));
	/* Nor to one who would run without. */
	world.sandbox->conf->top.values[OMEGA_OPTION_FAIL_CLOSED].number =
	    false;
	assert_int_equal(
	    omega_sandbox_describe_prefix(world.policy, &words, &error),
	    OMEGA_SANDBOX_E_REQUIRED);
	assert_non_null(strstr(error.text, "because two"));
	assert_int_equal(fakes[1].applied, 0);
	fakes[1].path = EVERY_BIT;
	fakes[1].apply_error = -ENOSPC;
	assert_int_equal(
	    omega_sandbox_describe_prefix(world.policy, &words, &error),
	    OMEGA_SANDBOX_E_SYSTEM);
	assert_null(words);
	fakes_close(&world);
	assert_int_equal(omega_sandbox_describe_prefix(NULL, &words, &error),
	    OMEGA_SANDBOX_E_ARGUMENT);
	assert_int_equal(omega_sandbox_describe_prefix(NULL, NULL, &error),
	    OMEGA_SANDBOX_E_ARGUMENT);
}

static void
test_reports_refuse_bad_arguments(void **state)
{
	struct omega_sandbox_guarantee line = OMEGA_SANDBOX_GUARANTEE_INIT;
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_report *report = NULL;
	struct omega_sandbox_prepared *prepared = NULL;

	(void)state;
	assert_int_equal(
	    omega_sandbox_report_get(NULL, 0, &line), OMEGA_SANDBOX_E_ARGUMENT);
	assert_int_equal(omega_sandbox_report_get_verdict(NULL, &error),
	    OMEGA_SANDBOX_E_ARGUMENT);
	assert_false(omega_sandbox_report_is_protected(NULL));
	assert_string_equal(
	    omega_sandbox_report_text(NULL, OMEGA_SANDBOX_FORMAT_TEXT), "");
	assert_string_equal(
	    omega_sandbox_report_text(NULL, OMEGA_SANDBOX_FORMAT_JSON), "");
	assert_int_equal(omega_sandbox_describe(NULL, &report, &error),
	    OMEGA_SANDBOX_E_ARGUMENT);
	assert_int_equal(omega_sandbox_prepare(NULL, &prepared, &error),
	    OMEGA_SANDBOX_E_ARGUMENT);
	assert_int_equal(omega_sandbox_policy_new(NULL, NULL, NULL, &error),
	    OMEGA_SANDBOX_E_ARGUMENT);
	assert_null(omega_sandbox_prepared_report(NULL));
	omega_sandbox_report_unref(NULL);
	omega_sandbox_prepared_unref(NULL);
	omega_sandbox_policy_unref(NULL);
	omega_sandbox_unref(NULL);
	assert_null(omega_sandbox_ref(NULL));
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(
		test_blocked_paths_become_guarantees_with_their_origin),
	    cmocka_unit_test(test_openings_reach_the_backends),
	    cmocka_unit_test(test_openings_of_the_administrator_are_the_limit),
	    cmocka_unit_test(test_json_is_sound_for_any_bytes),
	    cmocka_unit_test(test_words_are_shown_wherever_they_would_be_used),
	    cmocka_unit_test(test_no_words_are_shown_that_are_not_enough),
	    cmocka_unit_test(test_reports_refuse_bad_arguments),
	};

	return run_all(tests);
}
