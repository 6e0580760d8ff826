/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-conf.c - configuration as text that a file would not keep as it is:
 * core/conf without files and trust. The others are in test-conf-fixtures.c.
 */

#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/home.h"
#include "conf/conf.h"
#include "conf/named.h"
#include "texts.h"

/* Bytes that a file in a repository may lose on its way. */
static const struct {
	const char *content;
	size_t len;
	uint32_t line;
	const char *message;
} raw_faults[] = {
#define RAW(content, line, message)                         \
	{                                                   \
		content, sizeof(content) - 1, line, message \
	}
    RAW("enabled = true\n\0", 2, "there is a NUL byte in the text"),
    RAW("# comment \0\n", 1, "there is a NUL byte in the text"),
    RAW("data_dir = \"/a\0b\"\n", 1, "there is a NUL byte in the text"),
    RAW("\xef\xbb\xbf"
	"enabled = true\n",
	1, "the file begins with a byte order mark"),
    RAW("# old Mac\renabled = false\r", 1,
	"a carriage return without a line feed"),
    RAW("\r\n\r\nenabled = false\r", 3,
	"a carriage return without a line feed"),
    RAW("data_dir = \"/a\rb\"\n", 1, "a carriage return without a line feed"),
    RAW("\ndata_dir = \"/a\033b\"\n", 2,
	"there is a control character in the string; write it as \\x1b"),
    RAW("data_dir = '/a\177b'\n", 1,
	"there is a control character in the string; write it as \\x7f"),
    RAW("data_dir = \"/a\r\n", 1, "the string is not closed"),
    RAW("enabled = \f true\n", 1, "unexpected byte 0x0c outside quotes"),
    RAW("enabled = tr\xfc\n", 1, "unexpected byte 0xfc outside quotes"),
    RAW("a", 1, "expected '=' after 'a'"),
    RAW("/", 1, "unexpected '/'"),
    RAW("/*", 1, "the comment that begins here with /* is not closed"),
    RAW("/*/", 1, "the comment that begins here with /* is not closed"),
    RAW("\n/**", 2, "the comment that begins here with /* is not closed"),
    RAW("\"", 1, "the string is not closed"),
    RAW("'\\", 1, "in single quotes a backslash"),
    RAW("\"\\x", 1, "\\x needs two hexadecimal digits"),
    RAW("\"\\x0", 1, "\\x needs two hexadecimal digits"),
    RAW("+", 1, "unexpected '+'"),
    RAW("$", 1, "unexpected '$'"),
    RAW("${", 1, "${...} would be taken from the environment"),
};

static void
test_bytes_no_configuration_has_are_refused(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(raw_faults) / sizeof(raw_faults[0]); i++) {
		struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
		struct omega_conf *conf = omega_conf_new();

		assert_int_equal(
		    omega_conf_parse(conf, "x.conf", raw_faults[i].content,
			raw_faults[i].len, &error),
		    OMEGA_SANDBOX_E_CONFIG);
		if (error.line != raw_faults[i].line ||
		    strstr(error.text, raw_faults[i].message) == NULL)
			fail_msg("%u: line %u: %s", (unsigned)i, error.line,
			    error.text);
		omega_conf_free(conf);
	}
}

static void
test_lines_may_end_as_on_windows(void **state)
{
	static const char content[] = "# a\r\nenabled = false\r\n"
				      "blocked_paths = {\r\n\"/a\",\r\n}\r\n";
	struct omega_conf *conf = omega_conf_new();

	(void)state;
	assert_int_equal(texts_parse(conf, content, NULL), 0);
	assert_false(omega_conf_is(conf, OMEGA_OPTION_ENABLED));
	assert_int_equal(
	    omega_conf_items(conf, OMEGA_OPTION_BLOCKED_PATHS)->count, 1);
	assert_string_equal(
	    omega_conf_items(conf, OMEGA_OPTION_BLOCKED_PATHS)->items[0].text,
	    "/a");
	assert_int_equal(
	    omega_conf_items(conf, OMEGA_OPTION_BLOCKED_PATHS)->items[0].line,
	    4);
	omega_conf_free(conf);
}

static void
test_paths_are_bytes(void **state)
{
	struct omega_conf *conf = omega_conf_new();

	(void)state;
	assert_int_equal(
	    texts_parse(conf,
		"data_dir = \"/\xff\xfe\"\nconfig_file = '/\x80\xc3'\n", NULL),
	    0);
	assert_string_equal(
	    omega_conf_first(conf, OMEGA_OPTION_DATA_DIR)->text, "/\xff\xfe");
	assert_string_equal(
	    omega_conf_first(conf, OMEGA_OPTION_CONFIG_FILE)->text,
	    "/\x80\xc3");
	omega_conf_free(conf);
}

