/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-conf-show.c - configuration that is shown, by us and by the file that is
 * shipped: core/conf/show.c.
 */

#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/home.h"
#include "conf/conf.h"
#include "conf/show.h"
#include "texts.h"

/* Some bytes in hexadecimal; signs of patterns in brackets, for a path. */
static void
write_bytes(char *to, const unsigned char *bytes, size_t len, bool is_path)
{
	size_t i;

	for (i = 0; i < len; i++) {
		bool is_sign = is_path && strchr("*?[", bytes[i]) != NULL;

		to += sprintf(to, "%s\\x%02x%s", is_sign ? "[" : "", bytes[i],
		    is_sign ? "]" : "");
	}
}

/* Whatever bytes a value has, it is shown so that they are read again. */
static void
test_any_bytes_are_shown_and_read_again(void **state)
{
	unsigned seed = 20261115;
	unsigned round;

	(void)state;
	for (round = 0; round < 500; round++) {
		struct omega_conf *conf = omega_conf_new();
		struct omega_conf *again = omega_conf_new();
		unsigned char bytes[33] = "";
		char path[512] = "";
		char plain[512] = "";
		char *content;
		char *shown;
		size_t len = 1 + (size_t)rand_r(&seed) % 32;
		size_t i;

		for (i = 0; i < len; i++)
			bytes[i] = rand_r(&seed) % 3 == 0
				       ? (unsigned char)"${}[]*?\"'\\#/~\n"
					     [rand_r(&seed) % 14]
				       : 1 + rand_r(&seed) % 255;
		write_bytes(path, bytes, len, true);
		write_bytes(plain, bytes, len, false);
		content = text("blocked_paths = { \"/%s\" }\n"
			       "plugin p { x = \"%s\" }\n"
			       "policy p { description = \"%s\" }\n",
		    path, plain, plain);
		assert_int_equal(texts_parse(conf, content, NULL), 0);
		shown = omega_show(conf);
		assert_non_null(shown);
		if (texts_parse(again, shown, NULL) != 0)
			fail_msg("%s", shown);
		assert_string_equal(
		    omega_conf_items(conf, OMEGA_OPTION_BLOCKED_PATHS)
			    ->items[0]
			    .text +
			1,
		    bytes);
		assert_string_equal(
		    omega_conf_items(again, OMEGA_OPTION_BLOCKED_PATHS)
			    ->items[0]
			    .text +
			1,
		    bytes);
		assert_string_equal(
		    again->sections[0].entries[0].values.items[0].text, bytes);
		assert_string_equal(
		    again->sections[1].entries[0].values.items[0].text, bytes);
		free(shown);
		omega_conf_free(conf);
		omega_conf_free(again);
	}
}

/* Of two lists of commands one file would make one that allows more. */
static void
test_two_lists_of_commands_are_not_shown_as_one(void **state)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_conf *conf = omega_conf_new();
	struct omega_conf *again = omega_conf_new();
	char *shown;

	(void)state;
	assert_int_equal(omega_conf_parse(conf, "1",
			     "allowed_commands = { a, b }\n", 28, NULL),
	    0);
	assert_int_equal(omega_conf_parse(conf, "2",
			     "allowed_commands = { b, c }\n", 28, NULL),
	    0);
	shown = omega_show(conf);
	assert_non_null(strstr(shown, "\nallowed_commands = { a, b }\n"));
	assert_non_null(strstr(shown, "\nallowed_commands = { b, c }\n"));
	assert_int_equal(
	    texts_parse(again, shown, &error), OMEGA_SANDBOX_E_CONFIG);
	assert_non_null(strstr(error.text, "set twice"));
	free(shown);
	omega_conf_free(conf);
	omega_conf_free(again);
}

