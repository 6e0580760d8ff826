/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-buffer.c - texts that others have chosen, as they are shown and as they
 * are written into JSON; and what may be shown as it is.
 */

#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/glyph.h"

/* Bytes, what is shown, what JSON has, and what an error says. */
static const struct {
	const char *text;
	const char *visible;
	const char *json;
	const char *line;
} cases[] = {
    {"", "", "\"\"", ""},
    {"plain ~", "plain ~", "\"plain ~\"", "plain ~"},
    {"a\"\\", "a\"\\", "\"a\\\"\\\\\"", "a\"\\"},
    {"\n\033\x7f", "\\x0a\\x1b\\x7f", "\"\\u000a\\u001b\\u007f\"", "???"},
    /* CSI, as one byte and as a character. */
    {"\x9b"
     "x",
	"\\x9bx", "\"\xef\xbf\xbdx\"", "?x"},
    {"\xc2\x9bx", "\\u009bx", "\"\\u009bx\"", "??x"},
    {"\xc2\x80\xc2\x9f", "\\u0080\\u009f", "\"\\u0080\\u009f\"", "????"},
    /* Overrides, isolates, marks, ends of lines, nothing at all, a tag. */
    {"\xe2\x80\xae", "\\u202e", "\"\\u202e\"", "???"},
    {"\xe2\x81\xa6\xe2\x81\xa9", "\\u2066\\u2069", "\"\\u2066\\u2069\"",
	"??????"},
    {"\xd8\x9c\xe2\x80\x8f", "\\u061c\\u200f", "\"\\u061c\\u200f\"", "?????"},
    {"\xe2\x80\xa8", "\\u2028", "\"\\u2028\"", "???"},
    {"\xe2\x80\x8b\xef\xbb\xbf", "\\u200b\\ufeff", "\"\\u200b\\ufeff\"",
	"??????"},
    {"\xf3\xa0\x81\x81", "\\ue0041", "\"\\udb40\\udc41\"", "????"},
    /* Letters stay. */
    {"gr\xc3\xbcn \xe2\x82\xac \xf0\x9f\x90\xb8",
	"gr\xc3\xbcn \xe2\x82\xac \xf0\x9f\x90\xb8",
	"\"gr\xc3\xbcn \xe2\x82\xac \xf0\x9f\x90\xb8\"",
	"gr\xc3\xbcn \xe2\x82\xac \xf0\x9f\x90\xb8"},
    {"\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d", "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d",
	"\"\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d\"",
	"\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d"},
    /* Not UTF-8: longer than needed, a surrogate, beyond, cut off. */
    {"\xc0\xaf", "\\xc0\\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\"", "??"},
    {"\xed\xa0\x80", "\\xed\\xa0\\x80",
	"\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"", "???"},
    {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80",
	"\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"", "????"},
    {"\xe2\x82", "\\xe2\\x82", "\"\xef\xbf\xbd\xef\xbf\xbd\"", "??"},
};

#define COUNT (sizeof(cases) / sizeof(cases[0]))

static void
test_texts_are_made_visible(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < COUNT; i++) {
		struct omega_buffer buffer = {.text = NULL};
		char *text;

		omega_buffer_visible(&buffer, cases[i].text);
		text = omega_buffer_take(&buffer);
		assert_string_equal(text, cases[i].visible);
		free(text);
	}
}

static void
test_json_has_nothing_treacherous(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < COUNT; i++) {
		struct omega_buffer buffer = {.text = NULL};
		char *text;

		omega_buffer_json(&buffer, cases[i].text);
		text = omega_buffer_take(&buffer);
		assert_string_equal(text, cases[i].json);
		free(text);
	}
}

static void
test_errors_are_one_plain_line(void **state)
{
	char text[64];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT; i++) {
		snprintf(text, sizeof(text), "%s", cases[i].text);
		omega_error_make_one_line(text);
		assert_string_equal(text, cases[i].line);
	}
}

/* Every character there is comes back from its bytes. */
static void
test_characters_are_read(void **state)
{
	uint32_t point;

	(void)state;
	for (point = 1; point < 0x110000; point++) {
		char s[5] = {0};
		size_t len = point < 0x80      ? 1
			     : point < 0x800   ? 2
			     : point < 0x10000 ? 3
					       : 4;
		size_t i;

		for (i = len; i > 1; i--)
			s[i - 1] =
			    (char)(0x80 | (point >> 6 * (len - i) & 0x3f));
		s[0] = (char)(len == 1 ? point
				       : (0xf00U >> len & 0xffU) |
					     point >> 6 * (len - 1));
		if (point >= 0xd800 && point <= 0xdfff) {
			assert_int_equal(omega_glyph_length(s), 0);
			continue;
		}
		assert_int_equal(omega_glyph_length(s), len);
		assert_int_equal(omega_glyph_point(s, len), point);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_texts_are_made_visible),
	    cmocka_unit_test(test_json_has_nothing_treacherous),
	    cmocka_unit_test(test_errors_are_one_plain_line),
	    cmocka_unit_test(test_characters_are_read),
	};

	return run_all(tests);
}
