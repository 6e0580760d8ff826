/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-record.c - commands started through the public functions: what of them
 * is refused, what reaches them, and what is written down. With noop, since
 * none of it is a backend's work.
 */

#include "harness.h"

#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "plugins.h"
#include "sandbox.h"

struct world {
	char dir[512];
	struct omega_sandbox *sandbox;
	struct omega_sandbox_policy *policy;
	struct omega_sandbox_prepared *prepared;
	struct omega_sandbox_error error;
};

/* A sandbox with noop and this; %D is its directory, where the log is. */
static int
open_world(struct world *world, const char *conf)
{
	struct omega_sandbox_sources sources = {.plugindir = plugin_dir()};
	struct omega_log log = {.fn = NULL};
	char content[4096] = "backend = noop\n";
	size_t used = strlen(content);

	memset(world, 0, sizeof(*world));
	world->error.size = sizeof(world->error);
	snprintf(world->dir, sizeof(world->dir), "%s", scratch_dir());
	if (chmod(world->dir, 0755) != 0)
		return -1;
	for (; *conf != '\0' && used < sizeof(content) - 600; conf++)
		if (conf[0] == '%' && conf[1] == 'D') {
			used += (size_t)snprintf(content + used,
			    sizeof(content) - used, "%s", world->dir);
			conf++;
		} else {
			content[used++] = *conf;
		}
	content[used] = '\0';
	make_file(text("%s/sandbox.conf", world->dir), content);
	make_dir(text("%s/omega/data", world->dir));
	sources.conf.file = text("%s/sandbox.conf", world->dir);
	sources.conf.is_explicit = true;
	return omega_sandbox_object_new(
	    &sources, &log, &world->sandbox, &world->error);
}

static int
ready_world(struct world *world)
{
	int ret;

	ret = omega_sandbox_policy_new(
	    world->sandbox, NULL, &world->policy, &world->error);
	if (ret == 0)
		ret = omega_sandbox_policy_set_data_dir(
		    world->policy, text("%s/omega", world->dir), &world->error);
	if (ret == 0)
		ret = omega_sandbox_prepare(
		    world->policy, &world->prepared, &world->error);
	return ret;
}

static void
make_world(struct world *world, const char *conf)
{
	if (open_world(world, conf) != 0 || ready_world(world) != 0)
		fail_msg("%s", world->error.text);
}

static void
close_world(struct world *world)
{
	omega_sandbox_prepared_unref(world->prepared);
	omega_sandbox_policy_unref(world->policy);
	omega_sandbox_unref(world->sandbox);
}

static struct omega_sandbox_command *
make_command(struct world *world, const char *const *words)
{
	struct omega_sandbox_command *command = NULL;

	if (omega_sandbox_command_new(
		world->prepared, words[0], &command, &world->error) != 0)
		fail_msg("%s", world->error.text);
	for (words++; *words != NULL; words++)
		assert_int_equal(
		    omega_sandbox_command_add_arg(command, *words), 0);
	return command;
}

/* Run it; its exit, or the code of the failure. */
static int
run(struct world *world, const char *const *words)
{
	struct omega_sandbox_exit end = OMEGA_SANDBOX_EXIT_INIT;
	struct omega_sandbox_command *command = make_command(world, words);
	int ret = omega_sandbox_run(command, &end, &world->error);

	omega_sandbox_command_unref(command);
	return ret < 0 ? ret : end.status;
}

/* The index-th line of the log, to be given back; NULL behind the last. */
static json_t *
line_of(const struct world *world, int index)
{
	FILE *file = fopen(text("%s/audit.log", world->dir), "r");
	char *line = NULL;
	size_t size = 0;
	json_t *json = NULL;
	json_error_t error;

	if (file == NULL)
		return NULL;
	for (; getline(&line, &size, file) > 0; index--)
		if (index == 0) {
			json = json_loads(line, 0, &error);
			if (json == NULL)
				fail_msg("%s: %s", error.text, line);
			break;
		}
	free(line);
	fclose(file);
	return json;
}

static const char *
text_in(const json_t *json, const char *name)
{
	const char *value = json_string_value(json_object_get(json, name));

	return value == NULL ? "" : value;
}

