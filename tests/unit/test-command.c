/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-command.c - finding a program and keeping what goes with it:
 * core/launch/command.c.
 */

#include "harness.h"

#include <sys/stat.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launch/command.h"

/* Expect a lookup to end with code and errno; the program found, or NULL. */
static void
assert_lookup(const char *program, int code, int sys_errno, const char *found)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_command command;
	int ret = omega_command_init(&command, program, &error);

	assert_int_equal(ret, code);
	if (code == 0) {
		assert_string_equal(command.program, found);
		assert_int_equal(command.arg_count, 1);
		assert_string_equal(command.args[0], program);
		assert_null(command.args[1]);
		omega_command_drop(&command);
		return;
	}
	assert_int_equal(error.code, code);
	assert_int_equal(error.sys_errno, sys_errno);
	assert_true(error.text[0] != '\0');
	assert_null(command.program);
	assert_null(command.args);
}

static void
make_program(const char *path, mode_t mode)
{
	make_file(path, "#!/bin/sh\n");
	assert_int_equal(chmod(path, mode), 0);
}

/* Run with a PATH of our own, and put the old one back. */
static char *old_path;

static int
save_path(void **state)
{
	const char *path = getenv("PATH");

	(void)state;
	old_path = path == NULL ? NULL : strdup(path);
	return 0;
}

static int
restore_path(void **state)
{
	(void)state;
	if (old_path != NULL)
		setenv("PATH", old_path, 1);
	free(old_path);
	old_path = NULL;
	return 0;
}

static void
test_no_program_is_an_argument_error(void **state)
{
	(void)state;
	assert_lookup(NULL, OMEGA_SANDBOX_E_ARGUMENT, EINVAL, NULL);
	assert_lookup("", OMEGA_SANDBOX_E_ARGUMENT, EINVAL, NULL);
}

static void
test_path_is_searched_in_order(void **state)
{
	char *dir = text("%s", scratch_dir());

	(void)state;
	make_program(text("%s/b/prog", dir), 0755);
	make_program(text("%s/c/prog", dir), 0755);
	make_dir(text("%s/a", dir));
	setenv("PATH", text("%s/a:%s/b:%s/c", dir, dir, dir), 1);
	assert_lookup("prog", 0, 0, text("%s/b/prog", dir));
	setenv("PATH", text("%s/c:%s/b", dir, dir), 1);
	assert_lookup("prog", 0, 0, text("%s/c/prog", dir));
	assert_lookup("absent", OMEGA_SANDBOX_E_NOT_FOUND, ENOENT, NULL);
}

static void
test_what_cannot_be_executed_is_passed_over(void **state)
{
	char *dir = text("%s", scratch_dir());

	(void)state;
	make_program(text("%s/a/prog", dir), 0644);
	make_dir(text("%s/b/prog", dir));
	make_program(text("%s/c/prog", dir), 0755);
	setenv("PATH", text("%s/a:%s/b:%s/c", dir, dir, dir), 1);
	assert_lookup("prog", 0, 0, text("%s/c/prog", dir));
	setenv("PATH", text("%s/a:%s/b", dir, dir), 1);
	assert_lookup("prog", OMEGA_SANDBOX_E_NOT_EXECUTABLE, EACCES, NULL);
	setenv("PATH", text("%s/none:%s/b", dir, dir), 1);
	assert_lookup("prog", OMEGA_SANDBOX_E_NOT_EXECUTABLE, EISDIR, NULL);
}

static void
test_relative_path_entries_are_passed_over(void **state)
{
	static const char *const paths[] = {
	    "", ":", ".", "::.", "..", "sub", ":sub:.", "./", "sub/../sub"};
	char here[PATH_MAX];
	size_t i;

	(void)state;
	assert_non_null(getcwd(here, sizeof(here)));
	assert_int_equal(chdir(scratch_dir()), 0);
	make_program("./prog", 0755);
	make_program("sub/prog", 0755);
	for (i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		setenv("PATH", paths[i], 1);
		assert_lookup("prog", OMEGA_SANDBOX_E_NOT_FOUND, ENOENT, NULL);
	}
	assert_int_equal(chdir(here), 0);
}

static void
test_without_path_the_system_is_searched(void **state)
{
	(void)state;
	unsetenv("PATH");
	assert_lookup("sh", 0, 0, "/bin/sh");
}

