/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-path-proc.c - protected paths under the names /proc and /dev give to
 * them: root, cwd and fd of this and of other processes.
 */

#include "scene.h"

#include <sys/wait.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

static struct home home;

static int
setup(void **state)
{
	(void)state;
	home_make(&home);
	return 0;
}

/* Below /proc and /dev writing is blocked by name, so reading tells. */
static void
expect_read(const char *path, bool blocked)
{
	expect_verdict(path, home.dir, NULL, blocked, true);
}

static void
test_proc_root_is_seen_through(void **state)
{
	static const char *const roots[] = {"/proc/self/root",
	    "/proc/thread-self/root", "/proc/self/task/../root",
	    "/proc/self/root/proc/self/root", "/proc/1/../self/root",
	    "/proc/self/root/.."};
	const char *up = "/proc/self/cwd/../../../../../../..";
	size_t i;

	(void)state;
	assert_int_equal(chdir(home.dir), 0);
	for (i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		expect_read(text("%s%s/data/x", roots[i], home.dir), true);
		expect_read(text("%s%s/config.toml", roots[i], home.dir), true);
		expect_read(text("%s%s/free/x", roots[i], home.root), false);
	}
	/* As spelled and as resolved outside /proc. */
	expect_blocked(text("%s%s/data/x", up, home.dir), home.dir);
	expect_free(text("%s%s/free/x", up, home.root), home.dir);
	expect_read(text("/proc/%d/root%s/data", getpid(), home.dir), true);
	expect_read(
	    text("/proc/%d/task/%d/root%s/data", getpid(), getpid(), home.dir),
	    true);
	expect_read(text("/proc/%d/root%s/free", getpid(), home.root), false);
	assert_int_equal(chdir("/"), 0);
}

static void
test_proc_cwd_is_seen_through(void **state)
{
	(void)state;
	assert_int_equal(chdir(in_dir(&home, "data/deep")), 0);
	expect_read("/proc/self/cwd", true);
	expect_read("/proc/self/cwd/er/file", true);
	expect_read("/proc/self/cwd/new", true);
	expect_read("/proc/self/cwd/..", true);
	expect_read("/proc/self/cwd/../../config.toml", true);
	expect_read("/proc/thread-self/cwd/x", true);
	expect_read(text("/proc/%d/cwd/x", getpid()), true);
	expect_read("/proc/self/cwd/../../skills/x", false);
	expect_read("/proc/self/cwd/../..", false);
	assert_int_equal(chdir(in_root(&home, "free")), 0);
	expect_read("/proc/self/cwd/plain", false);
	expect_read("/proc/self/cwd/new", false);
	assert_int_equal(chdir("/"), 0);
}

static void
test_proc_and_dev_fd_are_seen_through(void **state)
{
	static const char *const ways[] = {
	    "/proc/self/fd", "/dev/fd", "/proc/thread-self/fd"};
	int data = open(in_dir(&home, "data"), O_RDONLY | O_CLOEXEC);
	int file = open(in_dir(&home, "data/memory.db"), O_RDONLY | O_CLOEXEC);
	int path = open(in_dir(&home, "config.toml"), O_PATH | O_CLOEXEC);
	int dir = open(in_root(&home, "free"), O_RDONLY | O_CLOEXEC);
	int plain = open(in_root(&home, "free/plain"), O_RDWR | O_CLOEXEC);
	size_t i;

	(void)state;
	assert_true(data >= 0 && file >= 0 && path >= 0 && dir >= 0);
	assert_true(plain >= 0);
	for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		expect_read(text("%s/%d", ways[i], data), true);
		expect_read(text("%s/%d/new", ways[i], data), true);
		expect_read(text("%s/%d/../config.toml", ways[i], data), true);
		expect_read(text("%s/%d", ways[i], file), true);
		expect_read(text("%s/%d", ways[i], path), true);
		expect_read(text("%s/%d", ways[i], dir), false);
		expect_read(text("%s/%d/new", ways[i], dir), false);
		expect_read(text("%s/%d", ways[i], plain), false);
		expect_read(text("%s/%d/../skills", ways[i], data), false);
	}
	expect_read(text("/proc/%d/fd/%d", getpid(), file), true);
	expect_read(text("/proc/%d/fd/%d", getpid(), plain), false);
	/* By a link outside /proc, where writing is not blocked by name. */
	make_link(text("/proc/self/fd/%d", file), in_root(&home, "by-fd"));
	expect_blocked(in_root(&home, "by-fd"), home.dir);
	make_link(text("/proc/self/fd/%d", plain), in_root(&home, "by-free"));
	expect_free(in_root(&home, "by-free"), home.dir);
	close(data);
	close(file);
	close(path);
	close(dir);
	close(plain);
}

static void
test_standard_streams_are_seen_through(void **state)
{
	int saved = dup(STDIN_FILENO);
	int file = open(in_dir(&home, "data/memory.db"), O_RDONLY | O_CLOEXEC);
	int plain = open(in_root(&home, "free/plain"), O_RDONLY | O_CLOEXEC);

	(void)state;
	assert_true(file >= 0 && plain >= 0);
	dup2(file, STDIN_FILENO);
	expect_read("/dev/stdin", true);
	dup2(plain, STDIN_FILENO);
	expect_read("/dev/stdin", false);
	if (saved >= 0) {
		dup2(saved, STDIN_FILENO);
		close(saved);
	}
	close(file);
	close(plain);
}

static void
test_what_has_no_name_is_blocked(void **state)
{
	int pipes[2];
	int gone;

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	expect_read(text("/proc/self/fd/%d", pipes[0]), true);
	close(pipes[0]);
	close(pipes[1]);
	make_file(in_root(&home, "free/gone"), HARMLESS);
	gone = open(in_root(&home, "free/gone"), O_RDONLY | O_CLOEXEC);
	assert_true(gone >= 0);
	expect_read(text("/proc/self/fd/%d", gone), false);
	assert_int_equal(unlink(in_root(&home, "free/gone")), 0);
	expect_read(text("/proc/self/fd/%d", gone), true);
	/* Somebody else under the name the kernel gives the deleted file. */
	make_file(in_root(&home, "free/gone (deleted)"), HARMLESS);
	expect_read(text("/proc/self/fd/%d", gone), true);
	expect_free(in_root(&home, "free/gone (deleted)"), home.dir);
	close(gone);
}

static int
wait_in_data(void *arg)
{
	int *ready = arg;

	if (chdir(in_dir(&home, "data")) != 0 || write(ready[1], "x", 1) != 1)
		_exit(1);
	pause();
	return 0;
}

static void
test_another_process_is_seen_through(void **state)
{
	int ready[2];
	char byte;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		_exit(wait_in_data(ready));
	assert_int_equal(read(ready[0], &byte, 1), 1);
	expect_read(text("/proc/%d/cwd/memory.db", pid), true);
	expect_read(text("/proc/%d/cwd/new", pid), true);
	expect_read(text("/proc/%d/cwd/../skills/x", pid), false);
	expect_read(text("/proc/%d/root%s/data/x", pid, home.dir), true);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	expect_read(text("/proc/%d/cwd/../skills/x", pid), true);
	close(ready[0]);
	close(ready[1]);
}

#define fresh(test) cmocka_unit_test_setup(test, setup)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    fresh(test_proc_root_is_seen_through),
	    fresh(test_proc_cwd_is_seen_through),
	    fresh(test_proc_and_dev_fd_are_seen_through),
	    fresh(test_standard_streams_are_seen_through),
	    fresh(test_what_has_no_name_is_blocked),
	    fresh(test_another_process_is_seen_through),
	};

	return run_all(tests);
}
