/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-record.c - commands started through the public functions: what
 * of them is written down, and what happens when that cannot be done. With
 * noop, since none of it is a backend's work.
 */

#include "harness.h"

#include <sys/mount.h>
#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "load/sandbox.h"
#include "plugins.h"
#include "policy/own-files.h"
#include "recorded.h"

/* A capture ends in the same line as a run, and says more. */
static void
test_a_capture_is_one_line(void **state)
{
	struct omega_sandbox_result *result = NULL;
	struct omega_sandbox_command *command;
	struct world world;
	json_t *line;

	(void)state;
	recorded_make(&world, "audit = '%D/audit.log'\n");
	command = recorded_command(
	    &world, (const char *[]){"sh", "-c", "echo xxxxxxxxxxxx", NULL});
	assert_int_equal(
	    omega_sandbox_command_set_number(command, "max_output", 4, NULL),
	    0);
	assert_int_equal(
	    omega_sandbox_capture(command, &result, &world.error), 0);
	omega_sandbox_result_free(result);
	omega_sandbox_command_unref(command);
	command =
	    recorded_command(&world, (const char *[]){"sleep", "60", NULL});
	assert_int_equal(
	    omega_sandbox_command_set_number(command, "timeout_ms", 50, NULL),
	    0);
	assert_int_equal(
	    omega_sandbox_capture(command, &result, &world.error), 0);
	omega_sandbox_result_free(result);
	omega_sandbox_command_unref(command);
	line = recorded_line(&world, 0);
	assert_non_null(line);
	assert_string_equal(recorded_text(line, "event"), "run");
	assert_int_equal(json_integer_value(json_object_get(line, "exit")), 0);
	assert_true(json_is_true(json_object_get(line, "truncated")));
	assert_true(json_is_false(json_object_get(line, "timed_out")));
	json_decref(line);
	line = recorded_line(&world, 1);
	assert_non_null(line);
	assert_true(json_is_true(json_object_get(line, "timed_out")));
	json_decref(line);
	assert_null(recorded_line(&world, 2));
	recorded_close(&world);
}

/* ---- The log ------------------------------------------------------------- */

static void
test_a_run_is_one_line(void **state)
{
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_command *command;
	struct world world;
	json_t *line;
	json_t *argv;

	(void)state;
	recorded_make(
	    &world, "audit = '%D/audit.log'\naudit_mask = { '--pin=*' }\n");
	command = recorded_command(
	    &world, (const char *[]){"sh", "-c", "exit 3", "--pin=1234",
			"--password", "hush", "\"\n\xff", NULL});
	assert_int_equal(omega_sandbox_command_set(
			     command, "context", "user 7\n\"x\"", NULL),
	    0);
	assert_int_equal(
	    omega_sandbox_command_set(command, "dir", "/", NULL), 0);
	assert_int_equal(omega_sandbox_run(command, &end, &world.error), 0);
	assert_int_equal(end.status, 3);
	omega_sandbox_command_unref(command);
	line = recorded_line(&world, 0);
	assert_non_null(line);
	assert_string_equal(recorded_text(line, "event"), "run");
	assert_string_equal(recorded_text(line, "context"), "user 7\n\"x\"");
	assert_string_equal(recorded_text(line, "directory"), "/");
	assert_string_equal(recorded_text(line, "policy"), "default");
	assert_int_equal(strlen(recorded_text(line, "time")), 24);
	assert_int_equal(
	    json_integer_value(json_object_get(line, "host_pid")), getpid());
	assert_int_equal(
	    json_integer_value(json_object_get(line, "uid")), getuid());
	assert_int_equal(json_integer_value(json_object_get(line, "exit")), 3);
	assert_true(json_is_null(json_object_get(line, "signal")));
	assert_true(json_is_integer(json_object_get(line, "duration_ms")));
	assert_true(json_is_false(json_object_get(line, "truncated")));
	assert_true(json_is_false(json_object_get(line, "timed_out")));
	assert_true(json_is_false(json_object_get(line, "protected")));
	assert_true(json_is_array(json_object_get(line, "backends")));
	assert_true(
	    json_integer_value(json_object_get(
		json_object_get(line, "guarantees"), "not_enforced")) > 0);
	argv = json_object_get(line, "argv");
	assert_int_equal(json_array_size(argv), 7);
	assert_string_equal(
	    json_string_value(json_array_get(argv, 3)), "--pin=***");
	assert_string_equal(json_string_value(json_array_get(argv, 5)), "***");
	json_decref(line);
	assert_null(recorded_line(&world, 1));
	assert_null(strstr(file_text(text("%s/audit.log", world.dir)), "hush"));
	recorded_close(&world);
}

