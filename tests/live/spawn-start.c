/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * spawn-start.c - what can be started, what cannot, and the steps on
 * the way.
 */

#include "spawn-tests.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Ends -------------------------------------------------------------- */

static void
test_exit_status_is_reported(void **state)
{
	static const int statuses[] = {0, 1, 42, 126, 127, 255};
	struct omega_launch *launch = make_launch(is_apart(state));
	struct outcome outcome;
	size_t i;

	for (i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
		run_inspect(launch, &outcome, "exit", text("%d", statuses[i]),
		    (char *)NULL);
		assert_int_equal(outcome.code, 0);
		assert_int_equal(outcome.end.status, statuses[i]);
		assert_int_equal(outcome.end.signal, 0);
		assert_int_equal(outcome.end.is_protected, 1);
	}
	omega_launch_unref(launch);
	assert_no_children();
}

static void
test_signal_is_reported(void **state)
{
	static const int signals[] = {SIGTERM, SIGKILL, SIGUSR1, SIGPIPE};
	struct omega_launch *launch = make_launch(is_apart(state));
	struct outcome outcome;
	size_t i;

	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		run_inspect(launch, &outcome, "raise", text("%d", signals[i]),
		    (char *)NULL);
		assert_int_equal(outcome.code, 0);
		assert_int_equal(outcome.end.status, -1);
		assert_int_equal(outcome.end.signal, signals[i]);
		assert_int_equal(outcome.end.is_core_dumped, 0);
	}
	omega_launch_unref(launch);
}

/* ---- What cannot be executed ------------------------------------------- */

/* A file that is there and executable when the command is made; change it
 * with fn, and expect this from the start. */
static void
assert_start_fails(void **state, const char *content, void (*fn)(const char *),
    int code, int sys_errno, const char *words)
{
	struct omega_launch *launch = make_launch(is_apart(state));
	char *path = text("%s/program", scratch_dir());
	struct omega_command command;
	struct outcome outcome;
	int before;

	make_file(path, content);
	chmod(path, 0755);
	assert_int_equal(omega_command_init(&command, path, NULL), 0);
	if (fn != NULL)
		fn(path);
	before = count_descriptors();
	run_command(launch, &command, &outcome);
	assert_int_equal(outcome.code, code);
	assert_int_equal(outcome.error.code, code);
	assert_int_equal(outcome.error.sys_errno, sys_errno);
	assert_non_null(strstr(outcome.error.text, path));
	if (strstr(outcome.error.text, words) == NULL)
		fail_msg("'%s' in '%s'", words, outcome.error.text);
	assert_int_equal(count_descriptors(), before);
	assert_no_children();
	omega_command_drop(&command);
	omega_launch_unref(launch);
}

static void
remove_file(const char *path)
{
	assert_int_equal(unlink(path), 0);
}

static void
forbid_execution(const char *path)
{
	assert_int_equal(chmod(path, 0644), 0);
}

static void
make_it_a_directory(const char *path)
{
	remove_file(path);
	assert_int_equal(mkdir(path, 0755), 0);
}

static void
make_it_a_loop(const char *path)
{
	remove_file(path);
	assert_int_equal(symlink(path, path), 0);
}

static void
test_vanished_program_is_not_found(void **state)
{
	assert_start_fails(state, "#!/bin/sh\n", remove_file,
	    OMEGA_SANDBOX_E_NOT_FOUND, ENOENT, "not found");
}

static void
test_program_without_x_bit_is_not_executable(void **state)
{
	assert_start_fails(state, "#!/bin/sh\n", forbid_execution,
	    OMEGA_SANDBOX_E_NOT_EXECUTABLE, EACCES, "Permission denied");
}

static void
test_directory_is_not_executable(void **state)
{
	assert_start_fails(state, "#!/bin/sh\n", make_it_a_directory,
	    OMEGA_SANDBOX_E_NOT_EXECUTABLE, EACCES, "Permission denied");
}

static void
test_loop_is_not_executable(void **state)
{
	assert_start_fails(state, "#!/bin/sh\n", make_it_a_loop,
	    OMEGA_SANDBOX_E_NOT_EXECUTABLE, ELOOP, "symbolic links");
}

static void
test_missing_interpreter_is_named(void **state)
{
	if (is_under_valgrind())
		skip_because("valgrind dies of a failed exec");
	assert_start_fails(state, "#!/nonexistent/interpreter\n", NULL,
	    OMEGA_SANDBOX_E_NOT_EXECUTABLE, ENOENT, "interpreter");
}

