/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-options.c - plugin options against the plugin's table:
 * core/load/options.c.
 */

#include "harness.h"

#include <stdlib.h>
#include <string.h>

#include "load/options.h"
#include "written.h"

#define SIZE sizeof(struct omega_sandbox_option)

static const char *const colours[] = {"red", "green", NULL};

static const struct omega_sandbox_option flag = {
    .size = SIZE,
    .type = OMEGA_SANDBOX_OPTION_BOOL,
    .name = "flag",
    .help = "A flag.",
    .initial = 1,
};
static const struct omega_sandbox_option number = {
    .size = SIZE,
    .type = OMEGA_SANDBOX_OPTION_INT,
    .name = "number",
    .help = "A number.",
    .minimum = -3,
    .maximum = 10,
    .initial = 4,
};
static const struct omega_sandbox_option wide = {
    .size = SIZE,
    .type = OMEGA_SANDBOX_OPTION_INT,
    .name = "wide",
    .help = "Any number.",
    .minimum = INT64_MIN,
    .maximum = INT64_MAX,
};
static const struct omega_sandbox_option word = {
    .size = SIZE,
    .type = OMEGA_SANDBOX_OPTION_STRING,
    .name = "word",
    .help = "A word.",
};
static const struct omega_sandbox_option colour = {
    .size = SIZE,
    .type = OMEGA_SANDBOX_OPTION_STRING,
    .name = "colour",
    .help = "A colour.",
    .initial_text = "green",
    .words = colours,
};
static const struct omega_sandbox_option list = {
    .size = SIZE,
    .type = OMEGA_SANDBOX_OPTION_LIST,
    .name = "list",
    .help = "Words.",
};
static const struct omega_sandbox_option colour_list = {
    .size = SIZE,
    .type = OMEGA_SANDBOX_OPTION_LIST,
    .name = "colours",
    .help = "Colours.",
    .words = colours,
};
static const struct omega_sandbox_option *const table[] = {
    &flag, &number, &wide, &word, &colour, &list, &colour_list, NULL};

static struct omega_options *
make(const struct written *written)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_options *options = NULL;
	int ret = omega_options_new(table, "test",
	    written == NULL ? NULL : &written->conf, &options, &error);

	if (ret != 0)
		fail_msg("%d: %s", ret, error.text);
	return options;
}

/* The configuration is refused, at this line, with this text. */
static void
assert_conf_refused(
    const struct written *written, uint32_t line, const char *expected)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_options *options = NULL;

	assert_int_equal(
	    omega_options_new(table, "test", &written->conf, &options, &error),
	    OMEGA_SANDBOX_E_CONFIG);
	assert_null(options);
	assert_string_equal(error.text,
	    text("/etc/test.conf:%u: %s", (unsigned)line, expected));
	assert_string_equal(error.file, "/etc/test.conf");
	assert_int_equal(error.line, line);
	assert_int_equal(error.code, OMEGA_SANDBOX_E_CONFIG);
	assert_int_equal(
	    omega_options_new(table, "test", &written->conf, &options, NULL),
	    OMEGA_SANDBOX_E_CONFIG);
}

static void
assert_value_refused(const char *name, const char *value, const char *expected)
{
	struct written written = {.conf.section_count = 0};

	write_value(&written, "test", name, value, 7);
	assert_conf_refused(&written, 7, expected);
}

/* ---- Values ------------------------------------------------------------- */

static void
test_defaults_hold_when_nothing_is_written(void **state)
{
	struct omega_options *options = make(NULL);

	(void)state;
	assert_int_equal(omega_options_int(options, "flag"), 1);
	assert_int_equal(omega_options_int(options, "number"), 4);
	assert_null(omega_options_text(options, "word"));
	assert_string_equal(omega_options_text(options, "colour"), "green");
	assert_null(omega_options_item(options, "list", 0));
	assert_null(omega_options_item(options, "list", 99));
	omega_options_free(options);
}

