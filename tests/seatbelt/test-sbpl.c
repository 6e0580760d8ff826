/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-sbpl.c - the evaluator that judges sandbox profiles: what it reads, what
 * it refuses to read, and what it makes of rules.
 */

#include "harness.h"

#include <stdint.h>
#include <string.h>

#include "sbpl.h"

static struct sbpl *
read_with(const char *text, const char *const *params)
{
	char error[256] = "";
	struct sbpl *sbpl = sbpl_read(text, params, error, sizeof(error));

	if (sbpl == NULL)
		fail_msg("%s: %s", text, error);
	return sbpl;
}

static enum sbpl_answer
ask_file(struct sbpl *sbpl, const char *operation, const char *path)
{
	const struct sbpl_question question = {
	    .operation = operation, .path = path};

	return sbpl_ask(sbpl, &question);
}

/* The answer of a profile without parameters to one question. */
static enum sbpl_answer
answer(const char *text, const struct sbpl_question *question)
{
	struct sbpl *sbpl = read_with(text, NULL);
	enum sbpl_answer found = sbpl_ask(sbpl, question);

	sbpl_free(sbpl);
	return found;
}

#define ALLOWING "(version 1)\n(allow default)\n"
#define DENYING "(version 1)\n(deny default)\n"

static void
test_defaults(void **state)
{
	const struct sbpl_question question = {
	    .operation = "file-read-data", .path = "/x"};

	(void)state;
	assert_int_equal(answer(ALLOWING, &question), SBPL_ALLOWED);
	assert_int_equal(answer(DENYING, &question), SBPL_DENIED);
}

static void
test_paths(void **state)
{
	struct sbpl *sbpl = read_with(ALLOWING
	    "(deny file-read* (literal \"/a\") (subpath \"/b\"))\n"
	    "(deny file-write-data (regex #\"^/c/[^/]+\\.txt$\"))",
	    NULL);

	(void)state;
	assert_int_equal(ask_file(sbpl, "file-read-data", "/a"), SBPL_DENIED);
	assert_int_equal(
	    ask_file(sbpl, "file-read-metadata", "/a"), SBPL_DENIED);
	assert_int_equal(
	    ask_file(sbpl, "file-read-data", "/a/x"), SBPL_ALLOWED);
	assert_int_equal(ask_file(sbpl, "file-read-data", "/b"), SBPL_DENIED);
	assert_int_equal(
	    ask_file(sbpl, "file-read-xattr", "/b/x/y"), SBPL_DENIED);
	assert_int_equal(ask_file(sbpl, "file-read-data", "/bb"), SBPL_ALLOWED);
	assert_int_equal(ask_file(sbpl, "file-write-data", "/b"), SBPL_ALLOWED);
	assert_int_equal(
	    ask_file(sbpl, "file-write-data", "/c/x.txt"), SBPL_DENIED);
	assert_int_equal(
	    ask_file(sbpl, "file-write-data", "/c/xtxt"), SBPL_ALLOWED);
	assert_int_equal(
	    ask_file(sbpl, "file-write-data", "/c/d/x.txt"), SBPL_ALLOWED);
	assert_int_equal(ask_file(sbpl, "file-read*", "/a"), SBPL_NONSENSE);
	assert_int_equal(ask_file(sbpl, "file-lick", "/a"), SBPL_NONSENSE);
	assert_int_equal(sbpl_asked(sbpl), 10);
	sbpl_free(sbpl);
	/* One member of the family that has to be named. */
	sbpl = read_with(ALLOWING "(deny file-write* (literal \"/a\"))", NULL);
	assert_int_equal(ask_file(sbpl, "file-write-acl", "/a"), SBPL_DENIED);
	assert_int_equal(
	    ask_file(sbpl, "file-write-setugid", "/a"), SBPL_ALLOWED);
	sbpl_free(sbpl);
}

static void
test_combinations(void **state)
{
	struct sbpl *sbpl = read_with(DENYING
	    "(allow file-write* (require-all (require-any (subpath \"/a\") "
	    "(literal \"/b\")) (require-not (subpath \"/a/x\"))))"
	    "(allow file-write-create (require-all (literal \"/l\") "
	    "(require-not (vnode-type SYMLINK))))",
	    NULL);
	const struct sbpl_question link = {
	    .operation = "file-write-create", .path = "/l", .type = "SYMLINK"};

	(void)state;
	assert_int_equal(
	    ask_file(sbpl, "file-write-data", "/a/y"), SBPL_ALLOWED);
	assert_int_equal(ask_file(sbpl, "file-write-data", "/b"), SBPL_ALLOWED);
	assert_int_equal(
	    ask_file(sbpl, "file-write-data", "/b/c"), SBPL_DENIED);
	assert_int_equal(
	    ask_file(sbpl, "file-write-data", "/a/x"), SBPL_DENIED);
	assert_int_equal(
	    ask_file(sbpl, "file-write-create", "/l"), SBPL_ALLOWED);
	assert_int_equal(sbpl_ask(sbpl, &link), SBPL_DENIED);
	sbpl_free(sbpl);
}