static void
test_tilde_is_home_by_passwd(void **state)
{
	struct omega_conf *conf = omega_conf_new();
	char *home = NULL;

	(void)state;
	if (omega_home(&home) < 0)
		skip_because("this user has no passwd entry");
	setenv("HOME", "/somewhere/else", 1);
	assert_int_equal(texts_parse(conf,
			     "data_dir = \"~\"\nconfig_file = '~/a b'\n"
			     "blocked_paths = { \"~/\", \"/~\", \"/a/~/b\" }\n",
			     NULL),
	    0);
	assert_string_equal(
	    omega_conf_first(conf, OMEGA_OPTION_DATA_DIR)->text, home);
	assert_string_equal(
	    omega_conf_first(conf, OMEGA_OPTION_CONFIG_FILE)->text,
	    text("%s/a b", home));
	assert_string_equal(
	    omega_conf_items(conf, OMEGA_OPTION_BLOCKED_PATHS)->items[0].text,
	    text("%s/", home));
	assert_string_equal(
	    omega_conf_items(conf, OMEGA_OPTION_BLOCKED_PATHS)->items[1].text,
	    "/~");
	assert_string_equal(
	    omega_conf_items(conf, OMEGA_OPTION_BLOCKED_PATHS)->items[2].text,
	    "/a/~/b");
	free(home);
	omega_conf_free(conf);
}

static int
use_tilde_without_home(void *arg)
{
	struct omega_sandbox_error *error = arg;
	struct omega_conf *conf = omega_conf_new();
	int ret;

	ret = texts_parse(conf, "\ndata_dir = \"~/x\"\n", error);
	omega_conf_free(conf);
	return ret == OMEGA_SANDBOX_E_CONFIG && error->line == 2 &&
		       strstr(error->text, "has no meaning") != NULL
		   ? 0
		   : 1;
}

static void
test_tilde_without_home_is_an_error(void **state)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;

	(void)state;
	if (getuid() != 0)
		skip_because("only root can become a user without an entry");
	assert_int_equal(in_user_child(use_tilde_without_home, &error), 0);
}

/* One option at a time: it changes what it says and nothing else. */
static void
test_an_option_changes_nothing_else(void **state)
{
	static const struct {
		const char *content;
		const char *line; /* of the texts_dump */
	} cases[] = {
	    {"enabled = false", "disabled fail_closed root no_log"},
	    {"fail_closed = false", "enabled fail_open root no_log"},
	    {"allow_root = false", "enabled fail_closed no_root no_log"},
	    {"log = syslog", "enabled fail_closed root syslog"},
	    {"accept = {}", "accept"},
	    {"accept = { terminal }", "accept terminal"},
	    {"accept = { late_sockets }", "accept outside_sockets"},
	    {"accept = { path_sockets }", "accept outside_sockets"},
	    {"backend = noop", "backend \"noop\" at x.conf:1"},
	    {"data_dir = '/a'", "data_dir \"/a\" at x.conf:1"},
	    {"config_file = '/a'", "config_file \"/a\" at x.conf:1"},
	    {"blocked_paths = {'/a'}", "blocked \"/a\" at x.conf:1"},
	    {"data_dir_mode = mask", "data_dir_mode 1"},
	    {"data_dir_mode = shield", "data_dir_mode 2"},
	    {"hide_sockets = launchers", "hide_sockets 1"},
	    {"hide_sockets = none", "hide_sockets 2"},
	    {"allow_sockets = {'/a'}", "socket \"/a\" at x.conf:1"},
	    {"allow_devices = {'/a'}", "device \"/a\" at x.conf:1"},
	    {"env_deny = {'*_X'}", "env_deny \"*_X\" at x.conf:1"},
	    {"env_allow = {A_KEY}", "env_allow \"A_KEY\" at x.conf:1"},
	    {"env_set = {'A=b=c'}", "env_set \"A=b=c\" at x.conf:1"},
	    {"allowed_commands = {ls}", "command \"ls\" at x.conf:1"},
	    {"allowed_commands = {'/a'}", "command \"/a\" at x.conf:1"},
	    {"safe_path = {'/a'}", "safe \"/a\" at x.conf:1"},
	    {"check_arguments = true", "check_arguments"},
	    {"audit = '/a'", "audit \"/a\" at x.conf:1"},
	    {"audit = {syslog}", "audit syslog"},
	    {"audit_mask = {'-p*'}", "mask \"-p*\" at x.conf:1"},
	    {"audit_failure = warn", "audit optional"},
	    {"plugin a { b = c }", "plugin a: b at x.conf:1"},
	};
	struct omega_conf *none = omega_conf_new();
	char *before = texts_dump(none);
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct omega_conf *conf = omega_conf_new();
		char *after;
		char *line;
		char *rest;
		unsigned changed = 0;

		assert_int_equal(texts_parse(conf, cases[i].content, NULL), 0);
		after = texts_dump(conf);
		assert_non_null(strstr(after, text("%s\n", cases[i].line)));
		for (line = strtok_r(after, "\n", &rest); line != NULL;
		     line = strtok_r(NULL, "\n", &rest))
			if (strstr(before, text("%s\n", line)) == NULL &&
			    line[0] != '\t' && strncmp(line, "option", 6) != 0)
				changed++;
		assert_int_equal(changed, 1);
		free(after);
		omega_conf_free(conf);
	}
	free(before);
	omega_conf_free(none);
}