static void
test_written_values_are_served(void **state)
{
	static const char *const words[] = {"a", "b", NULL};
	static const char *const two[] = {"green", "red", NULL};
	struct written written = {.conf.section_count = 0};
	struct omega_options *options;

	(void)state;
	write_value(&written, "test", "flag", "false", 1);
	write_value(&written, "test", "number", "-3", 2);
	write_value(&written, "test", "word", "any thing", 3);
	write_value(&written, "test", "colour", "red", 4);
	write_option(&written, "test", "list", true, words, 5);
	write_option(&written, "test", "colours", true, two, 6);
	options = make(&written);
	/* It keeps nothing of the configuration. */
	memset(&written, 0xa5, sizeof(written));
	assert_int_equal(omega_options_int(options, "flag"), 0);
	assert_int_equal(omega_options_int(options, "number"), -3);
	assert_string_equal(omega_options_text(options, "word"), "any thing");
	assert_string_equal(omega_options_text(options, "colour"), "red");
	assert_string_equal(omega_options_item(options, "list", 0), "a");
	assert_string_equal(omega_options_item(options, "list", 1), "b");
	assert_null(omega_options_item(options, "list", 2));
	assert_null(omega_options_item(options, "list", 3));
	assert_null(omega_options_item(options, "list", SIZE_MAX));
	assert_string_equal(omega_options_item(options, "colours", 1), "red");
	omega_options_free(options);
}

static void
test_empty_list_and_empty_text_are_values(void **state)
{
	static const char *const none[] = {NULL};
	struct written written = {.conf.section_count = 0};
	struct omega_options *options;

	(void)state;
	write_option(&written, "test", "list", true, none, 1);
	write_value(&written, "test", "word", "", 2);
	options = make(&written);
	assert_null(omega_options_item(options, "list", 0));
	assert_string_equal(omega_options_text(options, "word"), "");
	omega_options_free(options);
}

static void
test_booleans_have_three_spellings(void **state)
{
	static const struct {
		const char *text;
		int value;
	} rows[] = {{"true", 1}, {"yes", 1}, {"on", 1}, {"True", 1},
	    {"false", 0}, {"no", 0}, {"off", 0}, {"NO", 0}};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct written written = {.conf.section_count = 0};
		struct omega_options *options;

		write_value(&written, "test", "flag", rows[i].text, 1);
		options = make(&written);
		assert_int_equal(
		    omega_options_int(options, "flag"), rows[i].value);
		omega_options_free(options);
	}
}

static void
test_numbers_reach_their_limits(void **state)
{
	static const char *const texts[] = {
	    "-9223372036854775808", "9223372036854775807", "0", "-0"};
	static const int64_t values[] = {INT64_MIN, INT64_MAX, 0, 0};
	size_t i;

	(void)state;
	for (i = 0; i < 4; i++) {
		struct written written = {.conf.section_count = 0};
		struct omega_options *options;

		write_value(&written, "test", "wide", texts[i], 1);
		options = make(&written);
		assert_true(omega_options_int(options, "wide") == values[i]);
		omega_options_free(options);
	}
}

static void
test_options_of_other_plugins_are_left_alone(void **state)
{
	struct written written = {.conf.section_count = 0};
	struct omega_options *options;

	(void)state;
	write_value(&written, "other", "unknown", "x", 1);
	write_value(&written, "test2", "number", "junk", 2);
	options = make(&written);
	assert_int_equal(omega_options_int(options, "number"), 4);
	omega_options_free(options);
}

static void
test_asking_for_another_type_gives_nothing(void **state)
{
	struct omega_options *options = make(NULL);

	(void)state;
	assert_int_equal(omega_options_int(options, "colour"), 0);
	assert_int_equal(omega_options_int(options, "none"), 0);
	assert_int_equal(omega_options_int(options, NULL), 0);
	assert_null(omega_options_text(options, "flag"));
	assert_null(omega_options_text(options, "list"));
	assert_null(omega_options_text(options, "none"));
	assert_null(omega_options_item(options, "colour", 0));
	assert_null(omega_options_item(options, "none", 0));
	assert_int_equal(omega_options_int(NULL, "flag"), 0);
	assert_null(omega_options_text(NULL, "colour"));
	assert_null(omega_options_item(NULL, "list", 0));
	omega_options_free(options);
	omega_options_free(NULL);
}

/* ---- What an administrator can get wrong -------------------------------- */

static void
test_unknown_option_names_the_known_ones(void **state)
{
	(void)state;
	assert_value_refused("speed", "1",
	    "plugin \"test\" takes no option 'speed'; it takes flag, number, "
	    "wide, word, colour, list, colours");
}

