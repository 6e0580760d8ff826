/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-path-seed.c - the path-check tests of the document this library began
 * with, by the names they have there. The paths are made up as they are
 * there: nothing of them needs to exist.
 */

#include "harness.h"

#include <omega/sandbox.h>

#define DIR "/home/omega-nobody/.omega"

static bool
is_write_blocked(const char *path)
{
	return omega_sandbox_is_write_blocked(path, DIR);
}

static bool
is_read_blocked(const char *path)
{
	return omega_sandbox_is_read_blocked(path, DIR, NULL);
}

static void
test_is_write_blocked_data_dir(void **state)
{
	(void)state;
	assert_true(is_write_blocked(DIR "/data/memory.db"));
	assert_true(is_write_blocked(DIR "/data/"));
	assert_true(is_write_blocked(DIR "/data"));
}

static void
test_is_write_blocked_allows_workspace(void **state)
{
	(void)state;
	assert_false(is_write_blocked(DIR "/workspace/test.txt"));
	assert_false(is_write_blocked(DIR "/skills/test/SKILL.md"));
}

static void
test_is_write_blocked_system_dirs(void **state)
{
	(void)state;
	assert_true(is_write_blocked("/System/Library/test"));
	assert_true(is_write_blocked("/bin/sh"));
	assert_true(is_write_blocked("/usr/bin/env"));
	assert_true(is_write_blocked("/private/etc/hosts"));
	assert_true(is_write_blocked("/Library/test"));
}

static void
test_is_write_blocked_allows_normal_paths(void **state)
{
	(void)state;
	assert_false(is_write_blocked("/tmp/test"));
	assert_false(is_write_blocked("/home/omega-nobody/documents/test.txt"));
	assert_false(is_write_blocked("/usr/local/bin/something"));
}

static void
test_is_write_blocked_no_string_prefix_false_positive(void **state)
{
	(void)state;
	assert_false(is_write_blocked("/binaries/test"));
	assert_false(is_write_blocked("/etcetera/test"));
	assert_true(is_write_blocked("/bin/test"));
}

static void
test_is_write_blocked_relative_path(void **state)
{
	(void)state;
	assert_true(is_write_blocked("relative/path"));
	assert_true(is_write_blocked("../../etc/passwd"));
	assert_true(is_write_blocked("test"));
}

static void
test_is_write_blocked_config_toml(void **state)
{
	(void)state;
	assert_true(is_write_blocked(DIR "/config.toml"));
	assert_false(is_write_blocked(DIR "/config.toml.example"));
}

static void
test_is_read_blocked_data_dir(void **state)
{
	(void)state;
	assert_true(is_read_blocked(DIR "/data/memory.db"));
	assert_true(is_read_blocked(DIR "/data/"));
	assert_true(is_read_blocked(DIR "/data"));
}

static void
test_is_read_blocked_config(void **state)
{
	(void)state;
	assert_true(is_read_blocked(DIR "/config.toml"));
	assert_false(is_read_blocked(DIR "/config.toml.example"));
}

static void
test_is_read_blocked_external_config(void **state)
{
	const char *external = "/opt/omega/config.toml";

	(void)state;
	assert_true(omega_sandbox_is_read_blocked(external, DIR, external));
	assert_true(
	    omega_sandbox_is_read_blocked(DIR "/config.toml", DIR, external));
	assert_false(omega_sandbox_is_read_blocked(
	    "/opt/omega/other.toml", DIR, external));
	assert_false(omega_sandbox_is_read_blocked(external, DIR, NULL));
}

static void
test_is_read_blocked_allows_workspace(void **state)
{
	(void)state;
	assert_false(is_read_blocked(DIR "/workspace/test.txt"));
	assert_false(is_read_blocked(DIR "/skills/test/SKILL.md"));
}

static void
test_is_read_blocked_allows_stores(void **state)
{
	(void)state;
	assert_false(is_read_blocked(DIR "/stores/trading/store.db"));
	assert_false(is_read_blocked(DIR "/stores"));
}

static void
test_is_read_blocked_relative_path(void **state)
{
	(void)state;
	assert_true(is_read_blocked("relative/path"));
	assert_true(is_read_blocked("../data/memory.db"));
	assert_true(is_read_blocked("test"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_is_write_blocked_data_dir),
	    cmocka_unit_test(test_is_write_blocked_allows_workspace),
	    cmocka_unit_test(test_is_write_blocked_system_dirs),
	    cmocka_unit_test(test_is_write_blocked_allows_normal_paths),
	    cmocka_unit_test(
		test_is_write_blocked_no_string_prefix_false_positive),
	    cmocka_unit_test(test_is_write_blocked_relative_path),
	    cmocka_unit_test(test_is_write_blocked_config_toml),
	    cmocka_unit_test(test_is_read_blocked_data_dir),
	    cmocka_unit_test(test_is_read_blocked_config),
	    cmocka_unit_test(test_is_read_blocked_external_config),
	    cmocka_unit_test(test_is_read_blocked_allows_workspace),
	    cmocka_unit_test(test_is_read_blocked_allows_stores),
	    cmocka_unit_test(test_is_read_blocked_relative_path),
	};

	return run_all(tests);
}
