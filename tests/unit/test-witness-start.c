/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-witness-start.c - does the witness notice what is not kept? Whole
 * starts, with backends that promise.
 */

#include "harness.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <omega/sandbox.h>

#include "child/witness.h"
#include "launch/launch.h"
#include "load/sandbox.h"
#include "plan/plan.h"
#include "plan/prepared.h"
#include "plugins.h"
#include "promises.h"

#define READS (OMEGA_SANDBOX_ATOM_READ | OMEGA_SANDBOX_ATOM_LIST)

/* ---- Whole starts ---------------------------------------------------------
 */

static void
test_each_promise_that_is_not_kept_is_noticed(void **state)
{
	(void)state;
	promises_expect_hole((struct fake){.path = OMEGA_SANDBOX_ATOM_LIST},
	    "/data ", "could be read (it is the protected object",
	    "cannot be read");
	promises_expect_hole((struct fake){.path = OMEGA_SANDBOX_ATOM_READ},
	    "/data/memory.db", "could be read (it is the protected object",
	    "cannot be read");
	promises_expect_hole((struct fake){.path = OMEGA_SANDBOX_ATOM_WRITE},
	    "/data/memory.db", "could be opened for writing",
	    "cannot be changed");
	promises_expect_hole((struct fake){.path = OMEGA_SANDBOX_ATOM_CREATE},
	    "/data ", "let a file be created in it", "cannot be changed");
	promises_expect_hole(
	    (struct fake){.kind = OMEGA_SANDBOX_ATOM_OUTSIDE_SIGNALS},
	    "the process that started it", "could be sent signals",
	    "processes outside get no signals");
}

static void
test_metadata_that_can_be_changed_is_noticed(void **state)
{
	const char *file = text("%s/file", scratch_dir());

	(void)state;
	make_file(file, "x");
	if (removexattr(file, "user.omega-sandbox.test") == 0 ||
	    errno != ENODATA)
		skip_because(
		    "no attributes on this file system: %s", strerror(errno));
	promises_expect_hole((struct fake){.kind = OMEGA_SANDBOX_ATOM_METADATA},
	    "/data ", "let its attributes be changed", "keeps its mode");
}

/* May a child attach to its parent here at all? */
static int
attach_to_parent(void *arg)
{
	int pidfd = (int)syscall(SYS_pidfd_open, getppid(), 0);

	(void)arg;
	need(pidfd >= 0);
	return syscall(SYS_pidfd_getfd, pidfd, INT_MAX, 0) != -1 ? 1
	       : errno == EBADF					 ? 0
								 : errno;
}

static void
test_processes_that_can_be_traced_are_noticed(void **state)
{
	int status = in_child(attach_to_parent, NULL);

	(void)state;
	if (status != 0)
		skip_because("this kernel forbids it to everybody: %s",
		    strerror(status));
	promises_expect_hole(
	    (struct fake){.kind = OMEGA_SANDBOX_ATOM_OUTSIDE_PTRACE},
	    "the process that started it", "could be traced",
	    "processes outside cannot be traced");
}

static void
test_absent_config_that_can_be_made_is_noticed(void **state)
{
	struct fake fake = {.path = OMEGA_SANDBOX_ATOM_CREATE};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct world world;
	const char *config;

	(void)state;
	promises_open(&world, &fake, "witness = on");
	config = text("%s/config.toml", world.dir);
	assert_int_equal(unlink(config), 0);
	/* The data itself is out of the way. */
	assert_int_equal(unlink(text("%s/data/memory.db", world.dir)), 0);
	assert_int_equal(rmdir(text("%s/data", world.dir)), 0);
	assert_int_equal(
	    promises_start(&world, &error), OMEGA_SANDBOX_E_WITNESS);
	assert_non_null(strstr(error.text, "could be created"));
	assert_int_equal(access(config, F_OK), -1);
	assert_false(promises_has_run(&world));
	promises_close(&world);
}

/* Also where the child does not lend the host's memory. */
static void
test_own_memory_is_noticed_by_pipe(void **state)
{
	promises_expect_hole((struct fake){.path = OMEGA_SANDBOX_ATOM_LIST,
				 .flags = OMEGA_SANDBOX_LAUNCH_SHARES},
	    "/data ", "could be read (it is the protected object",
	    "cannot be read");
	(void)state;
}

static int
exec_in_place(void *arg)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;

	need(omega_sandbox_exec(arg, &error) == OMEGA_SANDBOX_E_WITNESS);
	need(strstr(error.text, "could be read") != NULL);
	return 0;
}

static int
confine(void *arg)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_prepared *prepared =
	    omega_sandbox_command_prepared(arg);

	need(omega_sandbox_confine_self(prepared, &error) ==
	     OMEGA_SANDBOX_E_WITNESS);
	need(strstr(error.text, "could be read") != NULL);
	omega_sandbox_prepared_unref(prepared);
	return 0;
}

