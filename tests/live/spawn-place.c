/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * spawn-place.c - becoming the command, and confining oneself. All of it
 * happens in children of the test.
 */

#include "place.h"

#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int
say_step(const void *state)
{
	return write(*(const int *)state, "step\n", 5) == 5 ? 0 : -errno;
}

static int
set_no_new_privs(const void *state)
{
	(void)state;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? 0 : -errno;
}

static int
fail_step(const void *state)
{
	(void)state;
	return -EXDEV;
}

static struct omega_launch *
make_place_launch(const struct place *place)
{
	struct omega_launch *launch = make_launch(place->has_own_memory);
	int kept = keep_fd(launch, place->out);

	add_step(launch, 700, "say", say_step, &kept, sizeof(kept));
	add_step(launch, 400, "nnp", set_no_new_privs, NULL, 0);
	return launch;
}

static void *
sleep_long(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static void
start_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, sleep_long, NULL) != 0)
		_exit(91);
}

/* ---- Becoming the command ---------------------------------------------- */

static int
become_signals(void *arg)
{
	struct place *place = arg;
	struct omega_command command;
	sigset_t all;

	signal(SIGPIPE, SIG_IGN);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	make_place_command(&command, place, "signals");
	omega_spawn_exec(make_place_launch(place), &command, NULL);
	return 1;
}

static void
test_exec_runs_steps_and_resets_signals(void **state)
{
	struct place place;

	assert_int_equal(run_place(&place, state, become_signals), 0);
	assert_string_equal(place.said, "step\n"
					"SigBlk:\t0000000000000000\n"
					"SigIgn:\t0000000000000000\n"
					"SigCgt:\t0000000000000000\n"
					"NoNewPrivs:\t1\n");
}

static int
become_descriptors(void *arg)
{
	struct place *place = arg;
	struct omega_command command;
	int fd = open("/dev/null", O_RDONLY);

	make_place_command(&command, place, "descriptors");
	need(omega_command_pass_fd(&command, fd, 20) == 0);
	need(omega_command_pass_fd(&command, place->in, fd) == 0);
	omega_spawn_exec(make_place_launch(place), &command, NULL);
	return 1;
}

static void
test_exec_closes_and_passes_descriptors(void **state)
{
	struct place place;
	const char *at;
	int count = 0;

	assert_int_equal(run_place(&place, state, become_descriptors), 0);
	for (at = place.said; *at != '\0'; at++)
		count += *at == ':';
	assert_int_equal(count, 5);
	assert_non_null(strstr(place.said, " 20:"));
}

static int
become_directory(void *arg)
{
	struct place *place = arg;
	struct omega_command command;

	need(chdir("/tmp") == 0);
	make_place_command(&command, place, "directory");
	omega_spawn_exec(make_place_launch(place), &command, NULL);
	return 1;
}

static void
test_exec_stays_in_its_directory(void **state)
{
	struct place place;

	assert_int_equal(run_place(&place, state, become_directory), 0);
	assert_string_equal(place.said, "step\n/tmp\n");
}

static int
become_too_many(void *arg)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct place *place = arg;
	struct omega_command command;

	start_thread();
	make_place_command(&command, place, "signals");
	need(omega_spawn_exec(make_place_launch(place), &command, &error) ==
	     OMEGA_SANDBOX_E_STATE);
	need(strstr(error.text, "thread") != NULL);
	need(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0);
	return 0;
}

static void
test_exec_with_threads_is_refused_before_any_step(void **state)
{
	struct place place;

	assert_int_equal(run_place(&place, state, become_too_many), 0);
	assert_string_equal(place.said, "");
}

static int
become_refused(void *arg)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct place *place = arg;
	struct omega_command command;
	sigset_t mask;
	int dir = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	make_place_command(&command, place, "signals");
	need(omega_command_pass_fd(&command, dir, 9) == 0);
	need(omega_spawn_exec(make_place_launch(place), &command, &error) ==
	     OMEGA_SANDBOX_E_REFUSED);
	need(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0);
	omega_command_drop(&command);
	make_place_command(&command, place, "signals");
	need(omega_command_set_stdio(
		 &command, 0, OMEGA_SANDBOX_STDIO_PIPE, -1) == 0);
	need(omega_spawn_exec(make_place_launch(place), &command, &error) ==
	     OMEGA_SANDBOX_E_STATE);
	need(sigprocmask(SIG_SETMASK, NULL, &mask) == 0);
	need(sigisemptyset(&mask));
	return 0;
}

static void
test_exec_with_wrong_descriptors_does_nothing(void **state)
{
	struct place place;

	assert_int_equal(run_place(&place, state, become_refused), 0);
	assert_string_equal(place.said, "");
}

static int
become_nothing(void *arg)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct place *place = arg;
	struct omega_launch *launch = make_place_launch(place);
	struct omega_command command;

	make_place_command(&command, place, "signals");
	free(command.program);
	command.program = strdup("/nonexistent/program");
	need(omega_spawn_exec(launch, &command, &error) ==
	     OMEGA_SANDBOX_E_NOT_FOUND);
	need(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1);
	add_step(launch, 899, "fail", fail_step, NULL, 0);
	need(
	    omega_spawn_exec(launch, &command, &error) == OMEGA_SANDBOX_E_STEP);
	need(error.sys_errno == EXDEV);
	need(strcmp(error.backend, "mock") == 0);
	return 0;
}