static void
test_script_without_interpreter_line_never_gets_a_shell(void **state)
{
	char *marker = text("%s/marker", scratch_dir());

	assert_start_fails(state, text("touch %s\n", marker), NULL,
	    OMEGA_SANDBOX_E_NOT_EXECUTABLE, ENOEXEC, "format");
	assert_int_equal(access(marker, F_OK), -1);
}

static void
test_empty_program_is_not_executable(void **state)
{
	assert_start_fails(
	    state, "", NULL, OMEGA_SANDBOX_E_NOT_EXECUTABLE, ENOEXEC, "format");
}

static void
test_too_long_arguments_are_a_system_error(void **state)
{
	struct omega_launch *launch;
	struct omega_command command;
	struct outcome outcome;
	size_t size = 8 * 1024 * 1024;
	char *word;

	if (is_under_valgrind())
		skip_because("valgrind dies of a failed exec");
	launch = make_launch(is_apart(state));
	word = malloc(size);
	assert_non_null(word);
	memset(word, 'x', size - 1);
	word[size - 1] = '\0';
	make_inspect(&command, "say", word, (char *)NULL);
	run_command(launch, &command, &outcome);
	assert_int_equal(outcome.code, OMEGA_SANDBOX_E_SYSTEM);
	assert_int_equal(outcome.error.sys_errno, E2BIG);
	assert_no_children();
	omega_command_drop(&command);
	omega_launch_unref(launch);
	free(word);
}

/* ---- Steps ------------------------------------------------------------- */

static const uint32_t all_phases[] = {
    100, 199, 201, 300, 400, 500, 599, 601, 700, 800, 899};

static void
assert_step_fails(bool has_own_memory, uint32_t phase, int answer, int expected)
{
	struct omega_launch *launch = make_launch(has_own_memory);
	char *marker = text("%s/marker", scratch_dir());
	int before;
	struct outcome outcome;

	add_step(launch, phase, "fall", fail_with, &answer, sizeof(answer));
	inspect_program();
	before = count_descriptors();
	run_inspect(launch, &outcome, "touch", marker, (char *)NULL);
	assert_int_equal(outcome.code, OMEGA_SANDBOX_E_STEP);
	assert_int_equal(outcome.error.code, OMEGA_SANDBOX_E_STEP);
	assert_int_equal(outcome.error.sys_errno, expected);
	assert_string_equal(outcome.error.backend, "mock");
	assert_string_equal(
	    outcome.error.text, text("mock: fall: %s", strerror(expected)));
	assert_int_equal(access(marker, F_OK), -1);
	assert_int_equal(count_descriptors(), before);
	assert_no_children();
	omega_launch_unref(launch);
}

static void
test_failing_step_of_each_phase_starts_nothing(void **state)
{
	size_t i;

	for (i = 0; i < sizeof(all_phases) / sizeof(all_phases[0]); i++)
		assert_step_fails(
		    is_apart(state), all_phases[i], -EPERM, EPERM);
}