/* What root's policies keep though nobody has made it. */
static json_int_t
absent_unattended(void)
{
	const struct omega_builtin_unattended *at;
	json_int_t count = 0;

	for (at = omega_own_files_unattended(); at->path != NULL; at++)
		if (at->is_obeyed && access(at->path, F_OK) != 0)
			count++;
	return count;
}

/* Who protects has a name, and what is missing is counted, not told. */
static void
test_holders_are_names_and_kinds_are_counted(void **state)
{
	struct world world;
	json_t *guarantees;
	json_t *missing;
	json_t *backends;
	json_t *line;

	(void)state;
	recorded_make(&world,
	    "audit = '%D/audit.log'\nfloor = few\n"
	    "blocked_paths = { '%D/none/1', '%D/none/2', '%D/none/3' }\n"
	    "policy few { max_open_files = 64 }\n");
	assert_int_equal(
	    recorded_run(&world, (const char *[]){"true", NULL}), 0);
	line = recorded_line(&world, 0);
	assert_non_null(line);
	backends = json_object_get(line, "backends");
	assert_int_equal(json_array_size(backends), 1);
	assert_string_equal(
	    json_string_value(json_array_get(backends, 0)), "core");
	guarantees = json_object_get(line, "guarantees");
	missing = json_object_get(guarantees, "missing");
	assert_true(json_is_object(missing));
	assert_int_equal(
	    json_integer_value(json_object_get(missing, "absent_paths")),
	    3 + absent_unattended());
	assert_true(json_integer_value(
			json_object_get(guarantees, "not_enforced")) > 3);
	json_decref(line);
	assert_null(
	    strstr(file_text(text("%s/audit.log", world.dir)), "none/1"));
	recorded_close(&world);
}

static void
test_a_spawn_is_two_lines(void **state)
{
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_command *command;
	struct omega_sandbox_child *child = NULL;
	struct world world;
	json_t *first;
	json_t *second;

	(void)state;
	recorded_make(&world, "audit = '%D/audit.log'\n");
	command = recorded_command(
	    &world, (const char *[]){"sh", "-c", "kill -9 $$", NULL});
	assert_int_equal(omega_sandbox_spawn(command, &child, &world.error), 0);
	first = recorded_line(&world, 0);
	assert_non_null(first);
	assert_string_equal(recorded_text(first, "event"), "start");
	assert_int_equal(
	    omega_sandbox_child_wait(child, -1, &end, &world.error), 1);
	assert_int_equal(
	    omega_sandbox_child_wait(child, -1, &end, &world.error), 1);
	second = recorded_line(&world, 1);
	assert_non_null(second);
	assert_string_equal(recorded_text(second, "event"), "end");
	assert_string_equal(
	    recorded_text(second, "id"), recorded_text(first, "id"));
	assert_int_equal(
	    json_integer_value(json_object_get(second, "signal")), 9);
	assert_true(json_is_null(json_object_get(second, "exit")));
	assert_int_equal(json_integer_value(json_object_get(second, "pid")),
	    omega_sandbox_child_pid(child));
	omega_sandbox_child_free(child);
	omega_sandbox_command_unref(command);
	json_decref(first);
	json_decref(second);
	assert_null(recorded_line(&world, 2));
	recorded_close(&world);
}

static void
test_a_child_given_up_is_lost(void **state)
{
	struct omega_sandbox_command *command;
	struct omega_sandbox_child *child = NULL;
	struct world world;
	json_t *line;

	(void)state;
	recorded_make(&world, "audit = '%D/audit.log'\n");
	command =
	    recorded_command(&world, (const char *[]){"sleep", "1", NULL});
	assert_int_equal(omega_sandbox_spawn(command, &child, &world.error), 0);
	omega_sandbox_child_free(child);
	omega_sandbox_command_unref(command);
	line = recorded_line(&world, 1);
	assert_non_null(line);
	assert_true(json_is_true(json_object_get(line, "lost")));
	assert_true(json_is_null(json_object_get(line, "exit")));
	json_decref(line);
	recorded_close(&world);
}