/* A value is a value, whatever is in it. */
static void
test_parameters(void **state)
{
	const char *const params[] = {
	    "P0", "/a\")\n(allow file-read*)(\\", "P1", "/b", NULL};
	struct sbpl *sbpl =
	    read_with(ALLOWING "(deny file-read* (subpath (param \"P0\")) "
			       "(literal (param \"P1\")))",
		params);

	(void)state;
	assert_int_equal(sbpl_rule_count(sbpl), 1);
	assert_int_equal(
	    ask_file(sbpl, "file-read-data", params[1]), SBPL_DENIED);
	assert_int_equal(ask_file(sbpl, "file-read-data", "/a"), SBPL_ALLOWED);
	assert_int_equal(ask_file(sbpl, "file-read-data", "/b"), SBPL_DENIED);
	sbpl_free(sbpl);
}

static void
test_network(void **state)
{
	static const struct {
		const char *filter;
		struct sbpl_question question;
		enum sbpl_answer expected;
	} rows[] = {
	    {"(remote ip)", {.protocol = "tcp", .port = 1}, SBPL_DENIED},
	    {"(remote ip)", {.protocol = "udp", .port = 1}, SBPL_DENIED},
	    {"(remote ip)", {.protocol = "unix", .path = "/s"}, SBPL_ALLOWED},
	    {"(remote tcp \"*:443\")", {.protocol = "tcp", .port = 443},
		SBPL_DENIED},
	    {"(remote tcp \"*:443\")", {.protocol = "tcp", .port = 44},
		SBPL_ALLOWED},
	    {"(remote tcp \"*:443\")", {.protocol = "udp", .port = 443},
		SBPL_ALLOWED},
	    {"(remote udp \"*:*\")", {.protocol = "udp", .port = 9},
		SBPL_DENIED},
	    {"(remote unix-socket)", {.protocol = "unix", .path = "/s"},
		SBPL_DENIED},
	    {"(remote unix-socket (subpath \"/r\"))",
		{.protocol = "unix", .path = "/r/s"}, SBPL_DENIED},
	    {"(remote unix-socket (subpath \"/r\"))",
		{.protocol = "unix", .path = "/s"}, SBPL_ALLOWED},
	    {"(remote unix-socket (subpath \"/r\"))",
		{.protocol = "tcp", .port = 1}, SBPL_ALLOWED},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sbpl_question question = rows[i].question;

		question.operation = "network-outbound";
		if (answer(text(ALLOWING "(deny network-outbound %s)",
			       rows[i].filter),
			&question) != rows[i].expected)
			fail_msg("row %zu: %s", i, rows[i].filter);
		question.operation = "network-bind";
		assert_int_equal(
		    answer(text(ALLOWING "(deny network-outbound %s)",
			       rows[i].filter),
			&question),
		    SBPL_ALLOWED);
	}
}

