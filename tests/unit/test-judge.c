/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-judge.c - guards made from a policy and omega_sandbox_policy_judge: who
 * says no and where that was written, opening, and senseless arguments. What
 * they answer is test-agreement.c's.
 */

#include "harness.h"

#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ground.h"

static struct ground ground;

static void
open_ground(const char *conf)
{
	char base[PATH_MAX];

	snprintf(base, sizeof(base), "%s", scratch_dir());
	assert_int_equal(chmod(base, 0755), 0);
	assert_true(ground_make(&ground, base));
	assert_true(ground_open(&ground, conf, NULL, NULL));
}

static const char *
in_tree(const char *name)
{
	return text("%s/%s", ground.tree, name);
}

static struct omega_sandbox_judgement
judge(unsigned access, const char *name)
{
	struct omega_sandbox_judgement said = OMEGA_SANDBOX_JUDGEMENT_INIT;
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;

	assert_int_equal(omega_sandbox_policy_judge(ground.policy, NULL, access,
			     in_tree(name), &said, &error),
	    0);
	return said;
}

static void
test_a_rule_is_named_with_file_and_line(void **state)
{
	struct omega_sandbox_judgement said;

	(void)state;
	open_ground("policy p {\n  write = { \"%T/a\" }\n"
		    "  deny = { \"{work_dir}/../s\" }\n}\n");
	said = judge(OMEGA_SANDBOX_WRITE, "w/f");
	assert_int_equal(said.is_allowed, 0);
	assert_int_equal(said.reason, OMEGA_SANDBOX_BY_LIST);
	assert_string_equal(said.rule, "write");
	assert_string_equal(
	    said.origin, text("%s/etc/sandbox.conf", ground.base));
	assert_int_equal(said.line, 3); /* behind a line of the harness */
	assert_string_equal(said.resolved, in_tree("w/f"));
	assert_null(said.guarantee);
	said = judge(OMEGA_SANDBOX_READ, "w/out/f");
	assert_int_equal(said.reason, OMEGA_SANDBOX_BY_RESOLVED_NAME);
	assert_string_equal(said.rule, in_tree("w/../s"));
	assert_int_equal(said.line, 4);
	assert_string_equal(said.resolved, in_tree("s/f"));
	said = judge(OMEGA_SANDBOX_READ, "o/data/f");
	assert_string_equal(said.origin, "built in");
	assert_int_equal(said.line, 0);
	said = judge(OMEGA_SANDBOX_READ | OMEGA_SANDBOX_EXECUTE, "a/f");
	assert_int_equal(said.is_allowed, 1);
	assert_string_equal(said.rule, "");
	said = judge(OMEGA_SANDBOX_READ | OMEGA_SANDBOX_WRITE, "w/f");
	assert_int_equal(said.is_allowed, 0);
	ground_close(&ground);
}

static void
test_git_metadata_and_the_host_are_named(void **state)
{
	struct omega_sandbox_judgement said;

	(void)state;
	open_ground("policy p { git_metadata = deny }");
	said = judge(OMEGA_SANDBOX_READ, "w/.git/f");
	assert_string_equal(said.origin, "git metadata");
	assert_int_equal(omega_sandbox_policy_set(
			     ground.policy, "deny_write", in_tree("a"), NULL),
	    0);
	said = judge(OMEGA_SANDBOX_WRITE, "a/f");
	assert_string_equal(said.origin, "host application");
	/* A guard is of the moment it was made. */
	assert_true(
	    ground_allows(&ground, OMEGA_SANDBOX_WRITE, in_tree("a/f"), NULL));
	ground_close(&ground);
}

static int
open_through(const char *name, int flags)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	int fd = -1;
	int ret = omega_sandbox_open_checked(
	    ground.guard, in_tree(name), flags, 0600, &fd, NULL, &error);

	if (fd >= 0)
		close(fd);
	return ret;
}