static void
test_any_answer_but_zero_is_a_failure(void **state)
{
	static const int odd[] = {1, EPERM, 4096, INT_MAX, INT_MIN, -4096};
	size_t i;

	for (i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
		assert_step_fails(is_apart(state), 400, odd[i], EINVAL);
	assert_step_fails(is_apart(state), 400, -4095, 4095);
	assert_step_fails(is_apart(state), 400, -1, 1);
}

static void
test_steps_run_in_order_and_keep_their_descriptors(void **state)
{
	struct omega_launch *launch = make_launch(is_apart(state));
	size_t count = sizeof(all_phases) / sizeof(all_phases[0]);
	struct outcome outcome;
	struct note note;
	char letters[32] = "";
	int ends[2];
	size_t i;

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	note.fd = keep_fd(launch, ends[1]);
	for (i = count; i > 0; i--) { /* told backwards, run forwards */
		note.letter = (char)('a' + i - 1);
		add_step(launch, all_phases[i - 1], "note", write_note, &note,
		    sizeof(note));
	}
	run_inspect(launch, &outcome, "descriptors", (char *)NULL);
	assert_int_equal(outcome.code, 0);
	assert_int_equal(read(ends[0], letters, sizeof(letters)), count);
	assert_string_equal(letters, "abcdefghijk");
	assert_null(strstr(outcome.out, text(" %d:", note.fd)));
	omega_launch_unref(launch);
	close(ends[0]);
	close(ends[1]);
}

static int
die(const void *state)
{
	int how = *(const int *)state;

	if (how == 0)
		syscall(SYS_exit_group, 0);
	kill(getpid(), how);
	return 0;
}

/* Nothing said looks like a success when only the end of file is looked for. */
static void
test_child_killed_before_exec_is_no_success(void **state)
{
	static const struct {
		int how;
		const char *words;
	} rows[] = {{SIGKILL, "signal 9"}, {0, "status 0"}};
	struct omega_launch *launch;
	char *marker = text("%s/marker", scratch_dir());
	struct outcome outcome;
	size_t i;
	size_t j;

	/* valgrind gives a child that exits a status of its own */
	for (i = 0; i < (is_under_valgrind() ? 1 : 2); i++) {
		for (j = 0; j < sizeof(all_phases) / sizeof(all_phases[0]);
		     j++) {
			launch = make_launch(is_apart(state));
			add_step(launch, all_phases[j], "die", die,
			    &rows[i].how, sizeof(rows[i].how));
			run_inspect(
			    launch, &outcome, "touch", marker, (char *)NULL);
			assert_int_equal(outcome.code, OMEGA_SANDBOX_E_STEP);
			assert_string_equal(outcome.error.backend, "core");
			assert_non_null(
			    strstr(outcome.error.text, rows[i].words));
			assert_int_equal(access(marker, F_OK), -1);
			assert_no_children();
			omega_launch_unref(launch);
		}
	}
}

__attribute__((noinline)) static int
use_stack(const void *state)
{
	volatile char room[62 * 1024];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(room); i += 1024)
		room[i] = 1;
	return room[0] - 1;
}

static void
test_step_may_use_its_stack(void **state)
{
	struct omega_launch *launch = make_launch(is_apart(state));
	struct outcome outcome;

	add_step(launch, 400, "stack", use_stack, NULL, 0);
	run_inspect(launch, &outcome, "exit", "3", (char *)NULL);
	assert_int_equal(outcome.code, 0);
	assert_int_equal(outcome.end.status, 3);
	omega_launch_unref(launch);
}

__attribute__((noinline)) static int
dig(volatile int *depth)
{
	volatile char room[4096];

	room[0] = (char)*depth;
	(*depth)++;
	if (*depth < 0)
		return room[0];
	return dig(depth) + room[0];
}

static int
overflow(const void *state)
{
	volatile int depth = 0;

	(void)state;
	return dig(&depth);
}

static void
test_step_that_overflows_harms_the_child_only(void **state)
{
	struct omega_launch *launch;
	struct rlimit old;
	struct rlimit limit;
	struct outcome outcome;

	if (is_under_valgrind())
		skip_because("valgrind has stacks of its own");
	launch = make_launch(is_apart(state));
	/* A copy runs on a copy of our stack: let that end soon, too. */
	assert_int_equal(getrlimit(RLIMIT_STACK, &old), 0);
	limit = old;
	limit.rlim_cur = 1 << 20;
	assert_int_equal(setrlimit(RLIMIT_STACK, &limit), 0);
	add_step(launch, 400, "overflow", overflow, NULL, 0);
	run_inspect(launch, &outcome, "exit", "3", (char *)NULL);
	assert_int_equal(setrlimit(RLIMIT_STACK, &old), 0);
	assert_int_equal(outcome.code, OMEGA_SANDBOX_E_STEP);
	assert_non_null(strstr(outcome.error.text, text("signal %d", SIGSEGV)));
	assert_no_children();
	omega_launch_unref(launch);
}

const struct CMUnitTest spawn_start_tests[] = {
    both(test_exit_status_is_reported),
    both(test_signal_is_reported),
    both(test_vanished_program_is_not_found),
    both(test_program_without_x_bit_is_not_executable),
    both(test_directory_is_not_executable),
    both(test_loop_is_not_executable),
    both(test_missing_interpreter_is_named),
    both(test_script_without_interpreter_line_never_gets_a_shell),
    both(test_empty_program_is_not_executable),
    both(test_too_long_arguments_are_a_system_error),
    both(test_failing_step_of_each_phase_starts_nothing),
    both(test_any_answer_but_zero_is_a_failure),
    both(test_steps_run_in_order_and_keep_their_descriptors),
    both(test_child_killed_before_exec_is_no_success),
    both(test_step_may_use_its_stack),
    both(test_step_that_overflows_harms_the_child_only),
    {NULL, NULL, NULL, NULL, NULL},
};
