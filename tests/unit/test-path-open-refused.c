/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-path-open-refused.c - omega_sandbox_open_checked refuses what is
 * protected, and leaves nothing behind where it refuses.
 */

#include "guarded-open.h"

#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <omega/sandbox.h>

static void
test_every_protected_case_of_the_scene_is_refused(void **state)
{
	struct omega_sandbox_guard *own = NULL;
	struct scene scene;
	size_t i;

	(void)state;
	scene_enter(&scene);
	assert_int_equal(omega_sandbox_guard_new(scene.home.dir,
			     scene.home.config_path, &own, NULL),
	    OMEGA_SANDBOX_OK);
	for (i = 0; i < scene.count; i++) {
		const struct scene_case *one = &scene.cases[i];
		char content[64] = "";
		int fd = -1;
		int ret = omega_sandbox_open_checked(
		    own, one->path, O_RDONLY | O_NONBLOCK, 0, &fd, NULL, NULL);

		if (ret == OMEGA_SANDBOX_OK) {
			if (read(fd, content, sizeof(content) - 1) < 0)
				content[0] = '\0';
			close(fd);
		}
		if ((ret == OMEGA_SANDBOX_OK && one->read_blocked) ||
		    strcmp(content, SECRET) == 0)
			fail_msg("opened: %s", one->what);
	}
	omega_sandbox_guard_free(own);
	scene_leave(&scene);
}

static void
test_protected_file_is_refused_with_the_reason(void **state)
{
	(void)state;
	make_link("omega/data", in_root(&home, "l"));
	make_link("omega/config.toml", in_root(&home, "c"));
	make_hard_link(in_dir(&home, "data/memory.db"), in_root(&home, "h"));
	assert_refused(
	    in_dir(&home, "data/memory.db"), O_RDONLY, OMEGA_SANDBOX_BY_NAME);
	assert_refused(in_dir(&home, "data"), O_RDONLY | O_DIRECTORY,
	    OMEGA_SANDBOX_BY_NAME);
	assert_refused(home.config_path, O_RDONLY, OMEGA_SANDBOX_BY_NAME);
	assert_refused(in_root(&home, "l/memory.db"), O_RDONLY,
	    OMEGA_SANDBOX_BY_RESOLVED_NAME);
	assert_refused(
	    in_root(&home, "c"), O_RDONLY, OMEGA_SANDBOX_BY_RESOLVED_NAME);
	assert_refused(
	    in_root(&home, "h"), O_RDONLY, OMEGA_SANDBOX_BY_HARD_LINK);
	assert_refused(
	    in_root(&home, "h"), O_WRONLY, OMEGA_SANDBOX_BY_HARD_LINK);
	assert_refused("relative", O_RDONLY, OMEGA_SANDBOX_UNDECIDED);
	assert_refused("", O_RDONLY, OMEGA_SANDBOX_UNDECIDED);
}

static void
test_access_is_taken_from_the_flags(void **state)
{
	const char *path = in_root(&home, "free/plain");
	int fd;

	(void)state;
	assert_int_equal(omega_sandbox_guard_block(
			     guard, OMEGA_SANDBOX_WRITE, path, "f", 1, NULL),
	    OMEGA_SANDBOX_OK);
	fd = must_open(path, O_RDONLY);
	close(fd);
	assert_refused(path, O_WRONLY, OMEGA_SANDBOX_BY_NAME);
	assert_refused(path, O_RDWR, OMEGA_SANDBOX_BY_NAME);
	assert_refused(path, O_RDONLY | O_CREAT, OMEGA_SANDBOX_BY_NAME);
	assert_refused(path, O_RDONLY | O_TRUNC, OMEGA_SANDBOX_BY_NAME);
	path = in_dir(&home, "workspace/note");
	assert_int_equal(omega_sandbox_guard_block(
			     guard, OMEGA_SANDBOX_READ, path, "f", 2, NULL),
	    OMEGA_SANDBOX_OK);
	fd = must_open(path, O_WRONLY);
	close(fd);
	assert_refused(path, O_RDONLY, OMEGA_SANDBOX_BY_NAME);
	assert_refused(path, O_RDWR, OMEGA_SANDBOX_BY_NAME);
}

static void
test_refused_file_is_not_truncated(void **state)
{
	static const int flags[] = {O_WRONLY | O_TRUNC, O_RDWR | O_TRUNC,
	    O_RDONLY | O_TRUNC, O_WRONLY | O_CREAT | O_TRUNC};
	size_t i;

	(void)state;
	make_link("omega/config.toml", in_root(&home, "c"));
	make_hard_link(in_dir(&home, "data/memory.db"), in_root(&home, "h"));
	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		assert_refused(in_dir(&home, "config.toml"), flags[i],
		    OMEGA_SANDBOX_BY_NAME);
		assert_refused(in_root(&home, "c"), flags[i],
		    OMEGA_SANDBOX_BY_RESOLVED_NAME);
		assert_refused(
		    in_root(&home, "h"), flags[i], OMEGA_SANDBOX_BY_HARD_LINK);
	}
	assert_content(in_dir(&home, "config.toml"), SECRET);
	assert_content(in_dir(&home, "data/memory.db"), SECRET);
}