static void
test_becoming_the_program_is_witnessed(void **state)
{
	struct fake fake = {.path = READS};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_command *command;
	struct world world;

	(void)state;
	promises_open(&world, &fake, "witness = on");
	command = promises_command(&world, &error);
	assert_non_null(command);
	assert_int_equal(in_child(exec_in_place, command), 0);
	assert_int_equal(in_child(confine, command), 0);
	assert_false(promises_has_run(&world));
	omega_sandbox_command_unref(command);
	promises_close(&world);
}

/* What nobody promises is in the report, and no news to the witness. */
static void
test_what_is_not_promised_is_not_tried(void **state)
{
	struct fake fake = {.path = 0};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct world world;

	(void)state;
	promises_open(&world, &fake, "witness = on");
	assert_int_equal(promises_start(&world, &error), 0);
	assert_true(promises_has_run(&world));
	promises_close(&world);
}

static void
test_configuration_and_call_combine(void **state)
{
	static const struct {
		const char *lines;
		int call; /* -1: none */
		bool is_seen;
	} list[] = {
	    {"witness = off", -1, false},
	    {"witness = off", 0, false},
	    {"witness = off", 1, true},
	    {"witness = on", -1, true},
	    {"witness = on", 0, true},
	    {"", -1, true}, /* the twin that is tested looks by default */
	    {"", 0, false},
	};
	struct fake fake = {.path = READS};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct world world;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		promises_open(&world, &fake, list[i].lines);
		if (list[i].call >= 0)
			assert_int_equal(
			    omega_sandbox_policy_set(world.policy, "witness",
				list[i].call == 1 ? "true" : "false", &error),
			    0);
		assert_int_equal(promises_start(&world, &error),
		    list[i].is_seen ? OMEGA_SANDBOX_E_WITNESS : 0);
		assert_int_equal(promises_has_run(&world), !list[i].is_seen);
		promises_close(&world);
	}
	assert_int_equal(
	    omega_sandbox_policy_set(NULL, "witness", "true", &error),
	    OMEGA_SANDBOX_E_ARGUMENT);
}

/* Behind a program of the backend's own nobody of ours is there to look. */
static void
test_prefix_cannot_be_witnessed(void **state)
{
	struct fake fake = {.path = READS, .is_prefix = true};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct world world;

	(void)state;
	promises_open(&world, &fake, "witness = on");
	assert_int_equal(
	    promises_start(&world, &error), OMEGA_SANDBOX_E_WITNESS);
	assert_string_equal(error.backend, "fake");
	assert_non_null(strstr(error.text, "witness = off"));
	assert_false(promises_has_run(&world));
	promises_close(&world);
	promises_open(&world, &fake, "witness = off");
	assert_int_equal(promises_start(&world, &error), 0);
	assert_true(promises_has_run(&world));
	promises_close(&world);
}

/* What the caller itself has taken away is not the sandbox's fault. */
static void
test_workspace_may_go_between_starts(void **state)
{
	struct fake fake = {.path = 0};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_command *command;
	struct world world;

	(void)state;
	promises_open(&world, &fake, "witness = on");
	command = promises_command(&world, &error);
	assert_non_null(command);
	assert_int_equal(omega_sandbox_run(command, &end, &error), 0);
	assert_true(promises_has_run(&world));
	assert_int_equal(rmdir(text("%s/workspace", world.dir)), 0);
	assert_int_equal(omega_sandbox_run(command, &end, &error), 0);
	assert_int_not_equal(end.status, 0); /* it ran, and had no place */
	omega_sandbox_command_unref(command);
	promises_close(&world);
}

/* An allowed path that a backend has taken away: the step closes the door. */
static int
lower_limit(const void *state)
{
	const struct rlimit none = {3, 3};

	(void)state;
	return setrlimit(RLIMIT_NOFILE, &none) == 0 ? 0 : -errno;
}

static void
test_witness_without_descriptors_stops_the_start(void **state)
{
	struct fake fake = {.path = 0};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_prepared *prepared;
	struct omega_sandbox_command *command;
	struct omega_launch_builder builder;
	struct omega_launch *launch = NULL;
	struct world world;

	(void)state;
	promises_open(&world, &fake, "witness = on");
	command = promises_command(&world, &error);
	assert_non_null(command);
	prepared = omega_sandbox_command_prepared(command);
	assert_int_equal(
	    omega_prepared_launch(prepared, &launch, NULL, &error), 0);
	omega_launch_builder_begin(&builder, launch, "fake", false);
	assert_int_equal(
	    builder.public.add_step(&builder.public,
		OMEGA_SANDBOX_PHASE_WITNESS, "limit", lower_limit, NULL, 0),
	    0);
	omega_launch_builder_end(&builder);
	omega_launch_unref(launch);
	assert_int_equal(
	    omega_sandbox_run(command, &end, &error), OMEGA_SANDBOX_E_WITNESS);
	assert_int_equal(error.sys_errno, EMFILE);
	assert_non_null(strstr(error.text, "could not try"));
	assert_false(promises_has_run(&world));
	omega_sandbox_prepared_unref(prepared);
	omega_sandbox_command_unref(command);
	promises_close(&world);
}

