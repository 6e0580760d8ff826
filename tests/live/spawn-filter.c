/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * spawn-filter.c - hosts where a filter or a missing /proc takes the usual
 * way away.
 */

#include "place.h"

#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

/* A start as usual; the program must see its three descriptors only. */
static int
start_and_count(const struct place *place)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_child *child = omega_child_new();
	struct omega_launch *launch = make_launch(place->has_own_memory);
	struct omega_command command;
	struct omega_spawned spawned;
	int fd = open("/dev/null", O_RDONLY);

	need(fcntl(fd, F_DUPFD, 900) == 900);
	make_place_command(&command, place, "descriptors");
	need(omega_command_pass_fd(&command, fd, 901) == 0);
	if (omega_spawn(launch, &command, &spawned, &error) != 0) {
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	omega_child_adopt(child, &spawned, true);
	need(omega_child_wait(child, -1, &end, &error) == 1);
	need(end.status == 0);
	omega_child_free(child);
	return 0;
}

static void
assert_four_descriptors(const char *said)
{
	int count = 0;

	assert_non_null(strstr(said, " 901:"));
	for (; *said != '\0'; said++)
		count += *said == ':';
	assert_int_equal(count, 4);
}

static int
start_without_close_range(void *arg)
{
	need(deny_call(SYS_close_range, ENOSYS));
	return start_and_count(arg);
}

static void
test_descriptors_are_closed_without_close_range(void **state)
{
	struct place place;

	assert_int_equal(
	    run_place(&place, state, start_without_close_range), 0);
	assert_four_descriptors(place.said);
}

static int
start_without_clone3(void *arg)
{
	need(deny_call(SYS_clone3, ENOSYS));
	return start_and_count(arg);
}

static void
test_start_without_clone3(void **state)
{
	struct place place;

	assert_int_equal(run_place(&place, state, start_without_clone3), 0);
	assert_four_descriptors(place.said);
}

static int
hide_proc(void *arg)
{
	need(mount("none", "/proc", "tmpfs", 0, NULL) == 0);
	need(deny_call(SYS_close_range, EPERM));
	return start_and_count(arg);
}

static int
start_without_proc(void *arg)
{
	return in_mount_child(hide_proc, arg);
}

static void
test_descriptors_are_closed_without_proc(void **state)
{
	struct place place;
	int ret = run_place(&place, state, start_without_proc);

	if (ret == CANNOT_MOUNT)
		skip_because("this host allows no mount namespace");
	assert_int_equal(ret, 0);
	assert_four_descriptors(place.said);
}

/* Expect a start under a filter to fail with this and leave nothing. */
static int
start_denied(const struct place *place, int code, int sys_errno)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_launch *launch = make_launch(place->has_own_memory);
	struct omega_command command;
	struct omega_spawned spawned;
	int before;

	make_place_command(&command, place, "descriptors");
	before = count_descriptors();
	need(omega_spawn(launch, &command, &spawned, &error) == code);
	need(error.sys_errno == sys_errno);
	need(count_descriptors() == before);
	need(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
	return 0;
}

static int
start_without_clone(void *arg)
{
	need(deny_call(SYS_clone3, EPERM));
	need(deny_call(SYS_clone, EPERM));
	return start_denied(arg, OMEGA_SANDBOX_E_SYSTEM, EPERM);
}

static int
start_without_dup(void *arg)
{
	need(deny_call(SYS_dup3, EPERM));
	return start_denied(arg, OMEGA_SANDBOX_E_SYSTEM, EPERM);
}

static int
start_without_statx(void *arg)
{
	need(deny_call(SYS_statx, ENOSYS));
	return start_denied(arg, OMEGA_SANDBOX_E_SYSTEM, ENOSYS);
}

static int
start_without_waitid(void *arg)
{
	need(deny_call(SYS_waitid, EINVAL)); /* a kernel before 5.4 */
	need(deny_call(SYS_clone3, ENOSYS));
	return start_denied(arg, OMEGA_SANDBOX_E_SYSTEM, ENOSYS);
}

static int
start_without_chdir(void *arg)
{
	need(deny_call(SYS_chdir, EPERM));
	return start_denied(arg, OMEGA_SANDBOX_E_STEP, EPERM);
}

static int
start_without_execve(void *arg)
{
	need(deny_call(SYS_execve, EPERM));
	return start_denied(arg, OMEGA_SANDBOX_E_NOT_EXECUTABLE, EPERM);
}

static void
test_what_a_filter_forbids_is_a_clean_error(void **state)
{
	static int (*const starts[])(void *) = {start_without_clone,
	    start_without_dup, start_without_statx, start_without_waitid,
	    start_without_chdir, start_without_execve};
	struct place place;
	size_t i;

	for (i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		assert_int_equal(run_place(&place, state, starts[i]), 0);
		assert_string_equal(place.said, "");
	}
}

/* A filter step that forbids the child to report must not let it start. One
 * that shares our memory needs no system call for it. */
static int
forbid_writing(const void *state)
{
	(void)state;
	return deny_call(SYS_write, EPERM) ? 0 : -EINVAL;
}

static int
start_speechless(void *arg)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct place *place = arg;
	struct omega_launch *launch = make_launch(place->has_own_memory);
	struct omega_command command;
	struct omega_spawned spawned;

	add_step(launch, 700, "filter", forbid_writing, NULL, 0);
	make_place_command(&command, place, "descriptors");
	if (!place->has_own_memory) {
		need(omega_spawn(launch, &command, &spawned, &error) == 0);
		return 0;
	}
	need(omega_spawn(launch, &command, &spawned, &error) ==
	     OMEGA_SANDBOX_E_STEP);
	need(strstr(error.text, "status 127") != NULL);
	return 0;
}

static void
test_child_that_cannot_report_is_not_started(void **state)
{
	struct place place;

	assert_int_equal(run_place(&place, state, start_speechless), 0);
	assert_string_equal(place.said, "");
}

const struct CMUnitTest spawn_filter_tests[] = {
    both(test_descriptors_are_closed_without_close_range),
    both(test_start_without_clone3),
    both(test_descriptors_are_closed_without_proc),
    both(test_what_a_filter_forbids_is_a_clean_error),
    both(test_child_that_cannot_report_is_not_started),
    {NULL, NULL, NULL, NULL, NULL},
};