static void
test_odd_path_entries_are_survived(void **state)
{
	char *dir = text("%s", scratch_dir());
	char *long_entry = malloc(3 * PATH_MAX);

	(void)state;
	assert_non_null(long_entry);
	memset(long_entry, 'x', 3 * PATH_MAX - 1);
	long_entry[0] = '/';
	long_entry[3 * PATH_MAX - 1] = '\0';
	make_program(text("%s/prog", dir), 0755);
	make_file(text("%s/file", dir), "");
	setenv("PATH", long_entry, 1);
	assert_lookup("prog", OMEGA_SANDBOX_E_NOT_FOUND, ENOENT, NULL);
	setenv("PATH", text("%s/file:%s/", dir, dir), 1);
	assert_lookup("prog", 0, 0, text("%s//prog", dir));
	free(long_entry);
}

static void
test_program_with_slash_is_taken_from_here(void **state)
{
	char *dir = text("%s", scratch_dir());
	char here[PATH_MAX];

	(void)state;
	assert_non_null(getcwd(here, sizeof(here)));
	make_program(text("%s/sub/prog", dir), 0755);
	assert_lookup(text("%s/sub/prog", dir), 0, 0, text("%s/sub/prog", dir));
	assert_int_equal(chdir(dir), 0);
	assert_lookup("sub/prog", 0, 0, text("%s/sub/prog", dir));
	assert_lookup("./sub/prog", 0, 0, text("%s/./sub/prog", dir));
	assert_lookup("sub/none", OMEGA_SANDBOX_E_NOT_FOUND, ENOENT, NULL);
	assert_lookup("sub/prog/x", OMEGA_SANDBOX_E_NOT_FOUND, ENOTDIR, NULL);
	assert_lookup("./sub", OMEGA_SANDBOX_E_NOT_EXECUTABLE, EISDIR, NULL);
	assert_int_equal(chdir("/"), 0);
	assert_lookup("bin/sh", 0, 0, "/bin/sh");
	assert_int_equal(chdir(here), 0);
}

static int
look_up_in_removed_directory(void *arg)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_command command;

	if (chdir(arg) != 0 || rmdir(arg) != 0)
		return 1;
	return omega_command_init(&command, "./prog", &error) ==
		       OMEGA_SANDBOX_E_NOT_FOUND
		   ? 0
		   : 2;
}

static void
test_removed_directory_has_no_programs(void **state)
{
	char *dir = text("%s/gone", scratch_dir());

	(void)state;
	make_dir(dir);
	chmod(dir, 0777);
	assert_int_equal(in_child(look_up_in_removed_directory, dir), 0);
}

static void
test_loops_and_long_names_are_not_found(void **state)
{
	char *dir = text("%s", scratch_dir());
	char *name = malloc(2 * PATH_MAX);

	(void)state;
	assert_non_null(name);
	make_link("loop", text("%s/loop", dir));
	assert_lookup(
	    text("%s/loop", dir), OMEGA_SANDBOX_E_NOT_FOUND, ELOOP, NULL);
	memset(name, 'x', 2 * PATH_MAX - 1);
	name[0] = '/';
	name[2 * PATH_MAX - 1] = '\0';
	assert_lookup(name, OMEGA_SANDBOX_E_NOT_FOUND, ENAMETOOLONG, NULL);
	free(name);
}

static void
test_arguments_are_copied_and_ordered(void **state)
{
	struct omega_command command;
	char word[] = "one";
	int i;

	(void)state;
	assert_int_equal(omega_command_init(&command, "/bin/sh", NULL), 0);
	assert_int_equal(omega_command_add_arg(&command, word), 0);
	word[0] = 'X';
	assert_int_equal(omega_command_add_arg(&command, ""), 0);
	assert_int_equal(
	    omega_command_add_arg(&command, NULL), OMEGA_SANDBOX_E_ARGUMENT);
	for (i = 0; i < 1000; i++)
		assert_int_equal(
		    omega_command_add_arg(&command, text("%d", i)), 0);
	assert_int_equal(command.arg_count, 1003);
	assert_string_equal(command.args[1], "one");
	assert_string_equal(command.args[2], "");
	assert_string_equal(command.args[1002], "999");
	assert_null(command.args[1003]);
	omega_command_drop(&command);
}

static void
test_environment_is_checked_and_copied(void **state)
{
	const char *const good[] = {"A=1", "B=", "C=x=y", NULL};
	const char *const bad[][2] = {{"A", NULL}, {"=x", NULL}, {"", NULL}};
	const char *const none[] = {NULL};
	struct omega_command command;
	size_t i;

	(void)state;
	assert_int_equal(omega_command_init(&command, "/bin/sh", NULL), 0);
	assert_null(command.env);
	assert_int_equal(omega_command_set_env(&command, good), 0);
	assert_string_equal(command.env[2], "C=x=y");
	assert_null(command.env[3]);
	for (i = 0; i < 3; i++)
		assert_int_equal(omega_command_set_env(&command, bad[i]),
		    OMEGA_SANDBOX_E_ARGUMENT);
	assert_string_equal(command.env[0], "A=1");
	assert_int_equal(omega_command_set_env(&command, none), 0);
	assert_null(command.env[0]);
	assert_int_equal(omega_command_set_env(&command, NULL), 0);
	assert_null(command.env);
	omega_command_drop(&command);
}