/* Before it is searched for in the wrong place. */
static void
test_option_of_every_backend_is_sent_out_of_the_section(void **state)
{
	(void)state;
	assert_value_refused("data_dir_mode", "mask",
	    "plugin \"test\" takes no option 'data_dir_mode': it is an option "
	    "for every backend; write it outside of the section");
	assert_value_refused("allow_sockets", "/a",
	    "plugin \"test\" takes no option 'allow_sockets': it is an option "
	    "for every backend; write it outside of the section");
}

static void
test_plugin_without_options_says_so(void **state)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct written written = {.conf.section_count = 0};
	struct omega_options *options = NULL;

	(void)state;
	write_value(&written, "test", "speed", "1", 3);
	assert_int_equal(
	    omega_options_new(NULL, "test", &written.conf, &options, &error),
	    OMEGA_SANDBOX_E_CONFIG);
	assert_string_equal(error.text,
	    "/etc/test.conf:3: plugin \"test\" takes no option 'speed'; it "
	    "takes none");
}

static void
test_wrong_boolean_is_refused(void **state)
{
	static const char *const values[] = {"1", "0", "", "truth", "tru"};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		assert_value_refused("flag", values[i],
		    text("option 'flag' of plugin \"test\" takes true or "
			 "false, not '%s'",
			values[i]));
}

static void
test_wrong_number_is_refused(void **state)
{
	static const char *const values[] = {"", "x", "1x", "0x1", "010", "1.5",
	    " 1", "1 ", "+1", "--1", "-", "-4", "11", "99999999999999999999",
	    "-99999999999999999999"};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		assert_value_refused("number", values[i],
		    text("option 'number' of plugin \"test\" takes a whole "
			 "number from -3 to 10, not '%s'",
			values[i]));
}

static void
test_wrong_word_is_refused(void **state)
{
	static const char *const two[] = {"red", "blue", NULL};
	struct written written = {.conf.section_count = 0};

	(void)state;
	assert_value_refused("colour", "blue",
	    "option 'colour' of plugin \"test\" takes one of: red, green; "
	    "not 'blue'");
	/* An item of a list has a line of its own. */
	write_option(&written, "test", "colours", true, two, 20);
	assert_conf_refused(&written, 21,
	    "option 'colours' of plugin \"test\" takes one of: red, green; "
	    "not 'blue'");
}

static void
test_list_for_one_value_is_refused(void **state)
{
	static const char *const one[] = {"1", NULL};
	static const char *const names[] = {"flag", "number", "word"};
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		struct written written = {.conf.section_count = 0};

		write_option(&written, "test", names[i], true, one, 5);
		assert_conf_refused(&written, 5,
		    text("option '%s' of plugin \"test\" takes one value, "
			 "not a list",
			names[i]));
	}
}

static void
test_one_value_for_a_list_is_refused(void **state)
{
	(void)state;
	assert_value_refused("list", "a",
	    "option 'list' of plugin \"test\" takes a list, written "
	    "{ \"a\", \"b\" }");
}

/* ---- What a plugin can get wrong ---------------------------------------- */

static void
assert_table_refused(
    const struct omega_sandbox_option *const *broken, const char *expected)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_options *options = NULL;

	assert_int_equal(
	    omega_options_new(broken, "test", NULL, &options, &error),
	    OMEGA_SANDBOX_E_PLUGIN);
	assert_string_equal(error.text, expected);
	assert_null(options);
}

static void
assert_option_refused(
    const struct omega_sandbox_option *option, const char *expected)
{
	const struct omega_sandbox_option *const broken[] = {
	    &flag, option, NULL};

	assert_table_refused(broken, expected);
}

static void
test_option_without_proper_name_is_refused(void **state)
{
	static const char *const names[] = {NULL, "", "Upper", "with-dash",
	    "with space",
	    "a_name_that_is_longer_than_sixty_three_bytes_which_"
	    "is_the_most_here"};
	struct omega_sandbox_option option = number;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		option.name = names[i];
		assert_option_refused(
		    &option, "entry 2 of its option table has no proper name");
	}
}

static void
test_option_of_unknown_type_is_refused(void **state)
{
	struct omega_sandbox_option option = number;

	(void)state;
	option.type = 0;
	assert_option_refused(&option,
	    "its option 'number' has type 0, which this library does not "
	    "know");
	option.type = 5;
	assert_option_refused(&option,
	    "its option 'number' has type 5, which this library does not "
	    "know");
}