static void
test_exec_that_fails_says_why(void **state)
{
	struct place place;

	assert_int_equal(run_place(&place, state, become_nothing), 0);
	assert_string_equal(place.said, "step\nstep\n");
}

/* ---- Confining oneself --------------------------------------------------- */

static int
confine(void *arg)
{
	struct place *place = arg;
	struct omega_launch *launch = make_place_launch(place);
	char here[PATH_MAX];
	int fd = open("/dev/null", O_RDONLY);
	int before;

	signal(SIGPIPE, SIG_IGN);
	need(chdir("/tmp") == 0);
	before = count_descriptors();
	need(omega_spawn_confine(launch, NULL) == 0);
	need(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1);
	need(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 1);
	need(count_descriptors() == before);
	need(fcntl(fd, F_GETFD) == 0);
	need(signal(SIGPIPE, SIG_DFL) == SIG_IGN);
	need(getcwd(here, sizeof(here)) != NULL);
	need(strcmp(here, "/tmp") == 0);
	return 0;
}

static void
test_confining_runs_the_steps_here(void **state)
{
	struct place place;

	assert_int_equal(run_place(&place, state, confine), 0);
	assert_string_equal(place.said, "step\n");
}

static int
exchange(const void *state)
{
	(void)state;
	return rename("sub", "other") == 0 && mkdir("sub", 0755) == 0 &&
		       mkdir("sub/new", 0755) == 0 && chdir("/") == 0
		   ? 0
		   : -errno;
}

static int
confine_elsewhere(void *arg)
{
	struct place *place = arg;
	struct omega_launch *launch = make_launch(place->has_own_memory);

	need(chdir(place->dir) == 0);
	need(mkdir("sub", 0755) == 0);
	need(chdir("sub") == 0);
	need(mkdir("sub", 0755) == 0);
	add_step(launch, 100, "exchange", exchange, NULL, 0);
	need(omega_spawn_confine(launch, NULL) == 0);
	need(access("sub/new", F_OK) == 0);
	return 0;
}

static void
test_confining_looks_the_directory_up_again(void **state)
{
	struct place place = {.dir = scratch_dir()};

	assert_int_equal(run_place(&place, state, confine_elsewhere), 0);
}

static int
confine_threaded(void *arg)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_launch *launch = make_place_launch(arg);

	start_thread();
	need(omega_spawn_confine(launch, &error) == OMEGA_SANDBOX_E_STATE);
	need(strstr(error.text, "thread") != NULL);
	/* The same where a filter forbids to ask the kernel. */
	need(deny_call(SYS_unshare, EPERM));
	need(omega_spawn_confine(launch, &error) == OMEGA_SANDBOX_E_STATE);
	return 0;
}

static void
test_confining_threads_is_refused_before_any_step(void **state)
{
	struct place place;

	assert_int_equal(run_place(&place, state, confine_threaded), 0);
	assert_string_equal(place.said, "");
}

static int
confine_without_unshare(void *arg)
{
	need(deny_call(SYS_unshare, EPERM));
	need(omega_spawn_confine(make_place_launch(arg), NULL) == 0);
	return 0;
}

static void
test_threads_are_counted_where_unshare_is_forbidden(void **state)
{
	struct place place;

	assert_int_equal(run_place(&place, state, confine_without_unshare), 0);
	assert_string_equal(place.said, "step\n");
}

static int
confine_wrapped(void *arg)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_launch *launch = make_launch(false);
	struct omega_launch_builder builder;

	(void)arg;
	omega_launch_builder_begin(&builder, launch, "wrapper", true);
	builder.public.add_word(&builder.public, "/usr/bin/env");
	omega_launch_builder_end(&builder);
	need(omega_spawn_confine(launch, &error) == OMEGA_SANDBOX_E_STATE);
	need(strstr(error.text, "wrapper") != NULL);
	return 0;
}

static void
test_confining_through_a_wrapper_is_refused(void **state)
{
	struct place place;

	assert_int_equal(run_place(&place, state, confine_wrapped), 0);
}

static int
confine_failing(void *arg)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_launch *launch = make_place_launch(arg);

	add_step(launch, 500, "fail", fail_step, NULL, 0);
	need(omega_spawn_confine(launch, &error) == OMEGA_SANDBOX_E_STEP);
	need(strcmp(error.text, text("mock: fail: %s", strerror(EXDEV))) == 0);
	return 0;
}

static void
test_confining_that_fails_says_why(void **state)
{
	struct place place;

	assert_int_equal(run_place(&place, state, confine_failing), 0);
	assert_string_equal(place.said, "");
}

const struct CMUnitTest spawn_place_tests[] = {
    both(test_exec_runs_steps_and_resets_signals),
    both(test_exec_closes_and_passes_descriptors),
    both(test_exec_stays_in_its_directory),
    both(test_exec_with_threads_is_refused_before_any_step),
    both(test_exec_with_wrong_descriptors_does_nothing),
    both(test_exec_that_fails_says_why),
    both(test_confining_runs_the_steps_here),
    both(test_confining_looks_the_directory_up_again),
    both(test_confining_threads_is_refused_before_any_step),
    both(test_threads_are_counted_where_unshare_is_forbidden),
    both(test_confining_through_a_wrapper_is_refused),
    both(test_confining_that_fails_says_why),
    {NULL, NULL, NULL, NULL, NULL},
};
