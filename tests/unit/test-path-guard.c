/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-path-guard.c - guards: verdicts with their reason, and an
 * administrator's own rules beside the built-in ones. Many of them are
 * test-path-guard-many.c's, senseless arguments test-api.c's.
 */

#include "guarded.h"

#include <sys/mount.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <omega/sandbox.h>

#include "path/guard.h"

#define READ OMEGA_SANDBOX_READ
#define WRITE OMEGA_SANDBOX_WRITE
#define BOTH (OMEGA_SANDBOX_READ | OMEGA_SANDBOX_WRITE)

static void
block(unsigned access, const char *path)
{
	assert_int_equal(omega_sandbox_guard_block(guard, access, path,
			     "/etc/omega/sandbox.conf", 7, NULL),
	    OMEGA_SANDBOX_OK);
}

static bool
is_blocked(unsigned access, const char *path)
{
	return omega_sandbox_guard_is_blocked(guard, access, path, NULL);
}

/* Ask, and compare everything the verdict says. */
static void
assert_verdict(unsigned access, const char *path, int reason, const char *rule,
    const char *resolved)
{
	struct omega_sandbox_verdict verdict = OMEGA_SANDBOX_VERDICT_INIT;
	bool blocked =
	    omega_sandbox_guard_is_blocked(guard, access, path, &verdict);

	assert_int_equal(verdict.reason, reason);
	assert_int_equal(blocked, reason != OMEGA_SANDBOX_NOT_BLOCKED);
	assert_string_equal(verdict.resolved, resolved);
	assert_int_equal(verdict.size, sizeof(verdict));
	if (reason != OMEGA_SANDBOX_UNDECIDED)
		assert_int_equal(verdict.sys_errno, 0);
	if (rule == NULL) {
		assert_null(verdict.rule);
		assert_null(verdict.origin);
		assert_int_equal(verdict.line, 0);
	} else {
		assert_string_equal(verdict.rule, rule);
		assert_non_null(verdict.origin);
	}
}

static void
assert_origin(
    unsigned access, const char *path, const char *origin, uint32_t line)
{
	struct omega_sandbox_verdict verdict = OMEGA_SANDBOX_VERDICT_INIT;

	assert_true(
	    omega_sandbox_guard_is_blocked(guard, access, path, &verdict));
	assert_string_equal(verdict.origin, origin);
	assert_int_equal(verdict.line, line);
}

/* ---- reasons ------------------------------------------------------------ */

static void
test_name_is_the_reason_when_the_spelling_is_protected(void **state)
{
	(void)state;
	assert_verdict(READ, in_dir(&home, "data/memory.db"),
	    OMEGA_SANDBOX_BY_NAME, in_dir(&home, "data"),
	    in_dir(&home, "data/memory.db"));
	assert_verdict(WRITE, in_dir(&home, "//data/./new"),
	    OMEGA_SANDBOX_BY_NAME, in_dir(&home, "data"),
	    in_dir(&home, "data/new"));
	assert_verdict(BOTH, in_dir(&home, "config.toml"),
	    OMEGA_SANDBOX_BY_NAME, in_dir(&home, "config.toml"),
	    in_dir(&home, "config.toml"));
	assert_verdict(READ, home.config_path, OMEGA_SANDBOX_BY_NAME,
	    home.config_path, home.config_path);
	assert_verdict(WRITE, home.config_path, OMEGA_SANDBOX_BY_NAME,
	    home.config_path, home.config_path);
	assert_verdict(WRITE, "/boot/omega-none", OMEGA_SANDBOX_BY_NAME,
	    "/boot", "/boot/omega-none");
	assert_origin(WRITE, "/boot/omega-none", "built in", 0);
	assert_origin(READ, in_dir(&home, "data"), "built in", 0);
	assert_verdict(READ, "/boot/omega-none", OMEGA_SANDBOX_NOT_BLOCKED,
	    NULL, "/boot/omega-none");
}