/* Every switch knows the same words, wherever it stands. */
static void
test_a_switch_is_a_switch_everywhere(void **state)
{
	static const char *const frames[][2] = {{"enabled", ""},
	    {"allow_root", ""}, {"fail_closed", ""}, {"witness", ""},
	    {"check_arguments", ""}, {"policy p { fork", "}"},
	    {"agent a { read_all", "}"}, {"tier t { sandbox", "}"}};
	static const struct {
		const char *word;
		bool is_one;
	} words[] = {{"true", true}, {"TRUE", true}, {"Yes", true},
	    {"on", true}, {"\"false\"", true}, {"'No'", true}, {"oFF", true},
	    {"1", false}, {"0", false}, {"\"\"", false}, {"maybe", false},
	    {"\" true\"", false}, {"truee", false}};
	size_t i;
	size_t j;

	(void)state;
	for (i = 0; i < sizeof(frames) / sizeof(frames[0]); i++)
		for (j = 0; j < sizeof(words) / sizeof(words[0]); j++) {
			struct omega_sandbox_error error =
			    OMEGA_SANDBOX_ERROR_INIT;
			struct omega_conf *conf = omega_conf_new();
			const char *content = text("%s = %s %s", frames[i][0],
			    words[j].word, frames[i][1]);
			int ret;

			ret = texts_parse(conf, content, &error);
			if (ret == 0)
				ret = omega_named_check(conf, &error);
			if ((ret == 0) != words[j].is_one)
				fail_msg("%s: %s", content, error.text);
			if (ret < 0 &&
			    strstr(error.text, "is true or false") == NULL)
				fail_msg("%s: %s", content, error.text);
			omega_conf_free(conf);
		}
}

/* No path is a pattern, wherever it stands. */
static void
test_a_pattern_is_refused_everywhere(void **state)
{
	static const char *const frames[][2] = {{"data_dir = '", "'"},
	    {"config_file = '", "'"}, {"blocked_paths = {'/a', '", "'}"},
	    {"allow_sockets = {'", "'}"}, {"allow_devices = {'", "'}"},
	    {"allowed_commands = {'", "'}"}, {"safe_path = {'", "'}"},
	    {"audit = '", "'"}, {"policy p { read = {'", "'} }"},
	    {"policy p { write = {'", "'} }"}, {"policy p { deny = {'", "'} }"},
	    {"policy p { deny_read = {'", "'} }"},
	    {"agent a { execute = {'", "'} }"},
	    {"group g { paths = {'", "'} }"}};
	static const struct {
		const char *path;
		bool is_one;
	} paths[] = {{"/a/*", false}, {"/a?/b", false}, {"/a/[bc]", false},
	    {"/[*]/*", false}, {"/a[[]/[b]", false}, {"/[**]", false},
	    {"/a/[*]", true}, {"/a[?]/b", true}, {"/a/[[]bc]", true},
	    {"/a/[", true}};
	size_t i;
	size_t j;

	(void)state;
	for (i = 0; i < sizeof(frames) / sizeof(frames[0]); i++)
		for (j = 0; j < sizeof(paths) / sizeof(paths[0]); j++) {
			struct omega_sandbox_error error =
			    OMEGA_SANDBOX_ERROR_INIT;
			struct omega_conf *conf = omega_conf_new();
			const char *content = text("%s%s%s", frames[i][0],
			    paths[j].path, frames[i][1]);
			int ret;

			ret = texts_parse(conf, content, &error);
			if (ret == 0)
				ret = omega_named_check(conf, &error);
			if ((ret == 0) != paths[j].is_one ||
			    (ret < 0 && strstr(error.text, "has a pattern in "
							   "it") == NULL))
				fail_msg("%s: %s", content, error.text);
			omega_conf_free(conf);
		}
}

