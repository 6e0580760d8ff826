/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-path-text.c - paths as text: core/path/text.c.
 */

#include "harness.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "path/text.h"

static void
assert_clean(const char *path, const char *expected)
{
	char out[PATH_MAX];
	size_t len = omega_text_clean(path, out);

	assert_string_equal(out, expected);
	assert_int_equal(len, strlen(expected));
}

static void
test_clean_removes_empty_and_dot_components(void **state)
{
	(void)state;
	assert_clean("/", "/");
	assert_clean("//", "/");
	assert_clean("/a//b/", "/a/b");
	assert_clean("/./a/././b/.", "/a/b");
	assert_clean("/a./.b/..c/d..", "/a./.b/..c/d..");
}

static void
test_clean_lets_dotdot_take_its_predecessor(void **state)
{
	(void)state;
	assert_clean("/..", "/");
	assert_clean("/../../a", "/a");
	assert_clean("/a/..", "/");
	assert_clean("/a/b/../c", "/a/c");
	assert_clean("/a/b/c/../../d/", "/a/d");
}

/* What omega_text_clean and omega_text_is_odd should say, the short way. */
static void
clean_slowly(const char *path, char *out)
{
	char copy[PATH_MAX];
	char *rest = copy;
	char *name;
	size_t len = 0;

	strcpy(copy, path);
	out[0] = '\0';
	while ((name = strsep(&rest, "/")) != NULL) {
		if (strcmp(name, "..") == 0) {
			char *cut = strrchr(out, '/');

			if (cut != NULL)
				*cut = '\0';
		} else if (name[0] != '\0' && strcmp(name, ".") != 0) {
			len = strlen(out);
			out[len] = '/';
			strcpy(out + len + 1, name);
		}
	}
	if (out[0] == '\0')
		strcpy(out, "/");
}

static bool
is_odd_slowly(const char *path)
{
	size_t i;

	for (i = 0; path[i] != '\0'; i++) {
		bool is_last = path[i + 1] == '/' || path[i + 1] == '\0';

		if (((unsigned char)path[i] & 0x80) != 0 || path[i] == '~' ||
		    path[i] == ':' ||
		    (is_last && (path[i] == '.' || path[i] == ' ')))
			return true;
	}
	return false;
}

/* Long texts are looked at in blocks: nothing may hide at their edges. */
static void
test_every_offset_of_a_long_path_is_looked_at(void **state)
{
	static const char *const specials[] = {"/", "//", "/.", "/./", "/..",
	    "/../", "/...", "/.a", "/..a", ".", "./", "a./", "a /", " ", ":",
	    "~", "\x7f", "\x80", "\xff", "}", "|"};
	char path[128];
	char expected[PATH_MAX];
	size_t i;
	size_t len;
	size_t at;

	(void)state;
	for (i = 0; i < sizeof(specials) / sizeof(specials[0]); i++) {
		size_t n = strlen(specials[i]);

		for (len = n + 1; len < 70; len++) {
			for (at = 1; at + n <= len; at++) {
				memset(path, 'x', len);
				path[0] = '/';
				path[len] = '\0';
				memcpy(path + at, specials[i], n);
				clean_slowly(path, expected);
				assert_clean(path, expected);
				assert_int_equal(omega_text_is_odd(path),
				    is_odd_slowly(path));
			}
		}
	}
}

static void
test_check_refuses_what_cannot_be_opened(void **state)
{
	char longest[PATH_MAX + 1];
	char name[NAME_MAX + 3];
	size_t i;

	(void)state;
	assert_int_equal(omega_text_check(NULL), -EINVAL);
	assert_int_equal(omega_text_check(""), -EINVAL);
	assert_int_equal(omega_text_check("a"), -EINVAL);
	assert_int_equal(omega_text_check("./a"), -EINVAL);
	assert_int_equal(omega_text_check("/"), 0);
	for (i = 0; i < sizeof(longest) - 1; i++)
		longest[i] = i % 2 == 0 ? '/' : 'a';
	longest[PATH_MAX - 1] = '\0';
	assert_int_equal(omega_text_check(longest), 0);
	longest[PATH_MAX - 1] = 'a';
	longest[PATH_MAX] = '\0';
	assert_int_equal(omega_text_check(longest), -ENAMETOOLONG);
	memset(name, 'n', sizeof(name));
	name[0] = '/';
	name[NAME_MAX + 1] = '\0';
	assert_int_equal(omega_text_check(name), 0);
	name[NAME_MAX + 1] = 'n';
	name[NAME_MAX + 2] = '\0';
	assert_int_equal(omega_text_check(name), -ENAMETOOLONG);
}