/* Lists are long, what is built in is always tried. */
static void
test_tries_of_a_plan(void **state)
{
	struct fake fake = {.path = 0xff, .kind = OMEGA_SANDBOX_ATOM_METADATA};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_plan *plan = NULL;
	struct omega_witness *witness = NULL;
	struct world world;
	size_t i;

	(void)state;
	promises_open(&world, &fake, "witness = on");
	for (i = 0; i < 2000; i++)
		assert_int_equal(
		    omega_sandbox_policy_set(world.policy, "blocked_paths",
			text("%s/listed/%zu", world.dir, i), &error),
		    0);
	make_file(text("%s/listed/7", world.dir), "x");
	make_file(text("%s/listed/8/file", world.dir), "x");
	assert_int_equal(
	    omega_plan_make(world.policy, false, &plan, &error), 0);
	assert_int_equal(omega_tries_make(plan, &witness, &error), 0);
	for (i = 0; i < witness->count; i++) {
		bool is_listed =
		    witness->tries[i].path != NULL &&
		    strstr(witness->tries[i].path, "/listed/") != NULL;

		assert_int_equal(is_listed, i >= witness->fixed);
	}
	/* 7: read, write, attributes; 8: list, its file twice, create,
	 * attributes. The absent ones are of a kind the fake does not hold. */
	assert_int_equal(witness->count - witness->fixed, 3 + 5);
	assert_true(witness->fixed < OMEGA_WITNESS_LISTED);
	omega_witness_free(witness);
	omega_plan_free(plan);
	promises_close(&world);
}

/* The same with a plugin as they come: a shared object that says it holds
 * everything, and whose step does nothing. */
static void
test_plugin_that_does_nothing_is_found_out(void **state)
{
	char *etc = scratch_dir();
	char *file = text("%s/sandbox.conf", etc);
	const struct omega_sandbox_sources sources = {
	    .conf = {.file = file, .is_explicit = true},
	    .plugindir = plugin_dir()};
	const struct omega_log log = {.fn = NULL};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct world world;

	(void)state;
	assert_int_equal(chmod(etc, 0755), 0); /* to be believed */
	make_file(
	    file, "backend = mock-good\nfail_closed = false\nwitness = on\n");
	snprintf(world.dir, sizeof(world.dir), "%s", scratch_dir());
	make_file(text("%s/data/memory.db", world.dir), "secret");
	make_dir(text("%s/workspace", world.dir));
	if (omega_sandbox_object_new(&sources, &log, &world.sandbox, &error) <
	    0)
		fail_msg("%s", error.text);
	assert_int_equal(omega_sandbox_policy_new(
			     world.sandbox, NULL, &world.policy, &error),
	    0);
	assert_int_equal(omega_sandbox_policy_set(
			     world.policy, "data_dir", world.dir, &error),
	    0);
	assert_int_equal(
	    promises_start(&world, &error), OMEGA_SANDBOX_E_WITNESS);
	assert_string_equal(error.backend, "mock-good");
	assert_non_null(strstr(error.text, "/data could be read"));
	assert_false(promises_has_run(&world));
	promises_close(&world);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_each_promise_that_is_not_kept_is_noticed),
	    cmocka_unit_test(test_metadata_that_can_be_changed_is_noticed),
	    cmocka_unit_test(test_processes_that_can_be_traced_are_noticed),
	    cmocka_unit_test(test_absent_config_that_can_be_made_is_noticed),
	    cmocka_unit_test(test_own_memory_is_noticed_by_pipe),
	    cmocka_unit_test(test_becoming_the_program_is_witnessed),
	    cmocka_unit_test(test_what_is_not_promised_is_not_tried),
	    cmocka_unit_test(test_configuration_and_call_combine),
	    cmocka_unit_test(test_prefix_cannot_be_witnessed),
	    cmocka_unit_test(test_workspace_may_go_between_starts),
	    cmocka_unit_test(test_witness_without_descriptors_stops_the_start),
	    cmocka_unit_test(test_tries_of_a_plan),
	    cmocka_unit_test(test_plugin_that_does_nothing_is_found_out),
	};

	return run_all(tests);
}
