/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * spawn-wait.c - how a child ended, and who else wants to know.
 */

#include "spawn-tests.h"

#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "child/end.h"

static void
test_ignored_sigchld_does_not_lose_the_end(void **state)
{
	struct omega_launch *launch = make_launch(is_apart(state));
	static const int answer = -EPERM;
	struct outcome outcome;
	int i;

	signal(SIGCHLD, SIG_IGN);
	for (i = 0; i < 20; i++) {
		run_inspect(
		    launch, &outcome, "exit", text("%d", i + 1), (char *)NULL);
		assert_int_equal(outcome.code, 0);
		assert_int_equal(outcome.end.status, i + 1);
	}
	run_inspect(launch, &outcome, "raise", "9", (char *)NULL);
	assert_int_equal(outcome.end.signal, 9);
	add_step(launch, 400, "fall", fail_with, &answer, sizeof(answer));
	run_inspect(launch, &outcome, "exit", "1", (char *)NULL);
	assert_int_equal(outcome.code, OMEGA_SANDBOX_E_STEP);
	assert_int_equal(outcome.error.sys_errno, EPERM);
	signal(SIGCHLD, SIG_DFL);
	omega_launch_unref(launch);
}

static volatile bool is_waiting;

static void *
wait_for_all(void *arg)
{
	while (is_waiting)
		waitpid(-1, NULL, WNOHANG);
	return arg;
}

static void
test_other_waiters_do_not_lose_the_end(void **state)
{
	struct omega_launch *launch = make_launch(is_apart(state));
	int rounds = rounds_of(200);
	struct outcome outcome;
	pthread_t thread;
	int i;

	is_waiting = true;
	assert_int_equal(pthread_create(&thread, NULL, wait_for_all, NULL), 0);
	for (i = 0; i < rounds; i++) {
		run_inspect(launch, &outcome, "exit", text("%d", i % 100),
		    (char *)NULL);
		assert_int_equal(outcome.code, 0);
		assert_int_equal(outcome.end.status, i % 100);
	}
	is_waiting = false;
	pthread_join(thread, NULL);
	omega_launch_unref(launch);
}

/* A process that another thread forks at the wrong moment has our pipe. */
static volatile bool is_forking;

static void *
fork_often(void *arg)
{
	pid_t pids[400];
	size_t count = 0;
	size_t i;

	while (is_forking && count < 400) {
		pids[count] = fork();
		if (pids[count] == 0) {
			pause();
			_exit(0);
		}
		if (pids[count] > 0)
			count++;
		usleep(500);
	}
	while (is_forking)
		usleep(1000);
	for (i = 0; i < count; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	return arg;
}

static void
test_stray_forks_do_not_hold_us_up(void **state)
{
	struct omega_launch *launch;
	struct omega_command command;
	struct outcome outcome;
	pthread_t thread;
	int i;

	if (is_under_valgrind())
		skip_because("valgrind forks where we share memory");
	launch = make_launch(is_apart(state));
	make_inspect(&command, "exit", "6", (char *)NULL);
	omega_command_set_stdio(&command, 1, OMEGA_SANDBOX_STDIO_NULL, -1);
	is_forking = true;
	assert_int_equal(pthread_create(&thread, NULL, fork_often, NULL), 0);
	for (i = 0; i < 300; i++) {
		run_command(launch, &command, &outcome);
		assert_int_equal(outcome.code, 0);
		assert_int_equal(outcome.end.status, 6);
	}
	is_forking = false;
	pthread_join(thread, NULL);
	omega_command_drop(&command);
	omega_launch_unref(launch);
}

/* The first child of the thread with that list, 0 or -1. */
static pid_t
find_child(const char *children)
{
	char list[64] = "";
	int fd = open(children, O_RDONLY | O_CLOEXEC);
	ssize_t len;

	if (fd < 0)
		return -1;
	len = read(fd, list, sizeof(list) - 1);
	close(fd);
	return len > 0 ? (pid_t)atoi(list) : 0;
}

static volatile bool is_killing;

/* Kill whatever is our child, at whatever it is doing. */
static void *
kill_children(void *children)
{
	pid_t pid;
	int fd;

	while (is_killing) {
		pid = find_child(children);
		if (pid <= 0)
			continue;
		fd = (int)syscall(SYS_pidfd_open, pid, 0);
		/* Still ours, so the number was not given away meanwhile. */
		if (fd >= 0 && find_child(children) == pid)
			syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0);
		if (fd >= 0)
			close(fd);
		usleep((useconds_t)(rand() % 300));
	}
	return NULL;
}

static int
take_a_while(const void *state)
{
	struct timespec time = {0, 50000};

	(void)state;
	nanosleep(&time, NULL);
	return 0;
}