static void
test_refusals_are_written_down(void **state)
{
	struct world world;
	json_t *line;

	(void)state;
	recorded_make(
	    &world, "audit = '%D/audit.log'\nallowed_commands = { true }\n");
	assert_int_equal(
	    recorded_run(&world, (const char *[]){"cat", "x", NULL}),
	    OMEGA_SANDBOX_E_REFUSED);
	line = recorded_line(&world, 0);
	assert_non_null(line);
	assert_string_equal(recorded_text(line, "event"), "refused");
	assert_int_equal(json_integer_value(json_object_get(line, "code")),
	    OMEGA_SANDBOX_E_REFUSED);
	assert_non_null(
	    strstr(recorded_text(line, "error"), "allowed_commands"));
	assert_int_equal(json_array_size(json_object_get(line, "argv")), 2);
	json_decref(line);
	recorded_close(&world);
	/* A policy that cannot be made ready. */
	assert_int_equal(
	    recorded_open(&world, "audit = '%D/audit.log'\nenabled = false\n"),
	    0);
	assert_int_equal(recorded_ready(&world), OMEGA_SANDBOX_E_REFUSED);
	line = recorded_line(&world, 0);
	assert_non_null(line);
	assert_string_equal(recorded_text(line, "event"), "refused");
	assert_string_equal(recorded_text(line, "policy"), "default");
	json_decref(line);
	recorded_close(&world);
}

static int
become(void *arg)
{
	struct world *world = arg;
	struct omega_sandbox_command *command = recorded_command(
	    world, (const char *[]){"sh", "-c", "exit 5", NULL});

	omega_sandbox_exec(command, &world->error);
	return 1;
}

static void
test_exec_is_one_line(void **state)
{
	struct world world;
	json_t *line;

	(void)state;
	recorded_make(&world, "audit = '%D/audit.log'\n");
	assert_int_equal(in_child(become, &world), 5);
	line = recorded_line(&world, 0);
	assert_non_null(line);
	assert_string_equal(recorded_text(line, "event"), "exec");
	json_decref(line);
	assert_null(recorded_line(&world, 1));
	recorded_close(&world);
}

static void
test_long_arguments_are_cut(void **state)
{
	static char word[100000];
	const char *words[102] = {"true"};
	struct world world;
	json_t *line;
	int i;

	(void)state;
	memset(word, 'x', sizeof(word) - 1);
	for (i = 1; i < 101; i++)
		words[i] = i == 1 ? word : word + sizeof(word) - 900;
	recorded_make(&world, "audit = '%D/audit.log'\n");
	assert_int_equal(recorded_run(&world, words), 0);
	line = recorded_line(&world, 0);
	assert_non_null(line);
	assert_int_equal(strlen(json_string_value(
			     json_array_get(json_object_get(line, "argv"), 1))),
	    1024 + 3);
	assert_true(
	    json_integer_value(json_object_get(line, "argv_omitted")) > 50);
	json_decref(line);
	recorded_close(&world);
}

/* ---- When it cannot be written ------------------------------------------- */