static void
test_directory_is_copied(void **state)
{
	struct omega_command command;

	(void)state;
	assert_int_equal(omega_command_init(&command, "/bin/sh", NULL), 0);
	assert_int_equal(omega_command_set_dir(&command, "/tmp"), 0);
	assert_string_equal(command.dir, "/tmp");
	assert_int_equal(
	    omega_command_set_dir(&command, ""), OMEGA_SANDBOX_E_ARGUMENT);
	assert_string_equal(command.dir, "/tmp");
	assert_int_equal(omega_command_set_dir(&command, NULL), 0);
	assert_null(command.dir);
	omega_command_drop(&command);
}

static void
test_stdio_is_checked(void **state)
{
	struct omega_command command;

	(void)state;
	assert_int_equal(omega_command_init(&command, "/bin/sh", NULL), 0);
	assert_int_equal(command.stdio[0].how, OMEGA_SANDBOX_STDIO_INHERIT);
	assert_int_equal(
	    omega_command_set_stdio(&command, 1, OMEGA_SANDBOX_STDIO_FD, 7), 0);
	assert_int_equal(command.stdio[1].fd, 7);
	assert_int_equal(
	    omega_command_set_stdio(&command, 1, OMEGA_SANDBOX_STDIO_FD, -1),
	    OMEGA_SANDBOX_E_ARGUMENT);
	assert_int_equal(
	    omega_command_set_stdio(&command, 3, OMEGA_SANDBOX_STDIO_NULL, -1),
	    OMEGA_SANDBOX_E_ARGUMENT);
	assert_int_equal(
	    omega_command_set_stdio(&command, -1, OMEGA_SANDBOX_STDIO_NULL, -1),
	    OMEGA_SANDBOX_E_ARGUMENT);
	assert_int_equal(omega_command_set_stdio(
			     &command, 0, (enum omega_sandbox_stdio)4, -1),
	    OMEGA_SANDBOX_E_ARGUMENT);
	assert_int_equal(command.stdio[1].how, OMEGA_SANDBOX_STDIO_FD);
	omega_command_drop(&command);
}

static void
test_passed_descriptors_are_noted(void **state)
{
	struct omega_command command;

	(void)state;
	assert_int_equal(omega_command_init(&command, "/bin/sh", NULL), 0);
	assert_int_equal(omega_command_pass_fd(&command, 0, 3), 0);
	assert_int_equal(omega_command_pass_fd(&command, 0, 4), 0);
	assert_int_equal(omega_command_pass_fd(&command, 1, 3), 0);
	assert_int_equal(command.fd_count, 2);
	assert_int_equal(command.fds[0].fd, 1);
	assert_int_equal(
	    omega_command_pass_fd(&command, -1, 3), OMEGA_SANDBOX_E_ARGUMENT);
	assert_int_equal(
	    omega_command_pass_fd(&command, 1, 2), OMEGA_SANDBOX_E_ARGUMENT);
	assert_int_equal(command.fd_count, 2);
	omega_command_drop(&command);
}

static void
test_dropping_twice_is_harmless(void **state)
{
	struct omega_command command;

	(void)state;
	assert_int_equal(omega_command_init(&command, "/bin/sh", NULL), 0);
	omega_command_drop(&command);
	omega_command_drop(&command);
	assert_null(command.program);
}

#define with_path(fn) \
	cmocka_unit_test_setup_teardown(fn, save_path, restore_path)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_no_program_is_an_argument_error),
	    with_path(test_path_is_searched_in_order),
	    with_path(test_what_cannot_be_executed_is_passed_over),
	    with_path(test_relative_path_entries_are_passed_over),
	    with_path(test_without_path_the_system_is_searched),
	    with_path(test_odd_path_entries_are_survived),
	    cmocka_unit_test(test_program_with_slash_is_taken_from_here),
	    cmocka_unit_test(test_removed_directory_has_no_programs),
	    cmocka_unit_test(test_loops_and_long_names_are_not_found),
	    cmocka_unit_test(test_arguments_are_copied_and_ordered),
	    cmocka_unit_test(test_environment_is_checked_and_copied),
	    cmocka_unit_test(test_directory_is_copied),
	    cmocka_unit_test(test_stdio_is_checked),
	    cmocka_unit_test(test_passed_descriptors_are_noted),
	    cmocka_unit_test(test_dropping_twice_is_harmless),
	};

	return run_all(tests);
}
