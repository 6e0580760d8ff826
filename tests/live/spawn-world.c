/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * spawn-world.c - signals, directory, environment, memory and limits.
 */

#include "spawn-tests.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Signals ----------------------------------------------------------- */

static void
do_nothing(int number)
{
	(void)number;
}

static void
test_signals_are_at_their_defaults(void **state)
{
	struct omega_launch *launch = make_launch(is_apart(state));
	struct outcome outcome;
	const char *line;
	sigset_t some;
	sigset_t old;
	sigset_t after;
	size_t i;
	static const int ignored[] = {SIGPIPE, SIGHUP, SIGTSTP};
	static const int handled[] = {SIGUSR1, SIGTERM, SIGWINCH};

	for (i = 0; i < 3; i++) {
		signal(ignored[i], SIG_IGN);
		signal(handled[i], do_nothing);
	}
	signal(SIGRTMIN + 3, SIG_IGN);
	signal(SIGRTMAX, do_nothing);
	sigemptyset(&some);
	sigaddset(&some, SIGUSR2);
	sigaddset(&some, SIGRTMIN);
	pthread_sigmask(SIG_BLOCK, &some, &old);
	run_inspect(launch, &outcome, "signals", (char *)NULL);
	pthread_sigmask(SIG_SETMASK, &old, &after);
	assert_int_equal(sigismember(&after, SIGUSR2), 1);
	assert_int_equal(sigismember(&after, SIGRTMIN), 1);
	assert_int_equal(sigismember(&after, SIGUSR1), 0);
	for (i = 0; i < 3; i++) {
		assert_true(signal(ignored[i], SIG_DFL) == SIG_IGN);
		assert_true(signal(handled[i], SIG_DFL) == do_nothing);
	}
	signal(SIGRTMIN + 3, SIG_DFL);
	signal(SIGRTMAX, SIG_DFL);
	assert_int_equal(outcome.code, 0);
	for (i = 0; i < 3; i++) {
		line = strstr(outcome.out, i == 0   ? "SigBlk:"
					   : i == 1 ? "SigIgn:"
						    : "SigCgt:");
		assert_non_null(line);
		assert_int_equal(strtoull(line + 7, NULL, 16), 0);
	}
	omega_launch_unref(launch);
}

static pid_t host;
static volatile sig_atomic_t handled_here;
static volatile sig_atomic_t handled_elsewhere;

static void
note_process(int number)
{
	(void)number;
	if (getpid() == host) /* glibc asks the kernel */
		handled_here = 1;
	else
		handled_elsewhere = 1;
}

static volatile bool is_bombarding;

static void *
bombard(void *target)
{
	while (is_bombarding) {
		pthread_kill(*(pthread_t *)target, SIGUSR1);
		kill(host, SIGUSR1);
		kill(0, SIGWINCH); /* the whole group, the child included */
	}
	return NULL;
}

static void
test_handlers_never_run_in_the_child(void **state)
{
	struct omega_launch *launch = make_launch(is_apart(state));
	int rounds = rounds_of(is_apart(state) ? 500 : 2000);
	struct sigaction action = {.sa_handler = note_process};
	struct outcome outcome;
	pthread_t self = pthread_self();
	pthread_t thread;

	setpgid(0, 0);
	host = getpid();
	handled_here = 0;
	handled_elsewhere = 0;
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGWINCH, &action, NULL);
	is_bombarding = true;
	assert_int_equal(pthread_create(&thread, NULL, bombard, &self), 0);
	while (rounds-- > 0) {
		run_inspect(launch, &outcome, "exit", "5", (char *)NULL);
		assert_int_equal(outcome.code, 0);
		assert_int_equal(outcome.end.status, 5);
	}
	is_bombarding = false;
	pthread_join(thread, NULL);
	signal(SIGUSR1, SIG_DFL);
	signal(SIGWINCH, SIG_DFL);
	assert_int_equal(handled_here, 1);
	assert_int_equal(handled_elsewhere, 0);
	omega_launch_unref(launch);
}

static void
test_errno_mask_and_cancellation_are_left_alone(void **state)
{
	static const int answer = -EPERM;
	struct omega_launch *launch = make_launch(is_apart(state));
	struct omega_spawned spawned;
	struct omega_command command;
	sigset_t before;
	sigset_t after;
	int cancel;

	add_step(launch, 400, "fall", fail_with, &answer, sizeof(answer));
	make_inspect(&command, "exit", "0", (char *)NULL);
	pthread_sigmask(SIG_SETMASK, NULL, &before);
	errno = 12345;
	assert_int_equal(omega_spawn(launch, &command, &spawned, NULL),
	    OMEGA_SANDBOX_E_STEP);
	assert_int_equal(errno, 12345);
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	assert_memory_equal(&before, &after, 8);
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &cancel);
	assert_int_equal(cancel, PTHREAD_CANCEL_ENABLE);
	omega_command_drop(&command);
	omega_launch_unref(launch);
}