static void
test_children_killed_at_any_moment_are_told_apart(void **state)
{
	struct omega_launch *launch;
	char *children = text("/proc/self/task/%d/children", (int)getpid());
	int rounds = rounds_of(400);
	int started = 0;
	int stopped = 0;
	struct outcome outcome;
	pthread_t thread;
	int before;

	if (is_under_valgrind())
		skip_because("valgrind has children of another kind");
	if (access(children, R_OK) != 0)
		skip_because("this kernel does not list children");
	launch = make_launch(is_apart(state));
	children = strdup(children);
	add_step(launch, 100, "while", take_a_while, NULL, 0);
	add_step(launch, 700, "while", take_a_while, NULL, 0);
	before = count_descriptors();
	is_killing = true;
	assert_int_equal(
	    pthread_create(&thread, NULL, kill_children, children), 0);
	while (rounds-- > 0) {
		run_inspect(launch, &outcome, "exit", "9", (char *)NULL);
		if (outcome.code == 0) {
			started++;
			assert_true(outcome.end.signal == SIGKILL ||
				    outcome.end.status == 9);
		} else {
			stopped++;
			assert_int_equal(outcome.code, OMEGA_SANDBOX_E_STEP);
			assert_non_null(strstr(outcome.error.text, "signal 9"));
		}
	}
	is_killing = false;
	pthread_join(thread, NULL);
	assert_int_equal(count_descriptors(), before);
	assert_no_children();
	assert_true(started + stopped > 0);
	omega_launch_unref(launch);
	free(children);
}

/* ---- The child object ---------------------------------------------------- */

/* A child that waits until it is killed. */
static struct omega_sandbox_child *
start_pausing(bool has_own_memory)
{
	struct omega_launch *launch = make_launch(has_own_memory);
	struct omega_sandbox_child *child = omega_child_new();
	struct omega_command command;
	struct omega_spawned spawned;

	assert_non_null(child);
	make_inspect(&command, "say", "ready", "pause", (char *)NULL);
	assert_int_equal(omega_spawn(launch, &command, &spawned, NULL), 0);
	omega_child_adopt(child, &spawned, true);
	omega_command_drop(&command);
	omega_launch_unref(launch);
	if (omega_child_signal(child, 0) != 0) {
		kill(omega_child_pid(child), SIGKILL);
		assert_int_equal(omega_child_wait(child, -1, NULL, NULL), 1);
		omega_child_free(child);
		skip_because("no signals through descriptors (valgrind)");
	}
	return child;
}

static double
now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void
test_waiting_ends_with_the_time_or_the_child(void **state)
{
	struct omega_sandbox_child *child = start_pausing(is_apart(state));
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct pollfd set = {.fd = omega_child_fd(child), .events = POLLIN};
	double begin;
	int i;

	assert_int_equal(omega_child_wait(child, 0, &end, &error), 0);
	assert_int_equal(poll(&set, 1, 0), 0);
	begin = now();
	assert_int_equal(omega_child_wait(child, 60, &end, &error), 0);
	assert_true(now() - begin >= 0.059);
	assert_int_equal(omega_child_wait(child, -2, &end, &error),
	    OMEGA_SANDBOX_E_ARGUMENT);
	assert_int_equal(omega_child_signal(child, 0), 0);
	assert_int_equal(omega_child_signal(child, SIGTERM), 0);
	assert_int_equal(poll(&set, 1, PATIENCE_MS), 1);
	/* As often as one likes. */
	for (i = 0; i < 3; i++) {
		end.signal = 0;
		assert_int_equal(
		    omega_child_wait(child, i - 1, &end, &error), 1);
		assert_int_equal(end.signal, SIGTERM);
		assert_int_equal(end.status, -1);
	}
	assert_int_equal(
	    omega_child_signal(child, SIGTERM), OMEGA_SANDBOX_E_SYSTEM);
	assert_int_equal(errno, ESRCH);
	assert_int_equal(
	    omega_child_signal(child, -1), OMEGA_SANDBOX_E_ARGUMENT);
	assert_int_equal(
	    omega_child_signal(child, 1000), OMEGA_SANDBOX_E_ARGUMENT);
	omega_child_free(child);
	assert_no_children();
}

/* It makes its parent its tracer, who is then told of every stop. */
static void
test_stop_of_a_traced_child_is_no_end(void **state)
{
	struct omega_launch *launch = make_launch(is_apart(state));
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_child *child = omega_child_new();
	struct omega_command command;
	struct omega_spawned spawned;
	char said[8] = "";
	int out;

	if (is_under_valgrind())
		skip_because("valgrind does not trace");
	make_inspect(
	    &command, "traced", "raise", "10", "say", "went on", (char *)NULL);
	assert_int_equal(omega_spawn(launch, &command, &spawned, NULL), 0);
	omega_child_adopt(child, &spawned, true);
	out = omega_child_take_stdio(child, 1);
	assert_int_equal(read(out, said, sizeof(said) - 1), 4);
	assert_string_equal(said, "yes\n");
	assert_int_equal(omega_child_wait(child, 200, &end, &error), 0);
	assert_int_equal(omega_child_wait(child, 0, &end, &error), 0);
	assert_int_equal(omega_child_signal(child, SIGKILL), 0);
	assert_int_equal(omega_child_wait(child, 10000, &end, &error), 1);
	assert_int_equal(end.signal, SIGKILL);
	close(out);
	omega_child_free(child);
	omega_command_drop(&command);
	omega_launch_unref(launch);
	assert_no_children();
}