/* Parse two texts as two files, one after the other. */
static struct omega_conf *
parse_two(const char *one, const char *two)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_conf *conf = omega_conf_new();

	if (omega_conf_parse(conf, "1", one, strlen(one), &error) != 0 ||
	    omega_conf_parse(conf, "2", two, strlen(two), &error) != 0)
		fail_msg("%s", error.text);
	return conf;
}

/* Of two files the stricter word wins, whichever comes first. */
static void
test_a_later_file_only_closes_openings(void **state)
{
	static const char *const modes[] = {"mask", "auto", "shield"};
	static const char *const hides[] = {"none", "launchers", "own"};
	static const uint32_t mode_values[] = {0, 1, 2};
	static const uint32_t hide_values[] = {2, 1, 0};
	struct omega_conf *conf;
	size_t i;
	size_t j;

	(void)state;
	for (i = 0; i < 3; i++)
		for (j = 0; j < 3; j++) {
			size_t max = i > j ? i : j;

			conf = parse_two(
			    text("data_dir_mode = %s\nhide_sockets = %s\n",
				modes[i], hides[i]),
			    text("data_dir_mode = %s\nhide_sockets = %s\n",
				modes[j], hides[j]));
			assert_int_equal(
			    omega_conf_number(conf, OMEGA_OPTION_DATA_DIR_MODE),
			    mode_values[max]);
			assert_int_equal(
			    omega_conf_number(conf, OMEGA_OPTION_HIDE_SOCKETS),
			    hide_values[max]);
			omega_conf_free(conf);
		}
	conf = parse_two("allow_sockets = {'/a', '/b'}\n"
			 "allow_devices = {'/dev/kvm'}\n",
	    "allow_sockets = {'/b', '/c'}\nallow_devices = {}\n");
	assert_int_equal(
	    omega_conf_items(conf, OMEGA_OPTION_ALLOW_SOCKETS)->count, 1);
	assert_string_equal(
	    omega_conf_items(conf, OMEGA_OPTION_ALLOW_SOCKETS)->items[0].text,
	    "/b");
	assert_int_equal(
	    omega_conf_items(conf, OMEGA_OPTION_ALLOW_DEVICES)->count, 0);
	omega_conf_free(conf);
}

static void
test_words_that_are_none_are_refused(void **state)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_conf *conf = omega_conf_new();

	(void)state;
	assert_int_equal(texts_parse(conf, "data_dir_mode = veil", &error),
	    OMEGA_SANDBOX_E_CONFIG);
	assert_string_equal(error.text,
	    "x.conf:1: data_dir_mode is one of mask, auto, shield, not 'veil'");
	omega_conf_free(conf);
	conf = omega_conf_new();
	assert_int_equal(texts_parse(conf, "hide_sockets = ''", &error),
	    OMEGA_SANDBOX_E_CONFIG);
	assert_string_equal(error.text,
	    "x.conf:1: hide_sockets is one of none, launchers, own, not ''");
	omega_conf_free(conf);
	{
		static const char *const wrong[] = {"env_deny = {'A=B'}",
		    "env_allow = {'A B'}", "env_deny = {''}",
		    "env_set = {NAME}", "env_set = {'=x'}",
		    "env_set = {'A*=x'}", "allowed_commands = {''}",
		    "allowed_commands = {'a/b'}", "safe_path = {}",
		    "safe_path = {bin}", "check_arguments = maybe",
		    "audit = {'/a', '/b'}", "audit = relative",
		    "audit = {none, syslog}", "audit_mask = {''}",
		    "audit_failure = maybe"};
		size_t i;

		for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
			conf = omega_conf_new();
			if (texts_parse(conf, wrong[i], &error) !=
			    OMEGA_SANDBOX_E_CONFIG)
				fail_msg("%s was taken", wrong[i]);
			omega_conf_free(conf);
		}
		/* What is to be secret is not told. */
		conf = omega_conf_new();
		assert_int_equal(
		    texts_parse(conf, "env_set = {'A B=hush'}", &error),
		    OMEGA_SANDBOX_E_CONFIG);
		assert_null(strstr(error.text, "hush"));
		omega_conf_free(conf);
	}
	conf = omega_conf_new();
	assert_int_equal(texts_parse(conf, "allow_sockets = {'agent'}", &error),
	    OMEGA_SANDBOX_E_CONFIG);
	omega_conf_free(conf);
}

