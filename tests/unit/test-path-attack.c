/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-path-attack.c - ways around the path checks that were tried on
 * purpose: other mount namespaces, chroots, mounts, missing system calls.
 * And harmless paths that once were refused.
 */

#include "harness.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <omega/sandbox.h>

/* In a child, where cmocka must not jump: say what failed, and go on. */
#define expect(condition) expect_that(condition, #condition, __LINE__)

static int failures;

static void
expect_that(bool holds, const char *condition, int line)
{
	if (holds)
		return;
	failures++;
	printf("# line %d: not so: %s\n", line, condition);
	fflush(stdout);
}

/*
 * The answers of both interfaces for one kind of access, which must agree.
 * Path and data directory are below base.
 */
static bool
is_blocked(
    bool is_write, const char *base, const char *path, const char *data_dir)
{
	struct omega_sandbox_guard *guard = NULL;
	char whole[PATH_MAX];
	char dir[PATH_MAX];
	bool direct;
	bool by_guard = true;

	snprintf(whole, sizeof(whole), "%s/%s", base, path);
	snprintf(dir, sizeof(dir), "%s/%s", base, data_dir);
	direct = is_write ? omega_sandbox_is_write_blocked(whole, dir)
			  : omega_sandbox_is_read_blocked(whole, dir, NULL);
	if (omega_sandbox_guard_new(dir, NULL, &guard, NULL) == 0)
		by_guard = omega_sandbox_guard_is_blocked(guard,
		    is_write ? OMEGA_SANDBOX_WRITE : OMEGA_SANDBOX_READ, whole,
		    NULL);
	omega_sandbox_guard_free(guard);
	expect(direct == by_guard);
	return direct;
}

#define read_blocked(base, path) is_blocked(false, base, path, "o")
#define write_blocked(base, path) is_blocked(true, base, path, "o")

/* base/o with data/secret, data/sub/db and config.toml; base/a with file. */
static void
make_tree(const char *base)
{
	make_file(text("%s/o/data/secret", base), "secret");
	make_file(text("%s/o/data/sub/db", base), "secret");
	make_file(text("%s/o/config.toml", base), "secret");
	make_file(text("%s/a/file", base), "harmless");
}

static void
test_slash_behind_a_file_changes_nothing(void **state)
{
	char base[PATH_MAX];

	(void)state;
	snprintf(base, sizeof(base), "%s", scratch_dir());
	make_tree(base);
	make_link("a", text("%s/link", base));
	make_link("a/file", text("%s/file", base));
	assert_false(read_blocked(base, "link/file"));
	assert_false(read_blocked(base, "link/file/"));
	assert_false(read_blocked(base, "link/file/."));
	assert_false(read_blocked(base, "file//"));
	assert_int_equal(failures, 0);
}

static void
test_deep_path_with_an_odd_name_is_not_blocked(void **state)
{
	char path[512] = "a~";
	char base[PATH_MAX];
	int i;

	(void)state;
	snprintf(base, sizeof(base), "%s", scratch_dir());
	make_tree(base);
	for (i = 0; i < 80; i++)
		strcat(path, "/d");
	make_dir(text("%s/%s", base, path));
	assert_false(read_blocked(base, path));
	assert_false(write_blocked(base, path));
	assert_int_equal(failures, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_slash_behind_a_file_changes_nothing),
	    cmocka_unit_test(test_deep_path_with_an_odd_name_is_not_blocked),
	};

	return run_all(tests);
}