/* Whoever passes signals on and waits for stops does not hold it up. */
static void
go_on(bool apart, const char *number, int stop, int last)
{
	struct omega_launch *launch = make_launch(apart);
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_child *child = omega_child_new();
	struct omega_command command;
	struct omega_spawned spawned;

	make_inspect(&command, "traced", "raise", number, (char *)NULL);
	assert_int_equal(omega_spawn(launch, &command, &spawned, NULL), 0);
	assert_int_equal(omega_end_wait_stop(spawned.pidfd, spawned.pid), stop);
	omega_child_adopt(child, &spawned, true);
	if (stop != 0)
		assert_int_equal(omega_child_signal(child, SIGKILL), 0);
	assert_int_equal(omega_child_wait(child, 10000, &end, NULL), 1);
	assert_int_equal(end.signal, last);
	omega_child_free(child);
	omega_command_drop(&command);
	omega_launch_unref(launch);
	assert_no_children();
}

static void
test_traced_child_is_let_go(void **state)
{
	if (is_under_valgrind())
		skip_because("valgrind does not trace");
	go_on(is_apart(state), text("%d", SIGTERM), 0, SIGTERM);
	go_on(is_apart(state), text("%d", SIGSTOP), SIGSTOP, SIGKILL);
	/* As after exec. */
	go_on(is_apart(state), text("%d", SIGTRAP), 0, 0);
}

static void
test_end_is_given_as_far_as_there_is_room(void **state)
{
	struct omega_sandbox_child *child = start_pausing(is_apart(state));
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;

	omega_child_signal(child, SIGKILL);
	end.size = offsetof(struct omega_sandbox_outcome, signal);
	end.signal = 77;
	assert_int_equal(omega_child_wait(child, -1, &end, NULL), 1);
	assert_int_equal(end.status, -1);
	assert_int_equal(end.signal, 77);
	assert_int_equal(
	    end.size, offsetof(struct omega_sandbox_outcome, signal));
	end.size = 0;
	end.status = 5;
	assert_int_equal(omega_child_wait(child, 0, &end, NULL), 1);
	assert_int_equal(end.status, 5);
	assert_int_equal(omega_child_wait(child, 0, NULL, NULL), 1);
	omega_child_free(child);
}

static void
test_empty_child_object_is_harmless(void **state)
{
	struct omega_sandbox_child *child = omega_child_new();

	(void)state;
	assert_int_equal(omega_child_fd(child), -1);
	assert_int_equal(omega_child_take_stdio(child, 0), -1);
	assert_int_equal(
	    omega_child_wait(child, -1, NULL, NULL), OMEGA_SANDBOX_E_STATE);
	assert_int_equal(
	    omega_child_signal(child, SIGKILL), OMEGA_SANDBOX_E_ARGUMENT);
	omega_child_free(child);
	omega_child_free(NULL);
}

static void *
wait_in_thread(void *arg)
{
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;

	if (omega_child_wait(arg, -1, &end, NULL) != 1)
		return (void *)1;
	return end.signal == SIGKILL ? NULL : (void *)1;
}

static void
test_several_threads_wait_while_one_cancels(void **state)
{
	struct omega_sandbox_child *child = start_pausing(is_apart(state));
	pthread_t threads[4];
	void *result;
	size_t i;

	for (i = 0; i < 4; i++)
		assert_int_equal(
		    pthread_create(&threads[i], NULL, wait_in_thread, child),
		    0);
	usleep(20000);
	assert_int_equal(omega_child_signal(child, SIGKILL), 0);
	for (i = 0; i < 4; i++) {
		pthread_join(threads[i], &result);
		assert_null(result);
	}
	omega_child_free(child);
	assert_no_children();
}

static void
test_waiting_thread_can_be_cancelled(void **state)
{
	struct omega_sandbox_child *child;
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	pthread_t thread;
	void *result;

	if (is_sanitized())
		skip_because("sanitizers do not see a cancelled stack unwind");
	child = start_pausing(is_apart(state));
	assert_int_equal(
	    pthread_create(&thread, NULL, wait_in_thread, child), 0);
	usleep(20000);
	assert_int_equal(pthread_cancel(thread), 0);
	pthread_join(thread, &result);
	assert_true(result == PTHREAD_CANCELED);
	omega_child_signal(child, SIGKILL);
	assert_int_equal(omega_child_wait(child, -1, &end, NULL), 1);
	omega_child_free(child);
}