static bool
is_below(const char *path, const char *base)
{
	return omega_text_is_below(path, strlen(path), base, strlen(base));
}

static void
test_below_goes_by_components(void **state)
{
	(void)state;
	assert_true(is_below("/bin", "/bin"));
	assert_true(is_below("/bin/x", "/bin"));
	assert_true(is_below("/anything", "/"));
	assert_false(is_below("/binaries/x", "/bin"));
	assert_false(is_below("/bi", "/bin"));
	assert_false(is_below("/", "/bin"));
	assert_false(is_below("/BIN/x", "/bin"));
	assert_true(omega_text_is_below_folded("/BIN/x", 6, "/bin", 4));
	assert_false(omega_text_is_below_folded("/BINx", 5, "/bin", 4));
}

static void
test_last_finds_component_and_parent(void **state)
{
	struct omega_text_leaf leaf;

	(void)state;
	assert_false(omega_text_last("///", 3, &leaf));
	assert_true(omega_text_last("/a//bc//", 8, &leaf));
	assert_int_equal(leaf.start, 4);
	assert_int_equal(leaf.end, 6);
	assert_int_equal(leaf.parent, 2);
	assert_true(omega_text_last("/a", 2, &leaf));
	assert_int_equal(leaf.parent, 0);
}

static void
test_odd_names_are_those_a_volume_may_fold(void **state)
{
	(void)state;
	assert_false(omega_text_is_odd("/home/user/.omega/data"));
	assert_false(omega_text_is_odd("/a.b/c d/e"));
	assert_true(omega_text_is_odd("/OMEGA~1/data"));
	assert_true(omega_text_is_odd("/a/config.toml."));
	assert_true(omega_text_is_odd("/a./b"));
	assert_true(omega_text_is_odd("/a /b"));
	assert_true(omega_text_is_odd("/config.toml::$DATA"));
	assert_true(omega_text_is_odd("/con\xef\xac\x81g.toml"));
}

static void
test_join_puts_one_slash_between(void **state)
{
	char out[PATH_MAX];
	char long_name[PATH_MAX];

	(void)state;
	assert_int_equal(omega_text_join(out, "/a/", 3, "/b", 2), 4);
	assert_string_equal(out, "/a/b");
	assert_int_equal(omega_text_join(out, "/", 1, "b", 1), 2);
	assert_string_equal(out, "/b");
	assert_int_equal(omega_text_join(out, "/a", 2, "", 0), 2);
	assert_string_equal(out, "/a");
	assert_int_equal(omega_text_join(out, "", 0, "", 0), 1);
	assert_string_equal(out, "/");
	memset(long_name, 'x', sizeof(long_name));
	assert_int_equal(omega_text_join(out, "/a", 2, long_name, PATH_MAX - 4),
	    PATH_MAX - 1);
	assert_int_equal(omega_text_join(out, "/a", 2, long_name, PATH_MAX - 3),
	    -ENAMETOOLONG);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_clean_removes_empty_and_dot_components),
	    cmocka_unit_test(test_clean_lets_dotdot_take_its_predecessor),
	    cmocka_unit_test(test_every_offset_of_a_long_path_is_looked_at),
	    cmocka_unit_test(test_check_refuses_what_cannot_be_opened),
	    cmocka_unit_test(test_below_goes_by_components),
	    cmocka_unit_test(test_last_finds_component_and_parent),
	    cmocka_unit_test(test_odd_names_are_those_a_volume_may_fold),
	    cmocka_unit_test(test_join_puts_one_slash_between),
	};

	return run_all(tests);
}