/* ---- Directory --------------------------------------------------------- */

static void
assert_directory(
    struct omega_launch *launch, const char *dir, const char *expected)
{
	struct omega_command command;
	struct outcome outcome;

	make_inspect(&command, "directory", (char *)NULL);
	assert_int_equal(omega_command_set_dir(&command, dir), 0);
	run_command(launch, &command, &outcome);
	assert_int_equal(outcome.code, 0);
	assert_string_equal(outcome.out, text("%s\n", expected));
	omega_command_drop(&command);
}

static int
exchange_directory(const void *state)
{
	const char *dir = state;
	char aside[PATH_MAX];

	snprintf(aside, sizeof(aside), "%s-aside", dir);
	if (rename(dir, aside) != 0 || mkdir(dir, 0755) != 0)
		return -errno;
	return 0;
}

static void
test_directory_is_looked_up_by_name(void **state)
{
	struct omega_launch *launch = make_launch(is_apart(state));
	char *dir = strdup(scratch_dir());
	char *sub = strdup(text("%s/sub", dir));
	char here[PATH_MAX];
	struct outcome outcome;

	assert_non_null(getcwd(here, sizeof(here)));
	make_dir(sub);
	make_dir(text("%s/deeper", sub));
	assert_int_equal(chdir(sub), 0);
	assert_directory(launch, NULL, sub);
	assert_directory(launch, dir, dir);
	assert_directory(launch, "deeper", text("%s/deeper", sub));
	assert_directory(launch, "..", dir);
	assert_int_equal(chdir("/"), 0);
	assert_directory(launch, NULL, "/");
	assert_directory(launch, "tmp", "/tmp");
	assert_int_equal(chdir(sub), 0);
	/* What a namespace does to a name, done to the name itself. */
	add_step(
	    launch, 100, "exchange", exchange_directory, sub, strlen(sub) + 1);
	run_inspect(launch, &outcome, "directory", (char *)NULL);
	assert_int_equal(chdir(here), 0);
	assert_int_equal(outcome.code, 0);
	assert_string_equal(outcome.out, text("%s\n", sub));
	omega_launch_unref(launch);
	free(dir);
	free(sub);
}

static void
test_missing_directory_is_a_step_of_the_core(void **state)
{
	struct omega_launch *launch = make_launch(is_apart(state));
	char *dir = text("%s/gone", scratch_dir());
	char here[PATH_MAX];
	struct omega_command command;
	struct outcome outcome;

	assert_non_null(getcwd(here, sizeof(here)));
	make_inspect(&command, "directory", (char *)NULL);
	assert_int_equal(omega_command_set_dir(&command, dir), 0);
	run_command(launch, &command, &outcome);
	assert_int_equal(outcome.code, OMEGA_SANDBOX_E_STEP);
	assert_string_equal(outcome.error.backend, "core");
	assert_int_equal(outcome.error.sys_errno, ENOENT);
	assert_string_equal(outcome.error.text,
	    text("the working directory %s cannot be entered: %s", dir,
		strerror(ENOENT)));
	omega_command_set_dir(&command, NULL);
	make_dir(dir);
	assert_int_equal(chdir(dir), 0);
	assert_int_equal(rmdir(dir), 0);
	run_command(launch, &command, &outcome);
	assert_int_equal(chdir(here), 0);
	assert_int_equal(outcome.code, OMEGA_SANDBOX_E_SYSTEM);
	assert_int_equal(outcome.error.sys_errno, ENOENT);
	omega_command_drop(&command);
	omega_launch_unref(launch);
}

/* ---- Environment ------------------------------------------------------- */