static void
test_resolved_name_is_the_reason_behind_a_link(void **state)
{
	(void)state;
	make_link("omega/data", in_root(&home, "l"));
	make_link("/boot/omega-none", in_root(&home, "b"));
	make_link("free/plain", in_root(&home, "f"));
	assert_verdict(READ, in_root(&home, "l/new"),
	    OMEGA_SANDBOX_BY_RESOLVED_NAME, in_dir(&home, "data"),
	    in_dir(&home, "data/new"));
	assert_verdict(WRITE, in_root(&home, "b"),
	    OMEGA_SANDBOX_BY_RESOLVED_NAME, "/boot", "/boot/omega-none");
	assert_verdict(READ, in_root(&home, "b"), OMEGA_SANDBOX_NOT_BLOCKED,
	    NULL, "/boot/omega-none");
	assert_verdict(BOTH, in_root(&home, "f"), OMEGA_SANDBOX_NOT_BLOCKED,
	    NULL, in_root(&home, "free/plain"));
}

static void
test_name_in_data_that_leads_out_says_both(void **state)
{
	(void)state;
	make_link(in_root(&home, "free"), in_dir(&home, "data/out"));
	assert_verdict(READ, in_dir(&home, "data/out/plain"),
	    OMEGA_SANDBOX_BY_NAME, in_dir(&home, "data"),
	    in_root(&home, "free/plain"));
	/* Protected by name, and where it leads cannot be found out. */
	make_link("loop", in_dir(&home, "data/loop"));
	assert_verdict(READ, in_dir(&home, "data/loop"), OMEGA_SANDBOX_BY_NAME,
	    in_dir(&home, "data"), "");
}

static void
test_hard_link_is_a_reason(void **state)
{
	(void)state;
	make_hard_link(
	    in_dir(&home, "data/deep/er/file"), in_root(&home, "free/h"));
	make_hard_link(in_dir(&home, "config.toml"), in_root(&home, "free/c"));
	make_hard_link(home.config_path, in_root(&home, "free/a"));
	assert_verdict(READ, in_root(&home, "free/h"),
	    OMEGA_SANDBOX_BY_HARD_LINK, in_dir(&home, "data"),
	    in_root(&home, "free/h"));
	assert_verdict(WRITE, in_root(&home, "free/c"),
	    OMEGA_SANDBOX_BY_HARD_LINK, in_dir(&home, "config.toml"),
	    in_root(&home, "free/c"));
	assert_verdict(WRITE, in_root(&home, "free/a"),
	    OMEGA_SANDBOX_BY_HARD_LINK, home.config_path,
	    in_root(&home, "free/a"));
}

static int
ask_mounted(void *arg)
{
	struct omega_sandbox_verdict verdict = OMEGA_SANDBOX_VERDICT_INIT;
	const char *path = in_root(&home, "free/sub/x");

	(void)arg;
	child_expect(mount(in_dir(&home, "data"), in_root(&home, "free/sub"),
			 "none", MS_BIND, NULL) == 0);
	child_expect(
	    omega_sandbox_guard_is_blocked(guard, READ, path, &verdict));
	child_expect(verdict.reason == OMEGA_SANDBOX_BY_MOUNT);
	child_expect(strcmp(verdict.rule, in_dir(&home, "data")) == 0);
	child_expect(strcmp(verdict.resolved, path) == 0);
	return 0;
}

static void
test_mount_is_a_reason(void **state)
{
	(void)state;
	must_pass_with_mounts(ask_mounted, NULL);
}

static void
assert_undecided(const char *path, int error)
{
	struct omega_sandbox_verdict verdict = OMEGA_SANDBOX_VERDICT_INIT;

	assert_true(
	    omega_sandbox_guard_is_blocked(guard, READ, path, &verdict));
	assert_int_equal(verdict.reason, OMEGA_SANDBOX_UNDECIDED);
	assert_int_equal(verdict.sys_errno, error);
	assert_null(verdict.rule);
	assert_null(verdict.origin);
	assert_string_equal(verdict.resolved, "");
}