static char *
read_back(const char *path)
{
	static char content[65536];
	FILE *file = fopen(path, "r");
	size_t len = 0;

	if (file != NULL) {
		len = fread(content, 1, sizeof(content) - 1, file);
		fclose(file);
	}
	content[len] = '\0';
	return content;
}

/* ---- Environment --------------------------------------------------------- */

/* What a command finds; its own additions apart. */
static char *
environment_of(struct world *world, const char *const *env)
{
	struct omega_sandbox_exit end = OMEGA_SANDBOX_EXIT_INIT;
	const char *out = text("%s/out", world->dir);
	const char *words[] = {"/bin/sh", "-c", text("env >'%s'", out), NULL};
	struct omega_sandbox_command *command = make_command(world, words);

	assert_int_equal(omega_sandbox_command_set_env(command, env), 0);
	if (omega_sandbox_run(command, &end, &world->error) != 0)
		fail_msg("%s", world->error.text);
	assert_int_equal(end.status, 0);
	omega_sandbox_command_unref(command);
	return read_back(out);
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
	make_world(&world, "");
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
	close_world(&world);
}

static void
test_variables_are_given_back_and_set(void **state)
{
	static const char *const allow[] = {"OMEGA_TEST_*", NULL};
	static const char *const set[] = {"SET=host", "MORE=host", NULL};
	struct world world;
	char *found;

	(void)state;
	setenv("OMEGA_TEST_TOKEN", "hush", 1);
	setenv("OMEGA_TEST_KEY", "hush", 1);
	setenv("SET", "mine", 1);
	assert_int_equal(open_world(&world, "env_deny = { OMEGA_TEST_KEY }\n"
					    "env_set = { 'SET=admin' }\n"),
	    0);
	assert_int_equal(omega_sandbox_policy_new(
			     world.sandbox, NULL, &world.policy, &world.error),
	    0);
	assert_int_equal(omega_sandbox_policy_set_data_dir(world.policy,
			     text("%s/omega", world.dir), &world.error),
	    0);
	assert_int_equal(omega_sandbox_policy_set(
			     world.policy, "env_allow", allow, &world.error),
	    0);
	assert_int_equal(omega_sandbox_policy_set(
			     world.policy, "env_set", set, &world.error),
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
	close_world(&world);
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

		assert_int_equal(open_world(&world, confs[i]), 0);
		assert_int_equal(omega_sandbox_policy_new(world.sandbox, NULL,
				     &world.policy, &world.error),
		    0);
		assert_int_equal(omega_sandbox_policy_set_data_dir(world.policy,
				     text("%s/omega", world.dir), &world.error),
		    0);
		assert_int_equal(omega_sandbox_policy_add_agent(
				     world.policy, "a", &world.error),
		    0);
		if (omega_sandbox_prepare(
			world.policy, &world.prepared, &world.error) != 0)
			fail_msg("%s", world.error.text);
		found = environment_of(&world, NULL);
		assert_null(strstr(found, "OMEGA_TEST_KEY"));
		/* What the floor denies no profile gives back. */
		assert_int_equal(
		    strstr(found, "OMEGA_TEST_TOKEN=hush") != NULL, i == 0);
		close_world(&world);
	}
}