static void
test_the_smallest_limit_of_a_run_counts(void **state)
{
	static const struct {
		const char *content;
		const char *text; /* of the error */
	} wrong[] = {
	    {"timeout = 5s\nmax_execution_time_secs = 5",
		"x.conf:2: max_execution_time_secs is the same as timeout, "
		"which is set in line 1; keep one of them"},
	    {"max_output_bytes = 5\nmax_output = 5",
		"x.conf:2: max_output is the same as max_output_bytes, which "
		"is set in line 1; keep one of them"},
	    {"timeout = 0", "x.conf:1: timeout: '0' is zero or too large"},
	    {"timeout = 5x", "x.conf:1: timeout is a time such as 30s (s, m, "
			     "h, d), not '5x'"},
	    {"max_execution_time_secs = 5s",
		"x.conf:1: max_execution_time_secs is a number of seconds, "
		"not '5s'"},
	    {"max_output_bytes = 1M",
		"x.conf:1: max_output_bytes is a number of bytes, not '1M'"},
	    {"max_output = {1}",
		"x.conf:1: max_output takes one value, not a list"},
	};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_conf *conf = omega_conf_new();
	static const char second[] = "max_execution_time_secs = 45\n"
				     "max_output_bytes = 1000000";
	static const char third[] = "timeout = 2m\nmax_output = 2M";
	size_t i;

	(void)state;
	assert_int_equal(omega_conf_number(conf, OMEGA_OPTION_TIMEOUT), 0);
	assert_int_equal(omega_conf_number(conf, OMEGA_OPTION_MAX_OUTPUT), 0);
	assert_int_equal(
	    texts_parse(conf, "timeout = 1m\nmax_output = 1M", &error), 0);
	assert_int_equal(omega_conf_number(conf, OMEGA_OPTION_TIMEOUT), 60);
	assert_int_equal(
	    omega_conf_number(conf, OMEGA_OPTION_MAX_OUTPUT), 1 << 20);
	assert_int_equal(
	    omega_conf_parse(conf, "y", second, strlen(second), &error), 0);
	assert_int_equal(
	    omega_conf_parse(conf, "z", third, strlen(third), &error), 0);
	assert_int_equal(omega_conf_number(conf, OMEGA_OPTION_TIMEOUT), 45);
	assert_int_equal(
	    omega_conf_number(conf, OMEGA_OPTION_MAX_OUTPUT), 1000000);
	omega_conf_free(conf);
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		conf = omega_conf_new();
		assert_int_equal(texts_parse(conf, wrong[i].content, &error),
		    OMEGA_SANDBOX_E_CONFIG);
		assert_string_equal(error.text, wrong[i].text);
		omega_conf_free(conf);
	}
}

static void
test_a_bad_text_does_not_reach_the_next(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(raw_faults) / sizeof(raw_faults[0]); i++) {
		struct omega_conf *bad = omega_conf_new();
		struct omega_conf *good = omega_conf_new();

		assert_true(omega_conf_parse(bad, "bad", raw_faults[i].content,
				raw_faults[i].len, NULL) < 0);
		assert_int_equal(
		    texts_parse(good, "enabled = false\n", NULL), 0);
		assert_false(omega_conf_is(good, OMEGA_OPTION_ENABLED));
		omega_conf_free(bad);
		omega_conf_free(good);
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_bytes_no_configuration_has_are_refused),
	    cmocka_unit_test(test_lines_may_end_as_on_windows),
	    cmocka_unit_test(test_paths_are_bytes),
	    cmocka_unit_test(test_tilde_is_home_by_passwd),
	    cmocka_unit_test(test_tilde_without_home_is_an_error),
	    cmocka_unit_test(test_an_option_changes_nothing_else),
	    cmocka_unit_test(test_a_switch_is_a_switch_everywhere),
	    cmocka_unit_test(test_a_pattern_is_refused_everywhere),
	    cmocka_unit_test(test_a_later_file_only_closes_openings),
	    cmocka_unit_test(test_words_that_are_none_are_refused),
	    cmocka_unit_test(test_a_bad_text_does_not_reach_the_next),
	    cmocka_unit_test(test_the_smallest_limit_of_a_run_counts),
	};

	return run_all(tests);
}