static void
test_environment_is_inherited_or_set_and_changed(void **state)
{
	const char *const own[] = {"A=1", "B=2", "B=3", "AB=4", NULL};
	const char *const none[] = {NULL};
	struct omega_launch *launch = make_launch(is_apart(state));
	struct omega_launch_builder builder;
	struct omega_command command;
	struct outcome outcome;

	setenv("OMEGA_TEST_INHERITED", "yes", 1);
	make_inspect(&command, "environment", (char *)NULL);
	run_command(launch, &command, &outcome);
	assert_non_null(strstr(outcome.out, "OMEGA_TEST_INHERITED=yes\n"));
	omega_command_set_env(&command, own);
	run_command(launch, &command, &outcome);
	assert_string_equal(outcome.out, "A=1\nB=2\nB=3\nAB=4\n");
	omega_command_set_env(&command, none);
	run_command(launch, &command, &outcome);
	assert_string_equal(outcome.out, "");

	omega_launch_builder_begin(&builder, launch, "mock", false);
	builder.public.set_env(&builder.public, "B", NULL);
	builder.public.set_env(&builder.public, "A", "changed");
	builder.public.set_env(&builder.public, "NEW", "");
	builder.public.set_env(&builder.public, "OMEGA_TEST_INHERITED", "no");
	omega_launch_builder_end(&builder);
	omega_command_set_env(&command, own);
	run_command(launch, &command, &outcome);
	assert_string_equal(
	    outcome.out, "AB=4\nA=changed\nNEW=\nOMEGA_TEST_INHERITED=no\n");
	omega_command_set_env(&command, NULL);
	run_command(launch, &command, &outcome);
	assert_non_null(strstr(outcome.out, "OMEGA_TEST_INHERITED=no\n"));
	assert_null(strstr(outcome.out, "OMEGA_TEST_INHERITED=yes\n"));
	assert_string_equal(getenv("OMEGA_TEST_INHERITED"), "yes");
	omega_command_drop(&command);
	omega_launch_unref(launch);
}

static int
start_without_environment(void *arg)
{
	struct omega_launch *launch = make_launch(is_apart(arg));
	struct omega_spawned spawned;
	struct omega_command command;
	int status;

	clearenv();
	need(omega_command_init(&command, "true", NULL) == 0);
	need(omega_spawn(launch, &command, &spawned, NULL) == 0);
	need(waitpid(spawned.pid, &status, 0) == spawned.pid);
	need(status == 0);
	close(spawned.pidfd);
	omega_command_drop(&command);
	omega_launch_unref(launch);
	return 0;
}

static void
test_no_environment_at_all_is_fine(void **state)
{
	assert_int_equal(in_child(start_without_environment, state), 0);
}

/* ---- Memory ------------------------------------------------------------ */

static int word_of_the_host;

static int
write_memory(const void *state)
{
	(void)state;
	word_of_the_host = 1;
	return 0;
}

static int
must_be_hidden(const void *state)
{
	(void)state;
	return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0 ? 0 : -EBADE;
}

static void
test_memory_is_lent_only_where_it_may_be(void **state)
{
	bool has_own = is_apart(state);
	struct omega_launch *launch = make_launch(is_apart(state));
	struct outcome outcome;

	word_of_the_host = 0;
	add_step(launch, 100, "write", write_memory, NULL, 0);
	run_inspect(launch, &outcome, "dumpable", (char *)NULL);
	assert_int_equal(outcome.code, 0);
	assert_string_equal(outcome.out, "1\n");
	if (!is_under_valgrind())
		assert_int_equal(word_of_the_host, has_own ? 0 : 1);
	if (has_own) { /* nor may anybody look at the copy */
		add_step(launch, 100, "hidden", must_be_hidden, NULL, 0);
		run_inspect(launch, &outcome, "dumpable", (char *)NULL);
		assert_int_equal(outcome.code, 0);
		assert_string_equal(outcome.out, "1\n");
	}
	assert_int_equal(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0), 1);
	omega_launch_unref(launch);
}

/* Somebody of the same user who looks for the next child: see fact 9 of the
 * design, "a spawn that shares the host's memory can be attacked". */
struct meeting {
	int pid; /* where the child says who it is */
	int go; /* where it is told to go on */
};

static int
meet(const void *state)
{
	const struct meeting *meeting = state;
	pid_t pid = getpid();
	char byte;

	if (write(meeting->pid, &pid, sizeof(pid)) != sizeof(pid))
		return -errno;
	return read(meeting->go, &byte, 1) == 1 ? 0 : -EIO;
}

/* 0: its memory could not be opened. */
static int
attack(int pid_end, int go_end)
{
	pid_t pid;
	int opened;

	if (read(pid_end, &pid, sizeof(pid)) != sizeof(pid))
		return 2;
	opened = open(text("/proc/%d/mem", (int)pid), O_RDONLY | O_CLOEXEC);
	if (write(go_end, "g", 1) != 1)
		return 3;
	return opened < 0 && errno == EACCES ? 0 : 1;
}

