/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-self.c - a backend that puts words before commands, and has another way
 * for the calling process: core/launch/launch-builder.c, and what
 * core/run/spawn.c makes of it.
 */

#include "harness.h"

#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "building.h"
#include "launch/command.h"
#include "run/spawn.h"

/* What a process takes on: a mask that it and its program can be asked for. */
#define TAKEN_ON 0137

static int
take_on(const void *state)
{
	(void)state;
	umask(TAKEN_ON);
	return 0;
}

static int
succeed(const void *state)
{
	return state == NULL || *(const int *)state == 7 ? 0 : -EPERM;
}

/* A prefix that no program stands behind, with a descriptor for it, and with
 * step for the process itself unless it is NULL. */
static int
begin_with_words(struct building *building, omega_sandbox_step *step)
{
	struct omega_sandbox_launch *public;
	int state = 8;
	int number;

	building_begin(building, true);
	public = building->public;
	assert_int_equal(public->add_word(public, "/nonexistent/mock"), 0);
	number = public->pass_fd(public, 1);
	assert_true(number > 2);
	if (step != NULL)
		assert_int_equal(
		    public->set_self(public, step, &state, sizeof(state)), 0);
	return number;
}

/* Once, and nobody who does not put words before commands. */
static void
test_only_a_prefix_backend_sets_it_and_once(void **state)
{
	struct building building;
	int seven = 7;
	int eight = 8;

	(void)state;
	building_begin(&building, false);
	assert_int_equal(
	    building.public->set_self(building.public, succeed, NULL, 0),
	    -EINVAL);
	building_end(&building);
	building_begin(&building, true);
	assert_int_equal(
	    building.public->set_self(building.public, NULL, NULL, 0), -EINVAL);
	assert_int_equal(
	    building.public->set_self(building.public, succeed, NULL, 4),
	    -EINVAL);
	assert_int_equal(building.public->set_self(
			     building.public, succeed, &seven, sizeof(seven)),
	    0);
	seven = 0; /* a copy was taken */
	assert_int_equal(building.public->set_self(
			     building.public, succeed, &eight, sizeof(eight)),
	    -EEXIST);
	assert_int_equal(
	    building.launch->self.step(building.launch->self.state), 0);
	/* A child would have neither it nor words. */
	assert_true(omega_launch_lacks_words(building.launch));
	assert_int_equal(
	    building.public->add_word(building.public, "/nonexistent/mock"), 0);
	assert_false(omega_launch_lacks_words(building.launch));
	building_end(&building);
}

/* ---- Confining ---------------------------------------------------------- */

static int
confine(void *arg)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;

	need(omega_spawn_confine(arg, &error) == 0);
	need(umask(0) == TAKEN_ON);
	return 0;
}

static void
test_a_process_is_confined_without_the_words(void **state)
{
	struct building building;

	(void)state;
	begin_with_words(&building, take_on);
	assert_int_equal(in_child(confine, building.launch), 0);
	building_end(&building);
}

static int
confine_not(void *arg)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;

	need(omega_spawn_confine(arg, &error) == OMEGA_SANDBOX_E_STATE);
	return 0;
}

static void
test_words_alone_confine_no_process(void **state)
{
	struct building building;

	(void)state;
	begin_with_words(&building, NULL);
	assert_int_equal(in_child(confine_not, building.launch), 0);
	building_end(&building);
}

static int
confine_in_vain(void *arg)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;

	need(omega_spawn_confine(arg, &error) == OMEGA_SANDBOX_E_STEP);
	need(strcmp(error.backend, "mock") == 0);
	need(error.sys_errno == EPERM);
	need(strstr(error.text, "confined") != NULL);
	return 0;
}

static void
test_a_process_that_could_not_be_confined_is_told(void **state)
{
	struct building building;

	(void)state;
	begin_with_words(&building, succeed);
	assert_int_equal(in_child(confine_in_vain, building.launch), 0);
	building_end(&building);
}

/* ---- Becoming the command ------------------------------------------------ */

struct becoming {
	const struct omega_launch *launch;
	const char *program;
	int number; /* of the descriptor that the prefix alone is to have */
	int code; /* what is expected when nothing becomes of it */
	int error;
	const char *text; /* in the message */
};

static void
make_command(struct omega_command *command, const struct becoming *becoming)
{
	char text[128];

	snprintf(text, sizeof(text),
	    "test \"$(umask)\" = 0%o && test ! -e /proc/self/fd/%d", TAKEN_ON,
	    becoming->number);
	assert_int_equal(omega_command_init(command, "/bin/sh", NULL), 0);
	assert_int_equal(omega_command_add_arg(command, "-c"), 0);
	assert_int_equal(omega_command_add_arg(command, text), 0);
	if (becoming->program != NULL) {
		free(command->program);
		command->program = strdup(becoming->program);
	}
}

static int
become(void *arg)
{
	const struct becoming *becoming = arg;
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_command command;
	int code;

	make_command(&command, becoming);
	code = omega_spawn_exec(becoming->launch, &command, &error);
	need(code == becoming->code);
	need(error.sys_errno == becoming->error);
	need(strstr(error.text, becoming->text) != NULL);
	return 0;
}