static void
test_processes_and_services(void **state)
{
	static const char profile[] = ALLOWING
	    "(deny signal (require-not (target same-sandbox)))"
	    "(deny mach-lookup (global-name \"a.b\"))"
	    "(deny file-ioctl (ioctl-command TIOCSTI))"
	    "(deny system-socket (require-not (socket-domain AF_UNIX)))"
	    "(deny process-exec* (subpath \"/p\"))(deny process-fork)";
	static const struct {
		struct sbpl_question question;
		enum sbpl_answer expected;
	} rows[] = {
	    {{.operation = "signal", .target = "self"}, SBPL_ALLOWED},
	    {{.operation = "signal", .target = "same-sandbox"}, SBPL_ALLOWED},
	    {{.operation = "signal", .target = "others"}, SBPL_DENIED},
	    {{.operation = "mach-lookup", .name = "a.b"}, SBPL_DENIED},
	    {{.operation = "mach-lookup", .name = "a.bc"}, SBPL_ALLOWED},
	    {{.operation = "file-ioctl", .path = "/d", .name = "TIOCSTI"},
		SBPL_DENIED},
	    {{.operation = "file-ioctl", .path = "/d", .name = "TIOCGETA"},
		SBPL_ALLOWED},
	    {{.operation = "system-socket", .name = "AF_UNIX"}, SBPL_ALLOWED},
	    {{.operation = "system-socket", .name = "AF_ROUTE"}, SBPL_DENIED},
	    {{.operation = "process-exec", .path = "/p/q"}, SBPL_DENIED},
	    {{.operation = "process-exec", .path = "/q"}, SBPL_ALLOWED},
	    {{.operation = "process-fork"}, SBPL_DENIED},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (answer(profile, &rows[i].question) != rows[i].expected)
			fail_msg("row %zu", i);
}

static void
test_readings(void **state)
{
	static const struct {
		const char *rules;
		enum sbpl_answer expected[SBPL_READINGS];
	} rows[] = {
	    /* last, filtered, longest, deny, first */
	    {"(deny file-read* (subpath \"/a\"))"
	     "(allow file-read* (subpath \"/a/b\"))",
		{SBPL_ALLOWED, SBPL_ALLOWED, SBPL_ALLOWED, SBPL_DENIED,
		    SBPL_DENIED}},
	    {"(allow file-read* (subpath \"/a/b\"))"
	     "(deny file-read* (subpath \"/a\"))",
		{SBPL_DENIED, SBPL_DENIED, SBPL_ALLOWED, SBPL_DENIED,
		    SBPL_ALLOWED}},
	    {"(deny file-read* (subpath \"/a\"))(allow file-read*)",
		{SBPL_ALLOWED, SBPL_DENIED, SBPL_DENIED, SBPL_DENIED,
		    SBPL_DENIED}},
	    {"(allow file-read* (literal \"/a/b\"))"
	     "(deny file-read* (literal \"/a/b\"))",
		{SBPL_DENIED, SBPL_DENIED, SBPL_DENIED, SBPL_DENIED,
		    SBPL_ALLOWED}},
	};
	const struct sbpl_question question = {
	    .operation = "file-read-data", .path = "/a/b"};
	size_t i;
	int j;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sbpl *sbpl =
		    read_with(text(DENYING "%s", rows[i].rules), NULL);

		for (j = 0; j < SBPL_READINGS; j++)
			if (sbpl_ask_as(sbpl, &question,
				(enum sbpl_reading)j) != rows[i].expected[j])
				fail_msg("row %zu, reading %d", i, j);
		assert_int_equal(sbpl_ask(sbpl, &question), SBPL_DISPUTED);
		sbpl_free(sbpl);
	}
}

static void
test_rules_can_be_left_out_and_turned_round(void **state)
{
	struct sbpl *sbpl = read_with(ALLOWING
	    "(deny file-read* (literal \"/a\"))\n(deny file-read* (literal "
	    "\"/b\"))",
	    NULL);

	(void)state;
	assert_int_equal(sbpl_rule_count(sbpl), 2);
	assert_string_equal(
	    sbpl_rule_text(sbpl, 1), "(deny file-read* (literal \"/b\"))");
	sbpl_leave_out(sbpl, 0);
	assert_int_equal(ask_file(sbpl, "file-read-data", "/a"), SBPL_ALLOWED);
	assert_int_equal(ask_file(sbpl, "file-read-data", "/b"), SBPL_DENIED);
	sbpl_leave_out(sbpl, SIZE_MAX);
	assert_int_equal(ask_file(sbpl, "file-read-data", "/a"), SBPL_DENIED);
	sbpl_reverse(sbpl);
	assert_string_equal(
	    sbpl_rule_text(sbpl, 1), "(deny file-read* (literal \"/a\"))");
	sbpl_free(sbpl);
}