static void
test_short_option_is_refused(void **state)
{
	struct omega_sandbox_option option = number;

	(void)state;
	option.size = SIZE - 1;
	assert_option_refused(&option,
	    text("entry 2 of its option table has %zu bytes, but ABI 1.0 has "
		 "%zu",
		SIZE - 1, SIZE));
}

static void
test_longer_option_is_fine(void **state)
{
	struct {
		struct omega_sandbox_option option;
		uint64_t more[4];
	} longer = {.option = number};
	const struct omega_sandbox_option *const newer[] = {
	    &longer.option, NULL};
	struct omega_options *options = NULL;

	(void)state;
	longer.option.size = sizeof(longer);
	assert_int_equal(
	    omega_options_new(newer, "test", NULL, &options, NULL), 0);
	assert_int_equal(omega_options_int(options, "number"), 4);
	omega_options_free(options);
}

static void
test_option_declared_twice_is_refused(void **state)
{
	(void)state;
	assert_option_refused(&flag, "its option 'flag' is declared twice");
}

static void
test_senseless_options_are_refused(void **state)
{
	static const char *const none[] = {NULL};
	struct omega_sandbox_option option = number;

	(void)state;
	option.help = NULL;
	assert_option_refused(&option, "its option 'number' has no help text");
	option = number;
	option.minimum = 11;
	assert_option_refused(
	    &option, "its option 'number' has a minimum above its maximum");
	option = number;
	option.initial = 11;
	assert_option_refused(
	    &option, "its option 'number' has a default outside of its range");
	option = number;
	option.words = colours;
	assert_option_refused(
	    &option, "its option 'number' has words, though it takes no text");
	option = number;
	option.initial_text = "x";
	assert_option_refused(&option,
	    "its option 'number' has a default text, though it is no text");
	option = flag;
	option.name = "other";
	option.initial = 2;
	assert_option_refused(&option,
	    "its option 'other' has a default that is neither 0 nor 1");
	option = colour;
	option.words = none;
	assert_option_refused(
	    &option, "its option 'colour' has an empty list of words");
	option = colour;
	option.initial_text = "blue";
	assert_option_refused(&option,
	    "its option 'colour' has a default that is not one of its words");
}

static void
test_table_without_end_is_refused(void **state)
{
	static const struct omega_sandbox_option *endless[300];
	size_t i;

	(void)state;
	for (i = 0; i < 299; i++)
		endless[i] = &flag;
	assert_table_refused(endless,
	    "its option table has more than 256 entries; is the NULL at its "
	    "end missing?");
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_defaults_hold_when_nothing_is_written),
	    cmocka_unit_test(test_written_values_are_served),
	    cmocka_unit_test(test_empty_list_and_empty_text_are_values),
	    cmocka_unit_test(test_booleans_have_three_spellings),
	    cmocka_unit_test(test_numbers_reach_their_limits),
	    cmocka_unit_test(test_options_of_other_plugins_are_left_alone),
	    cmocka_unit_test(test_asking_for_another_type_gives_nothing),
	    cmocka_unit_test(test_unknown_option_names_the_known_ones),
	    cmocka_unit_test(
		test_option_of_every_backend_is_sent_out_of_the_section),
	    cmocka_unit_test(test_plugin_without_options_says_so),
	    cmocka_unit_test(test_wrong_boolean_is_refused),
	    cmocka_unit_test(test_wrong_number_is_refused),
	    cmocka_unit_test(test_wrong_word_is_refused),
	    cmocka_unit_test(test_list_for_one_value_is_refused),
	    cmocka_unit_test(test_one_value_for_a_list_is_refused),
	    cmocka_unit_test(test_option_without_proper_name_is_refused),
	    cmocka_unit_test(test_option_of_unknown_type_is_refused),
	    cmocka_unit_test(test_short_option_is_refused),
	    cmocka_unit_test(test_longer_option_is_fine),
	    cmocka_unit_test(test_option_declared_twice_is_refused),
	    cmocka_unit_test(test_senseless_options_are_refused),
	    cmocka_unit_test(test_table_without_end_is_refused),
	};

	return run_all(tests);
}
