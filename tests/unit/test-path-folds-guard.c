/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-path-folds-guard.c - guards on volumes that take several spellings for
 * one name, and what is opened by them.
 */

#include "scene.h"

#include <sys/stat.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <omega/sandbox.h>

#include "volume.h"

static char root[PATH_MAX]; /* where the volume is mounted */
static char dir[PATH_MAX]; /* the data directory on it */

static int
setup(void **state)
{
	(void)state;
	strcpy(root, text("%s/volume", scratch_dir()));
	make_dir(root);
	strcpy(dir, text("%s/home/.omega", root));
	return 0;
}

/* In a child: a volume at root, with a data directory or not. */
#define child_start(is_exact)                               \
	do {                                                \
		int started = volume_start(root, is_exact); \
                                                            \
		if (started != 0)                           \
			return started;                     \
	} while (0)

static int
ask_guard(void *arg)
{
	struct omega_sandbox_verdict verdict = OMEGA_SANDBOX_VERDICT_INIT;
	struct omega_sandbox_guard *guard = NULL;

	(void)arg;
	child_start(false);
	make_file(text("%s/data/memory.db", dir), SECRET);
	make_file(text("%s/private/key", root), SECRET);
	child_expect(omega_sandbox_guard_new(dir, NULL, &guard, NULL) == 0);
	child_expect(omega_sandbox_guard_block(guard, OMEGA_SANDBOX_READ,
			 text("%s/private", root), "f", 3, NULL) == 0);
	child_expect(omega_sandbox_guard_is_blocked(
	    guard, OMEGA_SANDBOX_READ, text("%s/PRIVATE/KEY", root), &verdict));
	child_expect(verdict.reason == OMEGA_SANDBOX_BY_FOLDED_NAME);
	child_expect(strcmp(verdict.rule, text("%s/private", root)) == 0);
	child_expect(verdict.line == 3);
	child_expect(!omega_sandbox_guard_is_blocked(guard, OMEGA_SANDBOX_WRITE,
	    text("%s/PRIVATE/KEY", root), &verdict));
	child_expect(verdict.reason == OMEGA_SANDBOX_NOT_BLOCKED);
	child_expect(omega_sandbox_guard_is_blocked(
	    guard, OMEGA_SANDBOX_WRITE, text("%s/DATA/new", dir), &verdict));
	child_expect(verdict.reason == OMEGA_SANDBOX_BY_FOLDED_NAME);
	omega_sandbox_guard_free(guard);
	return 0;
}

static void
test_guard_says_that_a_spelling_was_folded(void **state)
{
	(void)state;
	volume_run(ask_guard, NULL);
}

static int
open_by_guard(void *arg)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_guard *guard = NULL;
	struct stat st;
	int fd;

	(void)arg;
	child_start(false);
	make_file(text("%s/data/memory.db", dir), SECRET);
	make_dir(text("%s/skills", dir));
	child_expect(omega_sandbox_guard_new(dir, NULL, &guard, NULL) == 0);
	child_expect(
	    omega_sandbox_open_checked(guard, text("%s/DATA/memory.db", dir),
		O_RDONLY, 0, &fd, NULL, &error) == OMEGA_SANDBOX_E_REFUSED);
	child_expect(omega_sandbox_open_checked(guard,
			 text("%s/Config.toml", dir), O_WRONLY | O_CREAT, 0600,
			 &fd, NULL, &error) == OMEGA_SANDBOX_E_REFUSED);
	child_expect(stat(text("%s/config.toml", dir), &st) != 0);
	child_expect(omega_sandbox_open_checked(guard, text("%s/DATA/new", dir),
			 O_WRONLY | O_CREAT, 0600, &fd, NULL,
			 &error) == OMEGA_SANDBOX_E_REFUSED);
	child_expect(stat(text("%s/data/new", dir), &st) != 0);
	child_expect(omega_sandbox_open_checked(guard,
			 text("%s/SKILLS/new", dir), O_WRONLY | O_CREAT, 0600,
			 &fd, NULL, &error) == OMEGA_SANDBOX_OK);
	close(fd);
	child_expect(stat(text("%s/skills/NEW", dir), &st) == 0);
	omega_sandbox_guard_free(guard);
	return 0;
}

static void
test_open_refuses_a_folded_name(void **state)
{
	(void)state;
	volume_run(open_by_guard, NULL);
}

#define fresh(test) cmocka_unit_test_setup(test, setup)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    fresh(test_guard_says_that_a_spelling_was_folded),
	    fresh(test_open_refuses_a_folded_name),
	};

	return run_all(tests);
}