static void
test_what_cannot_be_decided_says_where_it_ended(void **state)
{
	char name[PATH_MAX + 2];

	(void)state;
	assert_undecided(NULL, EINVAL);
	assert_undecided("", EINVAL);
	assert_undecided("relative", EINVAL);
	assert_undecided(in_root(&home, "none/../x"), ENOENT);
	assert_undecided(in_root(&home, "free/plain/../x"), ENOTDIR);
	make_link("loop", in_root(&home, "loop"));
	assert_undecided(in_root(&home, "loop/x"), ELOOP);
	memset(name, '/', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_undecided(name, ENAMETOOLONG);
}

/* ---- rules of the administrator ----------------------------------------- */

static void
test_added_rule_names_itself_and_its_origin(void **state)
{
	char rule[PATH_MAX];
	char origin[] = "/etc/omega/sandbox.conf";

	(void)state;
	/* As written, even if that is not as it is compared. */
	strcpy(rule, in_root(&home, ".//free/sub/"));
	assert_int_equal(
	    omega_sandbox_guard_block(guard, BOTH, rule, origin, 12, NULL),
	    OMEGA_SANDBOX_OK);
	memset(origin, 'x', sizeof(origin) - 1);
	assert_verdict(READ, in_root(&home, "free/sub/x"),
	    OMEGA_SANDBOX_BY_NAME, rule, in_root(&home, "free/sub/x"));
	assert_origin(
	    WRITE, in_root(&home, "free/sub"), "/etc/omega/sandbox.conf", 12);
	assert_false(is_blocked(BOTH, in_root(&home, "free/plain")));
	assert_false(is_blocked(BOTH, in_root(&home, "free/subs")));
	/* The built-in ones are still there, as built in. */
	assert_origin(WRITE, in_dir(&home, "data"), "built in", 0);
}

static void
test_rule_without_origin_is_the_host_application_s(void **state)
{
	(void)state;
	assert_int_equal(omega_sandbox_guard_block(guard, BOTH,
			     in_root(&home, "free"), NULL, 0, NULL),
	    OMEGA_SANDBOX_OK);
	assert_origin(READ, in_root(&home, "free/x"), "host application", 0);
}

static void
test_file_directory_and_absent_path_can_be_blocked(void **state)
{
	(void)state;
	block(BOTH, in_root(&home, "free/plain"));
	block(BOTH, in_root(&home, "free/sub"));
	block(BOTH, in_root(&home, "no/such/thing"));
	assert_true(is_blocked(READ, in_root(&home, "free/plain")));
	assert_true(is_blocked(WRITE, in_root(&home, "free/sub/new")));
	assert_true(is_blocked(WRITE, in_root(&home, "no/such/thing")));
	assert_true(is_blocked(WRITE, in_root(&home, "no/such/thing/x")));
	assert_false(is_blocked(BOTH, in_root(&home, "free")));
	assert_false(is_blocked(BOTH, in_root(&home, "no/such")));
	assert_false(is_blocked(BOTH, in_root(&home, "no/such/things")));
	/* Made later, and reached by another name. */
	make_file(in_root(&home, "no/such/thing"), SECRET);
	make_link("no/such", in_root(&home, "to-such"));
	assert_true(is_blocked(READ, in_root(&home, "to-such/thing")));
	make_hard_link(in_root(&home, "no/such/thing"), in_root(&home, "h"));
	assert_true(is_blocked(READ, in_root(&home, "h")));
}

static void
test_linked_path_is_blocked_at_both_ends(void **state)
{
	(void)state;
	make_link("free/sub", in_root(&home, "l"));
	make_link("app/none", in_root(&home, "dangling"));
	block(BOTH, in_root(&home, "l"));
	block(BOTH, in_root(&home, "dangling"));
	assert_verdict(READ, in_root(&home, "free/sub/x"),
	    OMEGA_SANDBOX_BY_NAME, in_root(&home, "l"),
	    in_root(&home, "free/sub/x"));
	assert_verdict(READ, in_root(&home, "l/x"), OMEGA_SANDBOX_BY_NAME,
	    in_root(&home, "l"), in_root(&home, "free/sub/x"));
	assert_true(is_blocked(WRITE, in_root(&home, "app/none")));
	assert_true(is_blocked(WRITE, in_root(&home, "dangling")));
	assert_false(is_blocked(BOTH, in_root(&home, "free/plain")));
	/* It leads elsewhere now: the rule keeps what it was made of. */
	assert_int_equal(unlink(in_root(&home, "l")), 0);
	make_link("app", in_root(&home, "l"));
	assert_true(is_blocked(READ, in_root(&home, "l/x")));
	assert_true(is_blocked(READ, in_root(&home, "free/sub/x")));
}

static void
test_hard_link_to_a_blocked_file_is_blocked(void **state)
{
	(void)state;
	make_file(in_root(&home, "free/sub/key"), SECRET);
	make_hard_link(in_root(&home, "free/sub/key"), in_root(&home, "h1"));
	make_hard_link(in_root(&home, "free/plain"), in_root(&home, "h2"));
	assert_false(is_blocked(BOTH, in_root(&home, "h1")));
	assert_false(is_blocked(BOTH, in_root(&home, "h2")));
	block(BOTH, in_root(&home, "free/sub"));
	assert_verdict(READ, in_root(&home, "h1"), OMEGA_SANDBOX_BY_HARD_LINK,
	    in_root(&home, "free/sub"), in_root(&home, "h1"));
	assert_false(is_blocked(BOTH, in_root(&home, "h2")));
	block(READ, in_root(&home, "free/plain"));
	assert_true(is_blocked(READ, in_root(&home, "h2")));
	assert_false(is_blocked(WRITE, in_root(&home, "h2")));
}

static void
test_rule_counts_for_its_accesses_only(void **state)
{
	(void)state;
	block(READ, in_root(&home, "r"));
	block(WRITE, in_root(&home, "w"));
	block(BOTH, in_root(&home, "b"));
	assert_true(is_blocked(READ, in_root(&home, "r/x")));
	assert_false(is_blocked(WRITE, in_root(&home, "r/x")));
	assert_true(is_blocked(BOTH, in_root(&home, "r/x")));
	assert_false(is_blocked(READ, in_root(&home, "w/x")));
	assert_true(is_blocked(WRITE, in_root(&home, "w/x")));
	assert_true(is_blocked(BOTH, in_root(&home, "w/x")));
	assert_true(is_blocked(READ, in_root(&home, "b/x")));
	assert_true(is_blocked(WRITE, in_root(&home, "b/x")));
	/* Two rules on one path, and one above the other. */
	block(WRITE, in_root(&home, "r"));
	assert_true(is_blocked(WRITE, in_root(&home, "r/x")));
	block(READ, in_root(&home, "w/deep/er"));
	assert_true(is_blocked(READ, in_root(&home, "w/deep/er/x")));
	assert_false(is_blocked(READ, in_root(&home, "w/deep/x")));
	assert_true(is_blocked(WRITE, in_root(&home, "w/deep/er/x")));
}

static void
test_rules_that_differ_in_case_are_told_apart(void **state)
{
	(void)state;
	make_dir(in_root(&home, "Rule"));
	make_dir(in_root(&home, "rULE"));
	make_dir(in_root(&home, "rule"));
	make_dir(in_root(&home, "RULE"));
	block(READ, in_root(&home, "Rule"));
	block(READ, in_root(&home, "rULE"));
	block(WRITE, in_root(&home, "rule"));
	assert_verdict(READ, in_root(&home, "Rule/x"), OMEGA_SANDBOX_BY_NAME,
	    in_root(&home, "Rule"), in_root(&home, "Rule/x"));
	assert_verdict(READ, in_root(&home, "rULE/x"), OMEGA_SANDBOX_BY_NAME,
	    in_root(&home, "rULE"), in_root(&home, "rULE/x"));
	assert_verdict(WRITE, in_root(&home, "rule/x"), OMEGA_SANDBOX_BY_NAME,
	    in_root(&home, "rule"), in_root(&home, "rule/x"));
	assert_false(is_blocked(READ, in_root(&home, "rule/x")));
	assert_false(is_blocked(BOTH, in_root(&home, "RULE/x")));
}

static void
test_root_can_be_blocked(void **state)
{
	(void)state;
	block(WRITE, "/");
	assert_true(is_blocked(WRITE, "/"));
	assert_true(is_blocked(WRITE, in_root(&home, "free/plain")));
	assert_false(is_blocked(READ, in_root(&home, "free/plain")));
}

static void
test_rule_that_cannot_be_held_leaves_the_guard_as_it_was(void **state)
{
	static const char *const bad[] = {NULL, "", "relative", "./x", "~/x"};
	struct omega_sandbox_error error;
	size_t before = guard->rules.count;
	char longest[PATH_MAX + 2];
	size_t i;

	(void)state;
	make_link("loop", in_root(&home, "loop"));
	memset(longest, '/', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]) + 3; i++) {
		const char *path = i < sizeof(bad) / sizeof(bad[0])    ? bad[i]
				   : i == sizeof(bad) / sizeof(bad[0]) ? longest
				   : i % 2 == 0 ? in_root(&home, "loop")
						: in_root(&home, "none/../x");

		memset(&error, 0, sizeof(error));
		error.size = sizeof(error);
		assert_int_equal(omega_sandbox_guard_block(
				     guard, BOTH, path, "f", 1, &error),
		    OMEGA_SANDBOX_E_INVALID_POLICY);
		assert_int_equal(error.code, OMEGA_SANDBOX_E_INVALID_POLICY);
		assert_int_not_equal(error.sys_errno, 0);
		assert_true(strlen(error.text) > 10);
		assert_int_equal(guard->rules.count, before);
	}
	/* Not to run is part of not to read; it is no rule of its own. */
	for (i = 0; i < 9; i++)
		assert_int_equal(omega_sandbox_guard_block(guard, (unsigned)i,
				     in_root(&home, "barred"), "f", 1, NULL),
		    i >= 1 && i <= 3 ? OMEGA_SANDBOX_OK
				     : OMEGA_SANDBOX_E_ARGUMENT);
	assert_true(
	    is_blocked(OMEGA_SANDBOX_EXECUTE, in_root(&home, "barred")));
	assert_false(is_blocked(BOTH, in_root(&home, "free/plain")));
	assert_true(is_blocked(BOTH, in_dir(&home, "data")));
}

#define fresh(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    fresh(test_name_is_the_reason_when_the_spelling_is_protected),
	    fresh(test_resolved_name_is_the_reason_behind_a_link),
	    fresh(test_name_in_data_that_leads_out_says_both),
	    fresh(test_hard_link_is_a_reason),
	    fresh(test_mount_is_a_reason),
	    fresh(test_what_cannot_be_decided_says_where_it_ended),
	    fresh(test_added_rule_names_itself_and_its_origin),
	    fresh(test_rule_without_origin_is_the_host_application_s),
	    fresh(test_file_directory_and_absent_path_can_be_blocked),
	    fresh(test_linked_path_is_blocked_at_both_ends),
	    fresh(test_hard_link_to_a_blocked_file_is_blocked),
	    fresh(test_rule_counts_for_its_accesses_only),
	    fresh(test_rules_that_differ_in_case_are_told_apart),
	    fresh(test_root_can_be_blocked),
	    fresh(test_rule_that_cannot_be_held_leaves_the_guard_as_it_was),
	};

	return run_all(tests);
}