static void
interrupt(int number)
{
	(void)number;
}

static void
test_signals_do_not_shorten_the_wait(void **state)
{
	struct omega_sandbox_child *child = start_pausing(is_apart(state));
	struct sigaction action = {.sa_handler = interrupt};
	struct itimerval often = {{0, 3000}, {0, 3000}};
	struct itimerval never = {{0, 0}, {0, 0}};
	double begin = now();

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	assert_int_equal(omega_child_wait(child, 100, NULL, NULL), 0);
	setitimer(ITIMER_REAL, &never, NULL);
	signal(SIGALRM, SIG_DFL);
	assert_true(now() - begin >= 0.099);
	omega_child_signal(child, SIGKILL);
	assert_int_equal(omega_child_wait(child, -1, NULL, NULL), 1);
	omega_child_free(child);
}

static void
test_freeing_collects_what_has_ended_only(void **state)
{
	struct omega_sandbox_child *child = start_pausing(is_apart(state));
	struct pollfd set = {.fd = omega_child_fd(child), .events = POLLIN};
	pid_t pid;

	omega_child_signal(child, SIGKILL);
	assert_int_equal(poll(&set, 1, PATIENCE_MS), 1);
	omega_child_free(child);
	assert_no_children();
	child = start_pausing(is_apart(state));
	pid = omega_child_pid(child);
	omega_child_free(child);
	assert_int_equal(kill(pid, 0), 0);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* Another process than the one that started it may ask, too. */
static int
ask_from_fork(void *arg)
{
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;

	need(omega_child_wait(arg, 10, &end, NULL) == 0);
	need(omega_child_signal(arg, SIGKILL) == 0);
	need(omega_child_wait(arg, 300, &end, NULL) != 1);
	return 0;
}

static void
test_forked_host_is_told_no_lies(void **state)
{
	struct omega_sandbox_child *child = start_pausing(is_apart(state));
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;

	assert_int_equal(in_child(ask_from_fork, child), 0);
	assert_int_equal(omega_child_wait(child, -1, &end, NULL), 1);
	assert_int_equal(end.signal, SIGKILL);
	omega_child_free(child);
}

/* A kernel before 6.15 cannot be asked through the descriptor. */
static int
lose_an_end(void *arg)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_child *child = arg;
	int i;

	need(deny_call(SYS_ioctl, ENOTTY));
	need(omega_child_signal(child, SIGKILL) == 0);
	for (i = 0; i < 2; i++) {
		need(omega_child_wait(child, -1, NULL, &error) ==
		     OMEGA_SANDBOX_E_STATUS_LOST);
		need(error.sys_errno == ECHILD);
	}
	return 0;
}

static int
start_and_lose(void *arg)
{
	struct omega_launch *launch = make_launch(is_apart(arg));
	struct omega_sandbox_child *child = omega_child_new();
	struct omega_command command;
	struct omega_spawned spawned;

	signal(SIGCHLD, SIG_IGN);
	need(omega_command_init(&command, "/bin/sleep", NULL) == 0);
	need(omega_command_add_arg(&command, "100") == 0);
	need(omega_spawn(launch, &command, &spawned, NULL) == 0);
	omega_child_adopt(child, &spawned, true);
	need(lose_an_end(child) == 0);
	omega_child_free(child);
	omega_command_drop(&command);
	omega_launch_unref(launch);
	return 0;
}

static void
test_lost_end_is_said_to_be_lost(void **state)
{
	if (is_under_valgrind())
		skip_because("no signals through descriptors");
	assert_int_equal(in_child(start_and_lose, state), 0);
}

const struct CMUnitTest spawn_wait_tests[] = {
    both(test_ignored_sigchld_does_not_lose_the_end),
    both(test_other_waiters_do_not_lose_the_end),
    both(test_stray_forks_do_not_hold_us_up),
    both(test_children_killed_at_any_moment_are_told_apart),
    both(test_waiting_ends_with_the_time_or_the_child),
    both(test_stop_of_a_traced_child_is_no_end),
    both(test_traced_child_is_let_go),
    both(test_end_is_given_as_far_as_there_is_room),
    both(test_empty_child_object_is_harmless),
    both(test_several_threads_wait_while_one_cancels),
    both(test_waiting_thread_can_be_cancelled),
    both(test_signals_do_not_shorten_the_wait),
    both(test_freeing_collects_what_has_ended_only),
    both(test_forked_host_is_told_no_lies),
    both(test_lost_end_is_said_to_be_lost),
    {NULL, NULL, NULL, NULL, NULL},
};
