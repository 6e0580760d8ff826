/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-record-env.c - commands started through the public functions:
 * what is refused, and what environment reaches them.
 */

#include "harness.h"

#include <stdlib.h>
#include <string.h>

#include "load/sandbox.h"
#include "plugins.h"
#include "recorded.h"

/* ---- Environment --------------------------------------------------------- */

/* What a command finds; its own additions apart. */
static char *
environment_of(struct world *world, const char *const *env)
{
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	const char *out = text("%s/out", world->dir);
	const char *words[] = {"/bin/sh", "-c", text("env >'%s'", out), NULL};
	struct omega_sandbox_command *command = recorded_command(world, words);

	assert_int_equal(omega_sandbox_command_set_env(command, env, NULL), 0);
	if (omega_sandbox_run(command, &end, &world->error) != 0)
		fail_msg("%s", world->error.text);
	assert_int_equal(end.status, 0);
	omega_sandbox_command_unref(command);
	return file_text(out);
}

static void
test_environments_are_filtered(void **state)
{
	static const char *const given[] = {"PATH=/usr/bin:/bin",
	    "A_TOKEN=hush", "LD_AUDIT=x", "PLAIN=yes",
	    "SSH_AUTH_SOCK=/run/agent", NULL};
	struct world world;
	char *found;

	(void)state;
	recorded_make(&world, "");
	setenv("OMEGA_TEST_TOKEN", "hush", 1);
	setenv("OMEGA_TEST_PLAIN", "yes", 1);
	found = environment_of(&world, NULL);
	assert_null(strstr(found, "OMEGA_TEST_TOKEN"));
	assert_non_null(strstr(found, "OMEGA_TEST_PLAIN=yes"));
	assert_non_null(strstr(found, "PATH="));
	/* The host's own is as it was. */
	assert_string_equal(getenv("OMEGA_TEST_TOKEN"), "hush");
	found = environment_of(&world, given);
	assert_null(strstr(found, "hush"));
	assert_null(strstr(found, "LD_AUDIT"));
	assert_null(strstr(found, "SSH_AUTH_SOCK"));
	assert_non_null(strstr(found, "PLAIN=yes"));
	recorded_close(&world);
}

static void
test_variables_are_given_back_and_set(void **state)
{
	struct world world;
	char *found;

	(void)state;
	setenv("OMEGA_TEST_TOKEN", "hush", 1);
	setenv("OMEGA_TEST_KEY", "hush", 1);
	setenv("SET", "mine", 1);
	assert_int_equal(recorded_open(&world, "env_deny = { OMEGA_TEST_KEY }\n"
					       "env_set = { 'SET=admin' }\n"),
	    0);
	assert_int_equal(omega_sandbox_policy_new(
			     world.sandbox, NULL, &world.policy, &world.error),
	    0);
	assert_int_equal(omega_sandbox_policy_set(world.policy, "data_dir",
			     text("%s/omega", world.dir), &world.error),
	    0);
	assert_int_equal(omega_sandbox_policy_set(world.policy, "env_allow",
			     "OMEGA_TEST_*", &world.error),
	    0);
	assert_int_equal(omega_sandbox_policy_set(
			     world.policy, "env_set", "SET=host", &world.error),
	    0);
	assert_int_equal(omega_sandbox_policy_set(world.policy, "env_set",
			     "MORE=host", &world.error),
	    0);
	if (omega_sandbox_prepare(
		world.policy, &world.prepared, &world.error) != 0)
		fail_msg("%s", world.error.text);
	found = environment_of(&world, NULL);
	assert_non_null(strstr(found, "OMEGA_TEST_TOKEN=hush"));
	assert_null(strstr(found, "OMEGA_TEST_KEY"));
	assert_non_null(strstr(found, "SET=admin"));
	assert_null(strstr(found, "SET=mine"));
	assert_non_null(strstr(found, "MORE=host"));
	recorded_close(&world);
}