/* In a child with a mount namespace of its own: a log on a small disk. */
static int
fill_disk(void *arg)
{
	static char block[4096];
	const char *warn = arg;
	struct world world;
	struct stat st;
	int fd;
	int ret;

	if (unshare(CLONE_NEWNS) != 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		return 77;
	need(recorded_open(
		 &world, text("audit = '%%D/disk/audit.log'\n%s", warn)) == 0);
	make_dir(text("%s/disk", world.dir));
	if (mount("none", text("%s/disk", world.dir), "tmpfs", 0,
		"size=1m,mode=755") != 0)
		return 77;
	need(recorded_ready(&world) == 0);
	need(recorded_run(&world, (const char *[]){"touch",
				      text("%s/one", world.dir), NULL}) == 0);
	need(stat(text("%s/one", world.dir), &st) == 0);
	need(stat(text("%s/disk/audit.log", world.dir), &st) == 0);
	need(st.st_size > 0);
	/* The room of the next line is kept: it takes a new file, too. */
	need(rename(text("%s/disk/audit.log", world.dir),
		 text("%s/disk/old.log", world.dir)) == 0);
	fd = open(text("%s/disk/fill", world.dir), O_WRONLY | O_CREAT, 0600);
	while (write(fd, block, sizeof(block)) > 0)
		;
	close(fd);
	ret = recorded_run(
	    &world, (const char *[]){"touch", text("%s/two", world.dir), NULL});
	if (warn[0] == '\0') {
		need(ret == OMEGA_SANDBOX_E_REFUSED);
		need(world.error.sys_errno == ENOSPC);
		need(stat(text("%s/two", world.dir), &st) != 0);
	} else {
		need(ret == 0);
		need(stat(text("%s/two", world.dir), &st) == 0);
	}
	/* Room again: it goes on. */
	need(unlink(text("%s/disk/fill", world.dir)) == 0);
	need(recorded_run(&world, (const char *[]){"touch",
				      text("%s/three", world.dir), NULL}) == 0);
	need(stat(text("%s/three", world.dir), &st) == 0);
	recorded_close(&world);
	umount2(text("%s/disk", world.dir), MNT_DETACH);
	return 0;
}

static void
test_a_full_disk(void **state)
{
	static char warn[] = "audit_failure = warn\n";
	static char refuse[] = "";
	int ret;

	(void)state;
	if (geteuid() != 0)
		skip_because("only root can mount a small disk");
	ret = in_child(fill_disk, refuse);
	if (ret == 77)
		skip_because("a small disk cannot be mounted here");
	assert_int_equal(ret, 0);
	assert_int_equal(in_child(fill_disk, warn), 0);
}

static void
test_without_a_log_nothing_is_started(void **state)
{
	struct world world;

	(void)state;
	assert_int_equal(recorded_open(&world, "audit = '%D/none/x.log'\n"), 0);
	assert_int_equal(recorded_ready(&world), OMEGA_SANDBOX_E_REFUSED);
	assert_non_null(strstr(world.error.text, "audit log"));
	recorded_close(&world);
	/* It was there when the policy was made ready. */
	recorded_make(&world, "audit = '%D/audit.log'\n");
	assert_int_equal(unlink(text("%s/audit.log", world.dir)), 0);
	make_link("/dev/null", text("%s/audit.log", world.dir));
	assert_int_equal(
	    recorded_run(&world,
		(const char *[]){"touch", text("%s/ran", world.dir), NULL}),
	    OMEGA_SANDBOX_E_REFUSED);
	assert_non_null(strstr(world.error.text, "symbolic link"));
	assert_int_equal(access(text("%s/ran", world.dir), F_OK), -1);
	recorded_close(&world);
}

/* Nobody inside may change what is written about them. */
static void
test_the_log_is_protected_by_every_policy(void **state)
{
	struct omega_sandbox_report *report;
	struct world world;

	(void)state;
	recorded_make(&world, "audit = '%D/audit.log'\n");
	report = omega_sandbox_prepared_report(world.prepared);
	assert_non_null(
	    strstr(omega_sandbox_report_text(report, OMEGA_SANDBOX_FORMAT_TEXT),
		text("%s/audit.log cannot be changed", world.dir)));
	omega_sandbox_report_unref(report);
	recorded_close(&world);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_a_capture_is_one_line),
	    cmocka_unit_test(test_a_run_is_one_line),
	    cmocka_unit_test(test_holders_are_names_and_kinds_are_counted),
	    cmocka_unit_test(test_a_spawn_is_two_lines),
	    cmocka_unit_test(test_a_child_given_up_is_lost),
	    cmocka_unit_test(test_refusals_are_written_down),
	    cmocka_unit_test(test_exec_is_one_line),
	    cmocka_unit_test(test_long_arguments_are_cut),
	    cmocka_unit_test(test_a_full_disk),
	    cmocka_unit_test(test_without_a_log_nothing_is_started),
	    cmocka_unit_test(test_the_log_is_protected_by_every_policy),
	};

	return run_all(tests);
}