static void
test_what_is_not_known_is_refused(void **state)
{
	static const struct {
		const char *text;
		const char *error;
	} rows[] = {
	    {"", "(version 1)"},
	    {"(allow default)", "(version 1)"},
	    {"(version 2)(allow default)", "(version 1)"},
	    {"(version 1)", "default"},
	    {"(version 1)(deny file-read*)(allow default)", "default"},
	    {ALLOWING "(allow default)", "twice"},
	    {ALLOWING "(deny default)", "twice"},
	    {"(version 1)(allow default (literal \"/\"))", "nothing else"},
	    {ALLOWING "(import \"bsd.sb\")", "import"},
	    {ALLOWING "(define x 1)", "define"},
	    {ALLOWING "deny", "deny"},
	    {ALLOWING "\"text\"", "text"},
	    {ALLOWING "(())", "a list"},
	    {ALLOWING "(deny)", "operation"},
	    {ALLOWING "(deny (literal \"/a\"))", "operation"},
	    {ALLOWING "(deny file-red*)", "file-red*"},
	    {ALLOWING "(deny f*)", "f*"},
	    {ALLOWING "(deny *)", "*"},
	    {ALLOWING "(deny file-read (literal \"/a\"))", "file-read"},
	    {ALLOWING "(deny file-read* (path \"/a\"))", "path"},
	    {ALLOWING "(deny file-read* \"/a\")", "something else"},
	    {ALLOWING "(deny file-read* (with report))", "with"},
	    {ALLOWING "(deny file-read* (literal /a))", "begins nothing"},
	    {ALLOWING "(deny file-read* (literal \"a\"))", "literal"},
	    {ALLOWING "(deny file-read* (subpath \"/a/\"))", "subpath"},
	    {ALLOWING "(deny file-read* (literal \"/a\" \"/b\"))", "literal"},
	    {ALLOWING "(deny file-read* (literal (param \"X\")))", "literal"},
	    {ALLOWING "(deny file-read* (regex \"^/a\"))", "regex"},
	    {ALLOWING "(deny file-read* (regex #\"(\"))", "regex"},
	    {ALLOWING "(deny file-read* (require-not))", "require-not"},
	    {ALLOWING "(deny file-read* (require-not (literal \"/a\") "
		      "(literal \"/b\")))",
		"require-not"},
	    {ALLOWING "(deny file-read* (require-all))", "require-all"},
	    {ALLOWING "(deny file-read* (global-name \"a\"))", "global-name"},
	    {ALLOWING "(deny mach-lookup (literal \"/a\"))", "literal"},
	    {ALLOWING "(deny process-fork (literal \"/a\"))", "literal"},
	    {ALLOWING "(deny file-read* signal (literal \"/a\"))", "literal"},
	    {ALLOWING "(deny network* (remote ip))", "remote"},
	    {ALLOWING "(deny network-bind (remote ip))", "remote"},
	    {ALLOWING "(deny network-outbound (remote icmp))", "remote"},
	    {ALLOWING "(deny network-outbound (remote tcp \"h:1\"))", "remote"},
	    {ALLOWING "(deny network-outbound (remote tcp \"*:0\"))", "remote"},
	    {ALLOWING "(deny network-outbound (remote tcp \"*:70000\"))",
		"remote"},
	    {ALLOWING "(deny network-outbound (remote unix-socket \"/a\"))",
		"filter"},
	    {ALLOWING "(deny signal (target everybody))", "target"},
	    {ALLOWING "(deny file-read* (ioctl-command TIOCSTI))",
		"ioctl-command"},
	    {ALLOWING "(deny file-read* (literal \"/a\")", "without an end"},
	    {ALLOWING "(deny file-read* (literal \"/a))", "without an end"},
	    {ALLOWING "(deny file-read* (literal \"/a\\n\"))", "escape"},
	    {ALLOWING ")", "begins nothing"},
	    {ALLOWING "'(deny file-read*)", "begins nothing"},
	    {ALLOWING "#t", "begins nothing"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char error[256] = "";
		struct sbpl *sbpl =
		    sbpl_read(rows[i].text, NULL, error, sizeof(error));

		if (sbpl != NULL)
			fail_msg("read: %s", rows[i].text);
		if (strstr(error, rows[i].error) == NULL)
			fail_msg("%s: %s", rows[i].text, error);
	}
}

static void
test_parameters_must_fit(void **state)
{
	const char *const twice[] = {"A", "/a", "A", "/b", NULL};
	const char *const unused[] = {"A", "/a", NULL};
	const char *const relative[] = {"A", "a", NULL};
	char error[256];

	(void)state;
	assert_null(
	    sbpl_read(ALLOWING "(deny file-read* (literal (param \"A\")))",
		twice, error, sizeof(error)));
	assert_non_null(strstr(error, "twice"));
	assert_null(sbpl_read(ALLOWING, unused, error, sizeof(error)));
	assert_non_null(strstr(error, "nobody uses"));
	assert_null(
	    sbpl_read(ALLOWING "(deny file-read* (literal (param \"A\")))",
		relative, error, sizeof(error)));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_defaults),
    cmocka_unit_test(test_paths),
    cmocka_unit_test(test_combinations),
    cmocka_unit_test(test_parameters),
    cmocka_unit_test(test_network),
    cmocka_unit_test(test_processes_and_services),
    cmocka_unit_test(test_readings),
    cmocka_unit_test(test_rules_can_be_left_out_and_turned_round),
    cmocka_unit_test(test_what_is_not_known_is_refused),
    cmocka_unit_test(test_parameters_must_fit),
};

int
main(void)
{
	return run_all(tests);
}