/* The shipped file, with "#option" lines taken for what they show. */
static void
test_shipped_file_shows_the_defaults(void **state)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_conf *conf = omega_conf_new();
	struct omega_conf *none = omega_conf_new();
	char *home = NULL;
	size_t len;
	size_t i;
	size_t shown = 0;
	char *content = texts_read("etc/sandbox.conf", &len);

	(void)state;
	if (omega_home(&home) < 0)
		skip_because("this user has no passwd entry");
	assert_non_null(content);
	if (omega_conf_parse(conf, "a", content, len, &error) != 0)
		fail_msg("%s", error.text);
	for (i = 0; i < OMEGA_OPTION_TOP_COUNT; i++)
		assert_null(conf->top.values[i].file);
	for (i = 0; i < len; i++)
		if (content[i] == '#' && (i == 0 || content[i - 1] == '\n') &&
		    content[i + 1] >= 'a' && content[i + 1] <= 'z') {
			content[i] = ' ';
			shown++;
		}
	/* All but two, which are other names. */
	assert_int_equal(shown, OMEGA_OPTION_TOP_COUNT - 2);
	if (omega_conf_parse(conf, "b", content, len, &error) != 0)
		fail_msg("%s", error.text);
	for (i = 0; i < OMEGA_OPTION_TOP_COUNT; i++)
		if (i != OMEGA_OPTION_MAX_EXECUTION_TIME_SECS &&
		    i != OMEGA_OPTION_MAX_OUTPUT_BYTES)
			assert_non_null(conf->top.values[i].file);
	assert_int_equal(omega_conf_number(conf, OMEGA_OPTION_TIMEOUT), 30);
	assert_int_equal(
	    omega_conf_number(conf, OMEGA_OPTION_MAX_OUTPUT), 1 << 20);
	assert_int_equal(omega_conf_is(conf, OMEGA_OPTION_ENABLED),
	    omega_conf_is(none, OMEGA_OPTION_ENABLED));
	assert_int_equal(omega_conf_is(conf, OMEGA_OPTION_FAIL_CLOSED),
	    omega_conf_is(none, OMEGA_OPTION_FAIL_CLOSED));
	assert_int_equal(omega_conf_is(conf, OMEGA_OPTION_ALLOW_ROOT),
	    omega_conf_is(none, OMEGA_OPTION_ALLOW_ROOT));
	assert_int_equal(omega_conf_is(conf, OMEGA_OPTION_LOG),
	    omega_conf_is(none, OMEGA_OPTION_LOG));
	assert_int_equal(omega_conf_number(conf, OMEGA_OPTION_ACCEPT),
	    omega_conf_number(none, OMEGA_OPTION_ACCEPT));
	assert_false(omega_conf_is(
	    conf, OMEGA_OPTION_WITNESS)); /* the twin's own default is on */
	assert_true(
	    omega_conf_is(conf, OMEGA_OPTION_CHECK_ARGUMENTS)); /* as above */
	assert_int_equal(
	    omega_conf_items(conf, OMEGA_OPTION_ENV_DENY)->count, 0);
	assert_int_equal(
	    omega_conf_items(conf, OMEGA_OPTION_ENV_ALLOW)->count, 0);
	assert_int_equal(
	    omega_conf_items(conf, OMEGA_OPTION_ENV_SET)->count, 0);
	assert_int_equal(
	    omega_conf_items(conf, OMEGA_OPTION_ALLOWED_COMMANDS)->count, 0);
	assert_int_equal(
	    omega_conf_items(conf, OMEGA_OPTION_SAFE_PATH)->count, 6);
	assert_null(omega_conf_audit_file(conf)->text);
	assert_false(omega_conf_is_audit_syslog(conf));
	assert_int_equal(
	    omega_conf_items(conf, OMEGA_OPTION_AUDIT_MASK)->count, 0);
	assert_int_equal(omega_conf_is(conf, OMEGA_OPTION_AUDIT_FAILURE),
	    omega_conf_is(none, OMEGA_OPTION_AUDIT_FAILURE));
	assert_int_equal(
	    omega_conf_items(conf, OMEGA_OPTION_BLOCKED_PATHS)->count, 0);
	assert_int_equal(omega_conf_number(conf, OMEGA_OPTION_DATA_DIR_MODE),
	    omega_conf_number(none, OMEGA_OPTION_DATA_DIR_MODE));
	assert_int_equal(omega_conf_number(conf, OMEGA_OPTION_HIDE_SOCKETS),
	    omega_conf_number(none, OMEGA_OPTION_HIDE_SOCKETS));
	assert_int_equal(
	    omega_conf_items(conf, OMEGA_OPTION_ALLOW_SOCKETS)->count, 0);
	assert_int_equal(
	    omega_conf_items(conf, OMEGA_OPTION_ALLOW_DEVICES)->count, 0);
	assert_int_equal(conf->section_count, 0);
	assert_null(omega_conf_first(conf, OMEGA_OPTION_CONFIG_FILE)->text);
	assert_int_equal(
	    omega_conf_items(conf, OMEGA_OPTION_BACKEND)->count, 1);
	assert_string_equal(
	    omega_conf_items(conf, OMEGA_OPTION_BACKEND)->items[0].text,
	    "auto");
	assert_string_equal(omega_conf_first(conf, OMEGA_OPTION_DATA_DIR)->text,
	    text("%s/.omega", home));
	free(home);
	free(content);
	omega_conf_free(conf);
	omega_conf_free(none);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_any_bytes_are_shown_and_read_again),
	    cmocka_unit_test(test_two_lists_of_commands_are_not_shown_as_one),
	    cmocka_unit_test(test_shipped_file_shows_the_defaults),
	};

	return run_all(tests);
}