static void
test_opening_keeps_to_the_lists(void **state)
{
	(void)state;
	open_ground("policy p { read = { \"%T/a\" } write = { \"%T/w\" } "
		    "deny_write = { \"%T/w/sub\" } }");
	assert_int_equal(open_through("a/f", O_RDONLY), 0);
	assert_int_equal(open_through("a/f", O_RDWR), OMEGA_SANDBOX_E_REFUSED);
	assert_int_equal(open_through("w/f", O_RDWR), 0);
	assert_int_equal(open_through("w/new", O_WRONLY | O_CREAT), 0);
	assert_int_equal(
	    open_through("w/out/f", O_RDONLY), OMEGA_SANDBOX_E_REFUSED);
	assert_int_equal(open_through("w/out/new", O_WRONLY | O_CREAT),
	    OMEGA_SANDBOX_E_REFUSED);
	assert_int_equal(open_through("w/sub/new", O_WRONLY | O_CREAT),
	    OMEGA_SANDBOX_E_REFUSED);
	assert_int_equal(
	    open_through("new", O_WRONLY | O_CREAT), OMEGA_SANDBOX_E_REFUSED);
	assert_int_not_equal(access(in_tree("new"), F_OK), 0);
	assert_int_not_equal(access(in_tree("s/new"), F_OK), 0);
	assert_int_equal(
	    open_through("s/f", O_RDONLY), OMEGA_SANDBOX_E_REFUSED);
	ground_close(&ground);
}

static void
test_what_cannot_be_read_cannot_be_run(void **state)
{
	struct omega_sandbox_guard *plain = NULL;

	(void)state;
	open_ground("policy p { }");
	assert_int_equal(
	    omega_sandbox_guard_new(in_tree("o"), NULL, &plain, NULL), 0);
	assert_true(omega_sandbox_guard_is_blocked(
	    plain, OMEGA_SANDBOX_EXECUTE, in_tree("o/data/f"), NULL));
	assert_false(omega_sandbox_guard_is_blocked(
	    plain, OMEGA_SANDBOX_EXECUTE, in_tree("a/f"), NULL));
	assert_true(omega_sandbox_guard_is_blocked(
	    plain, 8 | OMEGA_SANDBOX_READ, in_tree("a/f"), NULL));
	omega_sandbox_guard_free(plain);
	ground_close(&ground);
}

static void
test_senseless_arguments(void **state)
{
	struct omega_sandbox_judgement said = OMEGA_SANDBOX_JUDGEMENT_INIT;
	struct omega_sandbox_guard *guard = NULL;
	const int wrong = OMEGA_SANDBOX_E_ARGUMENT;

	(void)state;
	open_ground("policy p { }");
	assert_int_equal(
	    omega_sandbox_guard_new_for_policy(NULL, &guard, NULL), wrong);
	assert_int_equal(
	    omega_sandbox_guard_new_for_policy(ground.policy, NULL, NULL),
	    wrong);
	assert_int_equal(
	    omega_sandbox_policy_judge(NULL, NULL, 1, "/", &said, NULL), wrong);
	assert_int_equal(omega_sandbox_policy_judge(
			     ground.policy, NULL, 0, "/", &said, NULL),
	    wrong);
	assert_int_equal(omega_sandbox_policy_judge(
			     ground.policy, NULL, 8, "/", &said, NULL),
	    wrong);
	assert_int_equal(omega_sandbox_policy_judge(
			     ground.policy, NULL, 1, NULL, &said, NULL),
	    wrong);
	assert_int_equal(
	    omega_sandbox_policy_judge(ground.policy, NULL, 1, "/", NULL, NULL),
	    wrong);
	/* A relative path is not senseless, but cannot be decided. */
	assert_int_equal(omega_sandbox_policy_judge(
			     ground.policy, NULL, 1, "a/f", &said, NULL),
	    0);
	assert_int_equal(said.is_allowed, 0);
	assert_int_equal(said.reason, OMEGA_SANDBOX_UNDECIDED);
	/* A caller of an older release knows the first fields only. */
	said.size = offsetof(struct omega_sandbox_judgement, rule);
	said.rule[0] = 'x';
	assert_int_equal(omega_sandbox_policy_judge(ground.policy, NULL, 1,
			     in_tree("o/data/f"), &said, NULL),
	    0);
	assert_int_equal(said.is_allowed, 0);
	assert_int_equal(said.rule[0], 'x');
	assert_int_equal(
	    said.size, offsetof(struct omega_sandbox_judgement, rule));
	ground_close(&ground);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_rule_is_named_with_file_and_line),
    cmocka_unit_test(test_git_metadata_and_the_host_are_named),
    cmocka_unit_test(test_opening_keeps_to_the_lists),
    cmocka_unit_test(test_what_cannot_be_read_cannot_be_run),
    cmocka_unit_test(test_senseless_arguments),
};

int
main(void)
{
	return run_all(tests);
}
