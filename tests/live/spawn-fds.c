/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * spawn-fds.c - the descriptors a program finds.
 */

#include "spawn-tests.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Descriptors ------------------------------------------------------- */

/* A new file with a name of its own: its inode tells it from the others. */
static int
make_fd(void)
{
	int fd = memfd_create("omega-test", MFD_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static unsigned long long
inode_of(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	return (unsigned long long)st.st_ino;
}

/* How many descriptors the program had. */
static int
count_listed(const char *out)
{
	int count = 0;

	for (; *out != '\0'; out++)
		count += *out == ':';
	return count;
}

static void
assert_listed(const char *out, int fd, unsigned long long inode)
{
	const char *entry = text("%d:%llu ", fd, inode);
	const char *found = strstr(out, entry);

	if (found == NULL || (found != out && found[-1] != ' '))
		fail_msg("'%s' not in '%s'", entry, out);
}

static void
test_descriptors_above_two_are_closed(void **state)
{
	struct omega_launch *launch = make_launch(is_apart(state));
	struct outcome outcome;
	int fds[4];
	size_t i;

	fds[0] = open("/dev/null", O_RDONLY); /* all meant to be inherited */
	fds[1] = fcntl(fds[0], F_DUPFD, 9);
	fds[2] = fcntl(fds[0], F_DUPFD, 200);
	fds[3] = fcntl(fds[0], F_DUPFD, 1000);
	run_inspect(launch, &outcome, "descriptors", (char *)NULL);
	assert_int_equal(outcome.code, 0);
	assert_int_equal(count_listed(outcome.out), 3);
	for (i = 0; i < 4; i++) {
		assert_int_equal(fcntl(fds[i], F_GETFD), 0);
		close(fds[i]);
	}
	omega_launch_unref(launch);
}

/* Pass fds[i] as to[i] and see that each arrived. */
static void
assert_passed(
    struct omega_launch *launch, const int *fds, const int *to, size_t count)
{
	struct omega_command command;
	struct outcome outcome;
	size_t above = 0;
	size_t i;

	make_inspect(&command, "descriptors", (char *)NULL);
	for (i = 0; i < count; i++) {
		above += to[i] > 2;
		if (to[i] > 2)
			assert_int_equal(
			    omega_command_pass_fd(&command, fds[i], to[i]), 0);
		else if (to[i] != 1)
			assert_int_equal(
			    omega_command_set_stdio(&command, to[i],
				OMEGA_SANDBOX_STDIO_FD, fds[i]),
			    0);
	}
	run_command(launch, &command, &outcome);
	if (outcome.code != 0)
		fail_msg("%s", outcome.error.text);
	assert_int_equal(count_listed(outcome.out), 3 + above);
	for (i = 0; i < count; i++)
		if (to[i] != 1)
			assert_listed(outcome.out, to[i], inode_of(fds[i]));
	omega_command_drop(&command);
}

static void
test_descriptors_are_passed_whatever_their_numbers(void **state)
{
	struct omega_launch *launch = make_launch(is_apart(state));
	int before = count_descriptors();
	int fds[8];
	int to[8];
	size_t i;

	for (i = 0; i < 8; i++)
		fds[i] = make_fd();
	/* The same numbers. */
	assert_passed(launch, fds, fds, 8);
	/* Two exchanged. */
	assert_passed(launch, fds, (int[]){fds[1], fds[0]}, 2);
	/* All around. */
	for (i = 0; i < 8; i++)
		to[i] = fds[(i + 1) % 8];
	assert_passed(launch, fds, to, 8);
	/* One as many. */
	for (i = 0; i < 8; i++)
		to[i] = (int)(20 + i);
	assert_passed(launch,
	    (int[]){
		fds[0], fds[0], fds[0], fds[0], fds[0], fds[0], fds[0], fds[0]},
	    to, 8);
	/* As standard input and error, and our own 2 as another. */
	assert_passed(
	    launch, (int[]){fds[3], fds[4], 2}, (int[]){0, 2, fds[3]}, 3);
	assert_passed(launch, (int[]){2, 0}, (int[]){0, 2}, 2);
	for (i = 0; i < 8; i++)
		close(fds[i]);
	assert_int_equal(count_descriptors(), before);
	omega_launch_unref(launch);
}

/* Any numbers at all, the library's own descriptors in between. */
static void
test_random_numbers_are_passed(void **state)
{
	struct omega_launch *launch = make_launch(is_apart(state));
	int rounds = rounds_of(60);
	int numbers[30];
	int fds[12];
	int kept;
	size_t count;
	size_t i;
	size_t j;
	int swap;

	srand(7);
	for (i = 0; i < 12; i++)
		fds[i] = make_fd();
	kept = keep_fd(launch, fds[0]);
	while (rounds-- > 0) {
		for (i = 0; i < 30; i++)
			numbers[i] = (int)i + (i == 1 ? 40 : 0);
		for (i = 29; i > 0; i--) {
			j = (size_t)rand() % (i + 1);
			swap = numbers[i];
			numbers[i] = numbers[j];
			numbers[j] = swap;
		}
		numbers[rand() % 30] = kept;
		for (i = 0; i < 30; i++) /* 0 and 2 are handled by STDIO_FD */
			for (j = 0; j < i; j++)
				if (numbers[j] == numbers[i])
					numbers[i] = (int)(100 + i);
		count = 1 + (size_t)rand() % 12;
		assert_passed(launch, fds, numbers, count);
	}
	for (i = 0; i < 12; i++)
		close(fds[i]);
	omega_launch_unref(launch);
}

static void
test_passed_number_of_a_kept_one_waits_for_the_steps(void **state)
{
	struct omega_launch *launch = make_launch(is_apart(state));
	struct outcome outcome;
	struct omega_command command;
	struct note note;
	char letters[8] = "";
	int fd = make_fd();
	int ends[2];

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	note.fd = keep_fd(launch, ends[1]);
	note.letter = 'x';
	add_step(launch, 300, "note", write_note, &note, sizeof(note));
	add_step(launch, 700, "note", write_note, &note, sizeof(note));
	add_step(launch, 899, "note", write_note, &note, sizeof(note));
	make_inspect(&command, "descriptors", (char *)NULL);
	assert_int_equal(omega_command_pass_fd(&command, fd, note.fd), 0);
	run_command(launch, &command, &outcome);
	assert_int_equal(outcome.code, 0);
	assert_int_equal(read(ends[0], letters, sizeof(letters)), 3);
	assert_int_equal(count_listed(outcome.out), 4);
	assert_listed(outcome.out, note.fd, inode_of(fd));
	omega_command_drop(&command);
	omega_launch_unref(launch);
	close(fd);
	close(ends[0]);
	close(ends[1]);
}

static void
test_excerpt_descriptors_are_not_the_callers(void **state)
{
	struct omega_launch *launch = make_launch(is_apart(state));
	struct omega_command command;
	struct outcome outcome;
	int fd = make_fd();
	int kept = keep_fd(launch, fd);

	make_inspect(&command, "descriptors", (char *)NULL);
	assert_int_equal(omega_command_pass_fd(&command, kept, kept), 0);
	run_command(launch, &command, &outcome);
	assert_int_equal(outcome.code, OMEGA_SANDBOX_E_REFUSED);
	assert_int_equal(omega_command_pass_fd(&command, fd, kept), 0);
	omega_command_set_stdio(&command, 0, OMEGA_SANDBOX_STDIO_FD, kept);
	run_command(launch, &command, &outcome);
	assert_int_equal(outcome.code, OMEGA_SANDBOX_E_REFUSED);
	assert_non_null(
	    strstr(outcome.error.text, text("descriptor %d ", kept)));
	omega_command_drop(&command);
	omega_launch_unref(launch);
	close(fd);
}

static void
test_closed_or_unreachable_numbers_are_errors(void **state)
{
	struct omega_launch *launch = make_launch(is_apart(state));
	int before = count_descriptors();
	struct omega_command command;
	struct outcome outcome;

	make_inspect(&command, "descriptors", (char *)NULL);
	assert_int_equal(omega_command_pass_fd(&command, 987, 5), 0);
	run_command(launch, &command, &outcome);
	assert_int_equal(outcome.code, OMEGA_SANDBOX_E_SYSTEM);
	assert_int_equal(outcome.error.sys_errno, EBADF);
	assert_non_null(strstr(outcome.error.text, "descriptor 987"));
	omega_command_drop(&command);

	make_inspect(&command, "descriptors", (char *)NULL);
	assert_int_equal(omega_command_pass_fd(&command, 1, INT_MAX), 0);
	run_command(launch, &command, &outcome);
	assert_int_equal(outcome.code, OMEGA_SANDBOX_E_SYSTEM);
	assert_int_equal(outcome.error.sys_errno, EBADF);
	omega_command_drop(&command);
	assert_int_equal(count_descriptors(), before);
	assert_no_children();
	omega_launch_unref(launch);
}

static void
assert_refused(struct omega_launch *launch, struct omega_command *command,
    int fd, const char *words)
{
	int before = count_descriptors();
	struct outcome outcome;

	run_command(launch, command, &outcome);
	assert_int_equal(outcome.code, OMEGA_SANDBOX_E_REFUSED);
	assert_non_null(strstr(outcome.error.text, text("descriptor %d ", fd)));
	assert_non_null(strstr(outcome.error.text, words));
	assert_int_equal(count_descriptors(), before);
	assert_no_children();
}

/* Refused as stdio, as something passed, and when it is only inherited. */
static void
assert_never_passed(struct omega_launch *launch, int fd, const char *words)
{
	struct omega_command command;
	int saved;
	int i;

	for (i = 0; i < 3; i++) {
		make_inspect(&command, "touch", "/nowhere", (char *)NULL);
		assert_int_equal(omega_command_set_stdio(
				     &command, i, OMEGA_SANDBOX_STDIO_FD, fd),
		    0);
		assert_refused(launch, &command, fd, words);
		assert_int_equal(omega_command_set_stdio(&command, i,
				     OMEGA_SANDBOX_STDIO_INHERIT, -1),
		    0);
		saved = fcntl(i, F_DUPFD_CLOEXEC, 50);
		assert_int_equal(dup2(fd, i), i);
		assert_refused(launch, &command, i, words);
		assert_int_equal(dup2(saved, i), i);
		close(saved);
		omega_command_drop(&command);
	}
	make_inspect(&command, "touch", "/nowhere", (char *)NULL);
	assert_int_equal(omega_command_pass_fd(&command, fd, 7), 0);
	assert_refused(launch, &command, fd, words);
	assert_int_equal(omega_command_pass_fd(&command, fd, fd), 0);
	assert_refused(launch, &command, fd, words);
	omega_command_drop(&command);
}

static void
test_directories_and_path_descriptors_are_refused(void **state)
{
	struct omega_launch *launch = make_launch(is_apart(state));
	int fd;

	fd = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_never_passed(launch, fd, "directory");
	close(fd);
	fd = open("/tmp", O_PATH | O_CLOEXEC);
	assert_never_passed(launch, fd, "O_PATH");
	close(fd);
	fd = open("/dev/null", O_PATH | O_CLOEXEC);
	assert_never_passed(launch, fd, "O_PATH");
	close(fd);
	omega_launch_unref(launch);
}

/* Run with some of 0 to 2 closed or close-on-exec; what does it find there? */
static void
assert_null_for_missing(
    struct omega_launch *launch, int which, bool is_only_marked)
{
	struct omega_command command;
	struct outcome outcome;
	struct stat null;
	int saved[3];
	int i;

	make_inspect(&command, "descriptors", (char *)NULL);
	for (i = 0; i < 3; i++) {
		saved[i] = fcntl(i, F_DUPFD_CLOEXEC, 50);
		if ((which & 1 << i) != 0) {
			if (is_only_marked)
				fcntl(i, F_SETFD, FD_CLOEXEC);
			else
				close(i);
		}
	}
	run_command(launch, &command, &outcome);
	for (i = 0; i < 3; i++) {
		dup2(saved[i], i);
		close(saved[i]);
	}
	assert_int_equal(outcome.code, 0);
	assert_int_equal(count_listed(outcome.out), 3);
	assert_int_equal(stat("/dev/null", &null), 0);
	for (i = 0; i < 3; i++)
		if (i != 1 && (which & 1 << i) != 0)
			assert_listed(
			    outcome.out, i, (unsigned long long)null.st_ino);
	omega_command_drop(&command);
}

static void
test_missing_standard_descriptors_are_dev_null(void **state)
{
	struct omega_launch *launch = make_launch(is_apart(state));
	int before = count_descriptors();
	int which;

	inspect_program();
	before = count_descriptors();
	for (which = 1; which < 8; which++) {
		assert_null_for_missing(launch, which, false);
		assert_null_for_missing(launch, which, true);
	}
	assert_int_equal(count_descriptors(), before);
	omega_launch_unref(launch);
}

static void
test_pipes_carry_input_and_output(void **state)
{
	struct omega_launch *launch = make_launch(is_apart(state));
	struct omega_sandbox_child *child = omega_child_new();
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_command command;
	struct omega_spawned spawned;
	char buffer[64] = "";
	int in;

	make_inspect(&command, "read", "0", (char *)NULL);
	omega_command_set_stdio(&command, 0, OMEGA_SANDBOX_STDIO_PIPE, -1);
	omega_command_set_stdio(&command, 2, OMEGA_SANDBOX_STDIO_NULL, -1);
	assert_int_equal(omega_spawn(launch, &command, &spawned, NULL), 0);
	omega_child_adopt(child, &spawned, false);
	assert_int_equal(omega_child_take_stdio(child, 2), -1);
	assert_int_equal(omega_child_take_stdio(child, 3), -1);
	in = omega_child_take_stdio(child, 0);
	assert_int_equal(fcntl(in, F_GETFD), FD_CLOEXEC);
	assert_int_equal(omega_child_take_stdio(child, 0), -1);
	assert_int_equal(write(in, "hello", 5), 5);
	close(in);
	assert_int_equal(omega_child_wait(child, -1, &end, NULL), 1);
	assert_int_equal(end.status, 0);
	assert_int_equal(end.is_protected, 0);
	in = omega_child_take_stdio(child, 1);
	assert_int_equal(read(in, buffer, sizeof(buffer)), 5);
	close(in);
	assert_string_equal(buffer, "hello");
	omega_child_free(child);
	omega_command_drop(&command);
	omega_launch_unref(launch);
}

/* ---- Prefix ------------------------------------------------------------ */

static void
test_words_come_before_the_command(void **state)
{
	struct omega_launch *launch = make_launch(is_apart(state));
	struct omega_launch_builder builder;
	struct omega_command command;
	struct outcome outcome;
	int fd = make_fd();
	int number;

	omega_launch_builder_begin(&builder, launch, "wrapper", true);
	builder.public.add_word(&builder.public, "/usr/bin/env");
	builder.public.add_word(&builder.public, "OMEGA_TEST=wrapped");
	number = builder.public.pass_fd(&builder.public, fd);
	assert_true(number > 2);
	omega_launch_builder_end(&builder);
	run_inspect(launch, &outcome, "name", "environment", (char *)NULL);
	assert_int_equal(outcome.code, 0);
	assert_memory_equal(
	    outcome.out, inspect_program(), strlen(inspect_program()));
	assert_non_null(strstr(outcome.out, "\nOMEGA_TEST=wrapped\n"));
	run_inspect(launch, &outcome, "descriptors", (char *)NULL);
	assert_listed(outcome.out, number, inode_of(fd));

	/* Its number is taken. */
	make_inspect(&command, "descriptors", (char *)NULL);
	assert_int_equal(omega_command_pass_fd(&command, 1, number), 0);
	run_command(launch, &command, &outcome);
	assert_int_equal(outcome.code, OMEGA_SANDBOX_E_REFUSED);
	assert_non_null(strstr(outcome.error.text, "wrapper"));
	omega_command_drop(&command);
	omega_launch_unref(launch);
	close(fd);
}

static void
test_missing_wrapper_is_the_backends_fault(void **state)
{
	struct omega_launch *launch = make_launch(is_apart(state));
	struct omega_launch_builder builder;
	struct outcome outcome;

	omega_launch_builder_begin(&builder, launch, "wrapper", true);
	builder.public.add_word(&builder.public, "/nonexistent/wrapper");
	omega_launch_builder_end(&builder);
	run_inspect(launch, &outcome, "exit", "0", (char *)NULL);
	assert_int_equal(outcome.code, OMEGA_SANDBOX_E_STEP);
	assert_string_equal(outcome.error.backend, "wrapper");
	assert_int_equal(outcome.error.sys_errno, ENOENT);
	omega_launch_unref(launch);
}

const struct CMUnitTest spawn_fds_tests[] = {
    both(test_descriptors_above_two_are_closed),
    both(test_descriptors_are_passed_whatever_their_numbers),
    both(test_random_numbers_are_passed),
    both(test_passed_number_of_a_kept_one_waits_for_the_steps),
    both(test_excerpt_descriptors_are_not_the_callers),
    both(test_closed_or_unreachable_numbers_are_errors),
    both(test_directories_and_path_descriptors_are_refused),
    both(test_missing_standard_descriptors_are_dev_null),
    both(test_pipes_carry_input_and_output),
    both(test_words_come_before_the_command),
    both(test_missing_wrapper_is_the_backends_fault),
    {NULL, NULL, NULL, NULL, NULL},
};