/* A capture ends in the same line as a run, and says more. */
static void
test_a_capture_is_one_line(void **state)
{
	struct omega_sandbox_result *result = NULL;
	struct omega_sandbox_command *command;
	struct world world;
	json_t *line;

	(void)state;
	make_world(&world, "audit = '%D/audit.log'\n");
	command = make_command(
	    &world, (const char *[]){"sh", "-c", "echo xxxxxxxxxxxx", NULL});
	assert_int_equal(omega_sandbox_command_set_max_output(command, 4), 0);
	assert_int_equal(
	    omega_sandbox_capture(command, &result, &world.error), 0);
	omega_sandbox_result_free(result);
	omega_sandbox_command_unref(command);
	command = make_command(&world, (const char *[]){"sleep", "60", NULL});
	assert_int_equal(omega_sandbox_command_set_timeout(command, 50), 0);
	assert_int_equal(
	    omega_sandbox_capture(command, &result, &world.error), 0);
	omega_sandbox_result_free(result);
	omega_sandbox_command_unref(command);
	line = line_of(&world, 0);
	assert_non_null(line);
	assert_string_equal(text_in(line, "event"), "run");
	assert_int_equal(json_integer_value(json_object_get(line, "exit")), 0);
	assert_true(json_is_true(json_object_get(line, "truncated")));
	assert_true(json_is_false(json_object_get(line, "timed_out")));
	json_decref(line);
	line = line_of(&world, 1);
	assert_non_null(line);
	assert_true(json_is_true(json_object_get(line, "timed_out")));
	json_decref(line);
	assert_null(line_of(&world, 2));
	close_world(&world);
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
	make_world(&world,
	    "env_allow = { OMEGA_TEST_KEY }\nenv_set = { 'SET=hush' }\n");
	report = omega_sandbox_prepared_report(world.prepared);
	found = omega_sandbox_report_text(report);
	assert_null(strstr(found, "hush"));
	assert_non_null(strstr(found, "environment: removed "));
	assert_non_null(strstr(found, "OMEGA_TEST_TOKEN"));
	assert_non_null(strstr(found, "; given back OMEGA_TEST_KEY; set SET"));
	found = omega_sandbox_report_json(report);
	assert_null(strstr(found, "hush"));
	assert_non_null(strstr(found, "OMEGA_TEST_TOKEN"));
	omega_sandbox_report_unref(report);
	close_world(&world);
}

/* ---- Refusals ------------------------------------------------------------ */

static void
test_refused_before_the_start(void **state)
{
	struct omega_sandbox_exit end = OMEGA_SANDBOX_EXIT_INIT;
	struct omega_sandbox_command *command;
	struct world world;
	char *secret;

	(void)state;
	make_world(&world,
	    "check_arguments = true\nallowed_commands = { cat, true }\n"
	    "blocked_paths = { '%D/blocked' }\naudit = '%D/audit.log'\n");
	secret = text("%s/omega/data/x", world.dir);
	make_file(secret, "");
	assert_int_equal(run(&world, (const char *[]){"true", NULL}), 0);
	assert_int_equal(
	    run(&world, (const char *[]){"sh", "-c", "true", NULL}),
	    OMEGA_SANDBOX_E_REFUSED);
	assert_non_null(strstr(world.error.text, "allowed_commands"));
	assert_int_equal(run(&world, (const char *[]){"cat", secret, NULL}),
	    OMEGA_SANDBOX_E_REFUSED);
	assert_non_null(strstr(world.error.text, "argument 1"));
	assert_int_equal(
	    run(&world, (const char *[]){"cat", "--",
			    text("--x=%s/blocked/y", world.dir), NULL}),
	    OMEGA_SANDBOX_E_REFUSED);
	assert_non_null(strstr(world.error.text, "sandbox.conf:4"));
	/* From the directory it is to run in. */
	command = make_command(&world, (const char *[]){"cat", "data/x", NULL});
	assert_int_equal(
	    omega_sandbox_command_set_dir(command, text("%s/omega", world.dir)),
	    0);
	assert_int_equal(omega_sandbox_run(command, &end, &world.error),
	    OMEGA_SANDBOX_E_REFUSED);
	/* noop holds nothing, so it is seen that it was this check. */
	assert_int_equal(omega_sandbox_command_set_checked(command, false), 0);
	assert_int_equal(omega_sandbox_run(command, &end, &world.error), 0);
	assert_int_equal(end.status, 0);
	omega_sandbox_command_unref(command);
	close_world(&world);
}

/* ---- The log ------------------------------------------------------------- */

