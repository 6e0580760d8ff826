/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-git-config.c - what settings of git lead to, as git itself reads them:
 * core/policy/git-config.c.
 */

#include "harness.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy/git-config.h"

static char found[4096];

static int
take(void *arg, const char *path, bool is_hooks)
{
	(void)arg;
	snprintf(found + strlen(found), sizeof(found) - strlen(found), "%s%s;",
	    is_hooks ? "hooks " : "", path);
	return strcmp(path, "stop") == 0 ? -EPERM : 0;
}

static int
read_as(const char *content)
{
	const char *file = text("%s/config", scratch_dir());

	make_file(file, content);
	found[0] = '\0';
	return omega_git_config_read(file, take, NULL);
}

static void
test_spellings(void **state)
{
	static const char *const rows[][2] = {
	    {"[include]\n\tpath = a\n", "a;"},
	    {"[include] path=a", "a;"},
	    {"[INCLUDE]\nPATH = a b  \n", "a b;"},
	    {"[include]\npath = \"a #b\" # c\n", "a #b;"},
	    {"[include]\npath = a#b\npath = c;d\n", "a;c;"},
	    {"[include]\npath = a\\\n  b\n", "a  b;"},
	    {"[include]\r\npath = a\\\r\nb\r\n", "ab;"},
	    {"[include]\npath = \"a\\\\\\\"b\"\n", "a\\\"b;"},
	    {"[includeIf \"gitdir:~/x]/\"]\npath = a\n", "a;"},
	    {"[includeIf.x]\npath = a\n", "a;"},
	    {"[core]\nbare\nhooksPath = h\n", "hooks h;"},
	    {"[core]\n; path = x\n# y\n\nhookspath=h", "hooks h;"},
	    {"\xef\xbb\xbf[core]\nhooksPath = h\n", "hooks h;"},
	    {"[core]\n=\n%%\nhooksPath = h\n", "hooks h;"},
	    {"[other]\npath = a\nhooksPath = h\n", ""},
	    {"[include]\nhooksPath = h\n[core]\npath = a\n", ""},
	    {"[include]\npath =\npath = \"\"\npath\n", ""},
	    {"[include", ""},
	    {"", ""},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(read_as(rows[i][0]), 0);
		if (strcmp(found, rows[i][1]) != 0)
			fail_msg("%s: %s", rows[i][0], found);
	}
}

static void
test_bounds(void **state)
{
	const size_t size = 300 << 10;
	char *content = calloc(1, size + 1);

	(void)state;
	memset(content, '#', size);
	memcpy(content, "[include]\npath=a\n", 17);
	assert_int_equal(read_as(content), -EFBIG);
	assert_string_equal(found, "a;");
	memset(content, 'x', size);
	memcpy(content, "[include]\npath=a\npath=", 22);
	strcpy(content + 8000, "\npath=b\n");
	assert_int_equal(read_as(content), 0);
	assert_string_equal(found, "a;b;");
	free(content);
	assert_int_equal(read_as("[include]\npath=stop\npath=b\n"), -EPERM);
	assert_string_equal(found, "stop;");
	assert_int_equal(omega_git_config_read("/nonexistent", take, NULL), 0);
	assert_int_equal(omega_git_config_read("/", take, NULL), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_spellings),
	    cmocka_unit_test(test_bounds),
	};

	return run_all(tests);
}