static int
start_and_meet(void *arg)
{
	struct omega_launch *launch = make_launch(true);
	struct omega_spawned spawned;
	struct omega_command command;
	struct meeting meeting;
	int pids[2];
	int goes[2];
	int status;
	pid_t attacker;

	(void)arg;
	need(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) == 0); /* it gave up root */
	need(pipe2(pids, O_CLOEXEC) == 0);
	need(pipe2(goes, O_CLOEXEC) == 0);
	attacker = fork();
	if (attacker == 0)
		_exit(attack(pids[0], goes[1]));
	meeting.pid = keep_fd(launch, pids[1]);
	meeting.go = keep_fd(launch, goes[0]);
	add_step(launch, 150, "meet", meet, &meeting, sizeof(meeting));
	need(omega_command_init(&command, "/bin/true", NULL) == 0);
	need(omega_spawn(launch, &command, &spawned, NULL) == 0);
	need(waitpid(spawned.pid, &status, 0) == spawned.pid);
	need(status == 0);
	need(waitpid(attacker, &status, 0) == attacker);
	need(status == 0);
	omega_command_drop(&command);
	omega_launch_unref(launch);
	return 0;
}

static void
test_copied_memory_cannot_be_opened(void **state)
{
	(void)state;
	if (is_under_valgrind())
		skip_because("valgrind counts what these children leave");
	assert_int_equal(in_user_child(start_and_meet, NULL), 0);
}

/* ---- Limits ------------------------------------------------------------ */

/* With room for n more descriptors, and more and more: every failure is
 * clean, and in the end it works. */
static void
test_exhausted_descriptors_are_a_clean_error(void **state)
{
	struct omega_launch *launch;
	struct omega_command command;
	struct outcome outcome;
	struct rlimit old;
	struct rlimit limit;
	int last = count_descriptors();
	int failed = 0;
	int before;
	rlim_t room;

	if (is_under_valgrind())
		skip_because("valgrind needs descriptors of its own");
	launch = make_launch(is_apart(state));
	make_inspect(&command, "exit", "4", (char *)NULL);
	omega_command_set_stdio(&command, 0, OMEGA_SANDBOX_STDIO_NULL, -1);
	omega_command_set_stdio(&command, 2, OMEGA_SANDBOX_STDIO_PIPE, -1);
	before = count_descriptors();
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	last = open("/dev/null", O_RDONLY | O_CLOEXEC);
	close(last);
	outcome.code = -1;
	for (room = 0; outcome.code != 0; room++) {
		assert_true(room < 64);
		limit = old;
		limit.rlim_cur = (rlim_t)last + room;
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
		run_command(launch, &command, &outcome);
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
		assert_int_equal(count_descriptors(), before);
		assert_no_children();
		if (outcome.code != 0) {
			failed++;
			assert_int_equal(outcome.code, OMEGA_SANDBOX_E_SYSTEM);
			assert_true(outcome.error.sys_errno == EMFILE);
		}
	}
	assert_int_equal(outcome.end.status, 4);
	assert_true(failed >= 5);
	omega_command_drop(&command);
	omega_launch_unref(launch);
}

static int
start_without_processes(void *arg)
{
	struct rlimit limit = {0, 0};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_launch *launch = make_launch(*(bool *)arg);
	struct omega_spawned spawned;
	struct omega_command command;
	int before;
	int ret;

	if (omega_command_init(&command, "/bin/true", NULL) != 0)
		return 1;
	if (setrlimit(RLIMIT_NPROC, &limit) != 0)
		return 2;
	before = count_descriptors();
	ret = omega_spawn(launch, &command, &spawned, &error);
	if (ret != OMEGA_SANDBOX_E_SYSTEM || error.sys_errno != EAGAIN)
		return 3;
	if (count_descriptors() != before)
		return 4;
	if (waitpid(-1, NULL, WNOHANG) != -1 || errno != ECHILD)
		return 5;
	omega_command_drop(&command);
	omega_launch_unref(launch);
	return 0;
}

static void
test_exhausted_processes_are_a_clean_error(void **state)
{
	assert_int_equal(in_user_child(start_without_processes, *state), 0);
}

const struct CMUnitTest spawn_world_tests[] = {
    both(test_signals_are_at_their_defaults),
    both(test_handlers_never_run_in_the_child),
    both(test_errno_mask_and_cancellation_are_left_alone),
    both(test_directory_is_looked_up_by_name),
    both(test_missing_directory_is_a_step_of_the_core),
    both(test_environment_is_inherited_or_set_and_changed),
    both(test_no_environment_at_all_is_fine),
    both(test_memory_is_lent_only_where_it_may_be),
    cmocka_unit_test(test_copied_memory_cannot_be_opened),
    both(test_exhausted_descriptors_are_a_clean_error),
    both(test_exhausted_processes_are_a_clean_error),
    {NULL, NULL, NULL, NULL, NULL},
};