static void
test_a_run_is_one_line(void **state)
{
	struct omega_sandbox_exit end = OMEGA_SANDBOX_EXIT_INIT;
	struct omega_sandbox_command *command;
	struct world world;
	json_t *line;
	json_t *argv;

	(void)state;
	make_world(
	    &world, "audit = '%D/audit.log'\naudit_mask = { '--pin=*' }\n");
	command = make_command(
	    &world, (const char *[]){"sh", "-c", "exit 3", "--pin=1234",
			"--password", "hush", "\"\n\xff", NULL});
	assert_int_equal(
	    omega_sandbox_command_set_context(command, "user 7\n\"x\""), 0);
	assert_int_equal(omega_sandbox_command_set_dir(command, "/"), 0);
	assert_int_equal(omega_sandbox_run(command, &end, &world.error), 0);
	assert_int_equal(end.status, 3);
	omega_sandbox_command_unref(command);
	line = line_of(&world, 0);
	assert_non_null(line);
	assert_string_equal(text_in(line, "event"), "run");
	assert_string_equal(text_in(line, "context"), "user 7\n\"x\"");
	assert_string_equal(text_in(line, "directory"), "/");
	assert_string_equal(text_in(line, "policy"), "default");
	assert_int_equal(strlen(text_in(line, "time")), 24);
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
	assert_null(line_of(&world, 1));
	assert_null(strstr(read_back(text("%s/audit.log", world.dir)), "hush"));
	close_world(&world);
}

static void
test_a_spawn_is_two_lines(void **state)
{
	struct omega_sandbox_exit end = OMEGA_SANDBOX_EXIT_INIT;
	struct omega_sandbox_command *command;
	struct omega_sandbox_child *child = NULL;
	struct world world;
	json_t *first;
	json_t *second;

	(void)state;
	make_world(&world, "audit = '%D/audit.log'\n");
	command = make_command(
	    &world, (const char *[]){"sh", "-c", "kill -9 $$", NULL});
	assert_int_equal(omega_sandbox_spawn(command, &child, &world.error), 0);
	first = line_of(&world, 0);
	assert_non_null(first);
	assert_string_equal(text_in(first, "event"), "start");
	assert_int_equal(
	    omega_sandbox_child_wait(child, -1, &end, &world.error), 1);
	assert_int_equal(
	    omega_sandbox_child_wait(child, -1, &end, &world.error), 1);
	second = line_of(&world, 1);
	assert_non_null(second);
	assert_string_equal(text_in(second, "event"), "end");
	assert_string_equal(text_in(second, "id"), text_in(first, "id"));
	assert_int_equal(
	    json_integer_value(json_object_get(second, "signal")), 9);
	assert_true(json_is_null(json_object_get(second, "exit")));
	assert_int_equal(json_integer_value(json_object_get(second, "pid")),
	    omega_sandbox_child_pid(child));
	omega_sandbox_child_free(child);
	omega_sandbox_command_unref(command);
	json_decref(first);
	json_decref(second);
	assert_null(line_of(&world, 2));
	close_world(&world);
}

static void
test_a_child_given_up_is_lost(void **state)
{
	struct omega_sandbox_command *command;
	struct omega_sandbox_child *child = NULL;
	struct world world;
	json_t *line;

	(void)state;
	make_world(&world, "audit = '%D/audit.log'\n");
	command = make_command(&world, (const char *[]){"sleep", "1", NULL});
	assert_int_equal(omega_sandbox_spawn(command, &child, &world.error), 0);
	omega_sandbox_child_free(child);
	omega_sandbox_command_unref(command);
	line = line_of(&world, 1);
	assert_non_null(line);
	assert_true(json_is_true(json_object_get(line, "lost")));
	assert_true(json_is_null(json_object_get(line, "exit")));
	json_decref(line);
	close_world(&world);
}

static void
test_refusals_are_written_down(void **state)
{
	struct world world;
	json_t *line;

	(void)state;
	make_world(
	    &world, "audit = '%D/audit.log'\nallowed_commands = { true }\n");
	assert_int_equal(run(&world, (const char *[]){"cat", "x", NULL}),
	    OMEGA_SANDBOX_E_REFUSED);
	line = line_of(&world, 0);
	assert_non_null(line);
	assert_string_equal(text_in(line, "event"), "refused");
	assert_int_equal(json_integer_value(json_object_get(line, "code")),
	    OMEGA_SANDBOX_E_REFUSED);
	assert_non_null(strstr(text_in(line, "error"), "allowed_commands"));
	assert_int_equal(json_array_size(json_object_get(line, "argv")), 2);
	json_decref(line);
	close_world(&world);
	/* A policy that cannot be made ready. */
	assert_int_equal(
	    open_world(&world, "audit = '%D/audit.log'\nenabled = false\n"), 0);
	assert_int_equal(ready_world(&world), OMEGA_SANDBOX_E_REFUSED);
	line = line_of(&world, 0);
	assert_non_null(line);
	assert_string_equal(text_in(line, "event"), "refused");
	assert_string_equal(text_in(line, "policy"), "default");
	json_decref(line);
	close_world(&world);
}