static void
test_a_process_takes_it_on_before_it_becomes_the_command(void **state)
{
	struct becoming becoming = {.code = 0};
	struct building building;

	(void)state;
	becoming.number = begin_with_words(&building, take_on);
	becoming.launch = building.launch;
	becoming.text = "it returns from nothing";
	assert_int_equal(in_child(become, &becoming), 0);
	building_end(&building);
}

/* Nothing runs that was to be confined and is not. */
static void
test_a_process_that_could_not_take_it_on_becomes_nothing(void **state)
{
	struct becoming becoming = {.code = OMEGA_SANDBOX_E_STEP,
	    .error = EPERM,
	    .text = "mock: this process could not be confined"};
	struct building building;

	(void)state;
	becoming.number = begin_with_words(&building, succeed);
	becoming.launch = building.launch;
	assert_int_equal(in_child(become, &becoming), 0);
	building_end(&building);
}

/* Is what was kept still what it was? */
static int
ask_kept(const void *state)
{
	struct stat kept;
	struct stat root;

	if (fstat(*(const int *)state, &kept) != 0 || stat("/", &root) != 0 ||
	    kept.st_dev != root.st_dev || kept.st_ino != root.st_ino)
		return -EBADF;
	return take_on(state);
}

/* A caller may ask for the number that a kept descriptor has. */
static int
become_with_kept(void *arg)
{
	const struct becoming *becoming = arg;
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_command command;

	make_command(&command, becoming);
	need(
	    omega_command_pass_fd(&command, 0, becoming->launch->kept[0]) == 0);
	omega_spawn_exec(becoming->launch, &command, &error);
	fprintf(stderr, "%s\n", error.text);
	return 1;
}

static void
test_what_is_kept_is_there_until_it_was_taken_on(void **state)
{
	struct becoming becoming = {.number = 98};
	struct omega_sandbox_launch *public;
	struct building building;
	int root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int kept;

	(void)state;
	building_begin(&building, true);
	public = building.public;
	kept = public->keep_fd(public, root);
	assert_true(kept > 2);
	assert_int_equal(public->add_word(public, "/nonexistent/mock"), 0);
	assert_int_equal(
	    public->set_self(public, ask_kept, &kept, sizeof(kept)), 0);
	becoming.launch = building.launch;
	assert_int_equal(in_child(become_with_kept, &becoming), 0);
	building_end(&building);
	close(root);
}

/* What is missing is the command, and not the backend's program. */
static void
test_a_missing_command_is_called_missing(void **state)
{
	struct becoming becoming = {.program = "/nonexistent/program",
	    .code = OMEGA_SANDBOX_E_NOT_FOUND,
	    .error = ENOENT,
	    .text = "/nonexistent/program: not found"};
	struct building building;

	(void)state;
	becoming.number = begin_with_words(&building, take_on);
	becoming.launch = building.launch;
	assert_int_equal(in_child(become, &becoming), 0);
	building_end(&building);
}

static void
test_without_another_way_the_words_are_used(void **state)
{
	struct becoming becoming = {.code = OMEGA_SANDBOX_E_STEP,
	    .error = ENOENT,
	    .text = "mock: /nonexistent/mock"};
	struct building building;

	(void)state;
	becoming.number = begin_with_words(&building, NULL);
	becoming.launch = building.launch;
	assert_int_equal(in_child(become, &becoming), 0);
	building_end(&building);
}

/* ---- Children ------------------------------------------------------------ */

/* They have the words: what runs in a child may be lent the host's memory, and
 * the other way allocates. */
static void
test_a_child_has_the_words(void **state)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct becoming becoming = {.number = 2};
	struct omega_spawned spawned;
	struct omega_command command;
	struct building building;

	(void)state;
	begin_with_words(&building, take_on);
	make_command(&command, &becoming);
	assert_int_equal(
	    omega_spawn(building.launch, &command, &spawned, &error),
	    OMEGA_SANDBOX_E_STEP);
	assert_non_null(strstr(error.text, "/nonexistent/mock"));
	omega_command_drop(&command);
	building_end(&building);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_only_a_prefix_backend_sets_it_and_once),
	    cmocka_unit_test(test_a_process_is_confined_without_the_words),
	    cmocka_unit_test(test_words_alone_confine_no_process),
	    cmocka_unit_test(test_a_process_that_could_not_be_confined_is_told),
	    cmocka_unit_test(
		test_a_process_takes_it_on_before_it_becomes_the_command),
	    cmocka_unit_test(
		test_a_process_that_could_not_take_it_on_becomes_nothing),
	    cmocka_unit_test(test_what_is_kept_is_there_until_it_was_taken_on),
	    cmocka_unit_test(test_a_missing_command_is_called_missing),
	    cmocka_unit_test(test_without_another_way_the_words_are_used),
	    cmocka_unit_test(test_a_child_has_the_words),
	};

	return run_all(tests);
}