static void
test_an_agent_is_passed_what_it_needs(void **state)
{
	static const char *const confs[] = {
	    "agent a { pass = { OMEGA_TEST_TOKEN } }\n",
	    "agent a { pass = { OMEGA_TEST_TOKEN } }\n"
	    "policy f { env_deny = { '*_TOKEN' } }\nfloor = f\n"};
	struct world world;
	size_t i;

	(void)state;
	setenv("OMEGA_TEST_TOKEN", "hush", 1);
	setenv("OMEGA_TEST_KEY", "hush", 1);
	for (i = 0; i < 2; i++) {
		char *found;

		assert_int_equal(recorded_open(&world, confs[i]), 0);
		assert_int_equal(omega_sandbox_policy_new(world.sandbox, NULL,
				     &world.policy, &world.error),
		    0);
		assert_int_equal(
		    omega_sandbox_policy_set(world.policy, "data_dir",
			text("%s/omega", world.dir), &world.error),
		    0);
		assert_int_equal(omega_sandbox_policy_set(
				     world.policy, "agent", "a", &world.error),
		    0);
		if (omega_sandbox_prepare(
			world.policy, &world.prepared, &world.error) != 0)
			fail_msg("%s", world.error.text);
		found = environment_of(&world, NULL);
		assert_null(strstr(found, "OMEGA_TEST_KEY"));
		/* What the floor denies no profile gives back. */
		assert_int_equal(
		    strstr(found, "OMEGA_TEST_TOKEN=hush") != NULL, i == 0);
		recorded_close(&world);
	}
}

static void
test_a_report_has_names_and_no_values(void **state)
{
	struct omega_sandbox_report *report;
	struct world world;
	const char *found;

	(void)state;
	setenv("OMEGA_TEST_TOKEN", "hush", 1);
	setenv("OMEGA_TEST_KEY", "hush", 1);
	recorded_make(&world,
	    "env_allow = { OMEGA_TEST_KEY }\nenv_set = { 'SET=hush' }\n");
	report = omega_sandbox_prepared_report(world.prepared);
	found = omega_sandbox_report_text(report, OMEGA_SANDBOX_FORMAT_TEXT);
	assert_null(strstr(found, "hush"));
	assert_non_null(strstr(found, "environment: removed "));
	assert_non_null(strstr(found, "OMEGA_TEST_TOKEN"));
	assert_non_null(strstr(found, "; given back OMEGA_TEST_KEY; set SET"));
	found = omega_sandbox_report_text(report, OMEGA_SANDBOX_FORMAT_JSON);
	assert_null(strstr(found, "hush"));
	assert_non_null(strstr(found, "OMEGA_TEST_TOKEN"));
	omega_sandbox_report_unref(report);
	recorded_close(&world);
}

/* ---- Refusals ------------------------------------------------------------ */

static void
test_refused_before_the_start(void **state)
{
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_command *command;
	struct world world;
	char *secret;

	(void)state;
	recorded_make(&world,
	    "check_arguments = true\nallowed_commands = { cat, true }\n"
	    "blocked_paths = { '%D/blocked' }\naudit = '%D/audit.log'\n");
	secret = text("%s/omega/data/x", world.dir);
	make_file(secret, "");
	assert_int_equal(
	    recorded_run(&world, (const char *[]){"true", NULL}), 0);
	assert_int_equal(
	    recorded_run(&world, (const char *[]){"sh", "-c", "true", NULL}),
	    OMEGA_SANDBOX_E_REFUSED);
	assert_non_null(strstr(world.error.text, "allowed_commands"));
	assert_int_equal(
	    recorded_run(&world, (const char *[]){"cat", secret, NULL}),
	    OMEGA_SANDBOX_E_REFUSED);
	assert_non_null(strstr(world.error.text, "argument 1"));
	assert_int_equal(recorded_run(&world,
			     (const char *[]){"cat", "--",
				 text("--x=%s/blocked/y", world.dir), NULL}),
	    OMEGA_SANDBOX_E_REFUSED);
	assert_non_null(strstr(world.error.text, "sandbox.conf:4"));
	/* From the directory it is to run in. */
	command =
	    recorded_command(&world, (const char *[]){"cat", "data/x", NULL});
	assert_int_equal(omega_sandbox_command_set(
			     command, "dir", text("%s/omega", world.dir), NULL),
	    0);
	assert_int_equal(omega_sandbox_run(command, &end, &world.error),
	    OMEGA_SANDBOX_E_REFUSED);
	/* noop holds nothing, so it is seen that it was this check. */
	assert_int_equal(
	    omega_sandbox_command_set(command, "checked", "false", NULL), 0);
	assert_int_equal(omega_sandbox_run(command, &end, &world.error), 0);
	assert_int_equal(end.status, 0);
	omega_sandbox_command_unref(command);
	recorded_close(&world);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_environments_are_filtered),
	    cmocka_unit_test(test_variables_are_given_back_and_set),
	    cmocka_unit_test(test_an_agent_is_passed_what_it_needs),
	    cmocka_unit_test(test_a_report_has_names_and_no_values),
	    cmocka_unit_test(test_refused_before_the_start),
	};

	return run_all(tests);
}