static int
become(void *arg)
{
	struct world *world = arg;
	struct omega_sandbox_command *command =
	    make_command(world, (const char *[]){"sh", "-c", "exit 5", NULL});

	omega_sandbox_exec(command, &world->error);
	return 1;
}

static void
test_exec_is_one_line(void **state)
{
	struct world world;
	json_t *line;

	(void)state;
	make_world(&world, "audit = '%D/audit.log'\n");
	assert_int_equal(in_child(become, &world), 5);
	line = line_of(&world, 0);
	assert_non_null(line);
	assert_string_equal(text_in(line, "event"), "exec");
	json_decref(line);
	assert_null(line_of(&world, 1));
	close_world(&world);
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
	make_world(&world, "audit = '%D/audit.log'\n");
	assert_int_equal(run(&world, words), 0);
	line = line_of(&world, 0);
	assert_non_null(line);
	assert_int_equal(strlen(json_string_value(
			     json_array_get(json_object_get(line, "argv"), 1))),
	    1024 + 3);
	assert_true(
	    json_integer_value(json_object_get(line, "argv_omitted")) > 50);
	json_decref(line);
	close_world(&world);
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
	need(open_world(
		 &world, text("audit = '%%D/disk/audit.log'\n%s", warn)) == 0);
	make_dir(text("%s/disk", world.dir));
	if (mount("none", text("%s/disk", world.dir), "tmpfs", 0,
		"size=1m,mode=755") != 0)
		return 77;
	need(ready_world(&world) == 0);
	need(run(&world, (const char *[]){
			     "touch", text("%s/one", world.dir), NULL}) == 0);
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
	ret = run(
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
	need(run(&world, (const char *[]){
			     "touch", text("%s/three", world.dir), NULL}) == 0);
	need(stat(text("%s/three", world.dir), &st) == 0);
	close_world(&world);
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
	assert_int_equal(open_world(&world, "audit = '%D/none/x.log'\n"), 0);
	assert_int_equal(ready_world(&world), OMEGA_SANDBOX_E_REFUSED);
	assert_non_null(strstr(world.error.text, "audit log"));
	close_world(&world);
	/* It was there when the policy was made ready. */
	make_world(&world, "audit = '%D/audit.log'\n");
	assert_int_equal(unlink(text("%s/audit.log", world.dir)), 0);
	make_link("/dev/null", text("%s/audit.log", world.dir));
	assert_int_equal(run(&world, (const char *[]){"touch",
					 text("%s/ran", world.dir), NULL}),
	    OMEGA_SANDBOX_E_REFUSED);
	assert_non_null(strstr(world.error.text, "symbolic link"));
	assert_int_equal(access(text("%s/ran", world.dir), F_OK), -1);
	close_world(&world);
}

/* Nobody inside may change what is written about them. */
static void
test_the_log_is_protected_by_every_policy(void **state)
{
	struct omega_sandbox_report *report;
	struct world world;

	(void)state;
	make_world(&world, "audit = '%D/audit.log'\n");
	report = omega_sandbox_prepared_report(world.prepared);
	assert_non_null(strstr(omega_sandbox_report_text(report),
	    text("%s/audit.log cannot be changed", world.dir)));
	omega_sandbox_report_unref(report);
	close_world(&world);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_environments_are_filtered),
	    cmocka_unit_test(test_variables_are_given_back_and_set),
	    cmocka_unit_test(test_an_agent_is_passed_what_it_needs),
	    cmocka_unit_test(test_a_capture_is_one_line),
	    cmocka_unit_test(test_a_report_has_names_and_no_values),
	    cmocka_unit_test(test_refused_before_the_start),
	    cmocka_unit_test(test_a_run_is_one_line),
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