static void
test_nothing_is_made_where_it_is_refused(void **state)
{
	int fd;

	(void)state;
	make_link("omega/data", in_root(&home, "d"));
	make_link("omega/data/later", in_root(&home, "l"));
	make_link("l", in_root(&home, "m"));
	assert_int_equal(unlink(in_dir(&home, "config.toml")), 0);
	make_link("omega/config.toml", in_root(&home, "c"));
	assert_refused(in_dir(&home, "data/later"), O_WRONLY | O_CREAT,
	    OMEGA_SANDBOX_BY_NAME);
	assert_refused(in_root(&home, "d/later"), O_WRONLY | O_CREAT,
	    OMEGA_SANDBOX_BY_RESOLVED_NAME);
	assert_refused(in_root(&home, "d/later"), O_RDWR | O_CREAT | O_EXCL,
	    OMEGA_SANDBOX_BY_RESOLVED_NAME);
	assert_refused(in_root(&home, "l"), O_WRONLY | O_CREAT,
	    OMEGA_SANDBOX_BY_RESOLVED_NAME);
	assert_refused(in_root(&home, "m"), O_RDONLY | O_CREAT,
	    OMEGA_SANDBOX_BY_RESOLVED_NAME);
	assert_refused(in_root(&home, "c"), O_WRONLY | O_CREAT | O_TRUNC,
	    OMEGA_SANDBOX_BY_RESOLVED_NAME);
	assert_refused(in_root(&home, "none/../free/x"), O_WRONLY | O_CREAT,
	    OMEGA_SANDBOX_UNDECIDED);
	assert_false(exists(in_dir(&home, "data/later")));
	assert_false(exists(in_dir(&home, "config.toml")));
	assert_false(exists(in_root(&home, "free/x")));
	fd = must_open(in_root(&home, "free/x"), O_WRONLY | O_CREAT);
	close(fd);
}

static void
ring(int signal)
{
	(void)signal;
	/* Too late: the call waited for the other end of a pipe. */
	_exit(1);
}

static int
open_pipes(void *arg)
{
	int fd;

	(void)arg;
	signal(SIGALRM, ring);
	alarm(PATIENCE_MS / 1000);
	child_expect(
	    omega_sandbox_open_checked(guard, in_dir(&home, "data/pipe"),
		O_RDONLY, 0, &fd, NULL, NULL) == OMEGA_SANDBOX_E_REFUSED);
	child_expect(
	    omega_sandbox_open_checked(guard, in_root(&home, "l"), O_WRONLY, 0,
		&fd, NULL, NULL) == OMEGA_SANDBOX_E_REFUSED);
	child_expect(
	    omega_sandbox_open_checked(guard, in_root(&home, "h"), O_RDONLY, 0,
		&fd, NULL, NULL) == OMEGA_SANDBOX_E_REFUSED);
	return 0;
}

static void
test_refused_pipe_is_never_opened(void **state)
{
	int reader;

	(void)state;
	assert_int_equal(mkfifo(in_dir(&home, "data/pipe"), 0600), 0);
	make_link("omega/data/pipe", in_root(&home, "l"));
	make_hard_link(in_dir(&home, "data/pipe"), in_root(&home, "h"));
	assert_int_equal(in_child(open_pipes, NULL), 0);
	/* A reader would see a writer come and go as an end of file. */
	reader = open(in_dir(&home, "data/pipe"), O_RDONLY | O_NONBLOCK);
	assert_true(reader >= 0);
	assert_refused(in_root(&home, "l"), O_WRONLY | O_NONBLOCK,
	    OMEGA_SANDBOX_BY_RESOLVED_NAME);
	close(reader);
}

static void
test_deleted_file_is_refused(void **state)
{
	int fd = open(in_root(&home, "free/plain"), O_RDONLY | O_CLOEXEC);

	(void)state;
	assert_true(fd >= 0);
	close(must_open(text("/proc/self/fd/%d", fd), O_RDONLY));
	assert_int_equal(unlink(in_root(&home, "free/plain")), 0);
	assert_refused(
	    text("/proc/self/fd/%d", fd), O_RDONLY, OMEGA_SANDBOX_UNDECIDED);
	close(fd);
}

#define fresh(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    fresh(test_every_protected_case_of_the_scene_is_refused),
	    fresh(test_protected_file_is_refused_with_the_reason),
	    fresh(test_access_is_taken_from_the_flags),
	    fresh(test_refused_file_is_not_truncated),
	    fresh(test_nothing_is_made_where_it_is_refused),
	    fresh(test_refused_pipe_is_never_opened),
	    fresh(test_deleted_file_is_refused),
	};

	return run_all(tests);
}
