/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-trust.c - who can change what is about to be believed? Files
 * that are good, that are not there, and that are something else.
 */

#include "harness.h"

#include <sys/stat.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/rights.h"
#include "judging.h"
#include "path/trust.h"

/* ---- What is trusted ---------------------------------------------------- */

static void
test_good_file_is_opened_for_reading(void **state)
{
	const char *dir = judging_tree();
	char content[16] = "";
	int fd;

	(void)state;
	fd = omega_trust_open(
	    text("%s/a/b/file", dir), OMEGA_TRUST_FILE, NULL, NULL);
	assert_true(fd >= 0);
	assert_int_equal(read(fd, content, sizeof(content) - 1), 7);
	assert_string_equal(content, "content");
	close(fd);
}

static void
test_good_directory_is_opened(void **state)
{
	const char *dir = judging_tree();

	(void)state;
	judging_trusted(text("%s/a/b", dir), OMEGA_TRUST_DIRECTORY);
	judging_trusted("/", OMEGA_TRUST_DIRECTORY);
}

static void
test_spelling_does_not_matter(void **state)
{
	const char *dir = judging_tree();

	(void)state;
	judging_trusted(text("/%s//a/./b/../b/file", dir), OMEGA_TRUST_FILE);
	judging_trusted(text("/../..%s/a/b/file", dir), OMEGA_TRUST_FILE);
	judging_trusted(text("%s/a/b//", dir), OMEGA_TRUST_DIRECTORY);
	judging_trusted(text("%s/a/b/.", dir), OMEGA_TRUST_DIRECTORY);
	judging_trusted(text("%s/a/b/..", dir), OMEGA_TRUST_DIRECTORY);
	judging_trusted("/..", OMEGA_TRUST_DIRECTORY);
}

static void
test_roots_files_are_good_for_everybody(void **state)
{
	struct row row = {.path = "/usr/bin/env", .is_roots = 1};

	(void)state;
	judging_expect(&row);
	judging_expect_by_user(&row);
}

static void
test_own_files_are_good_but_not_roots(void **state)
{
	const char *dir = judging_tree();
	struct row row = {
	    .path = text("%s/a/b/file", dir), .is_roots = geteuid() == 0};

	(void)state;
	judging_expect(&row);
	if (geteuid() != 0)
		return;
	judging_set_owner(text("%s/a/b/file", dir), SPARE_UID);
	row.is_roots = 0;
	judging_expect_by_user(&row);
	judging_set_owner(text("%s/a/b/file", dir), 0);
	judging_set_owner(text("%s/a", dir), SPARE_UID);
	judging_expect_by_user(&row);
}

static void
test_unreadable_directory_is_walked_through(void **state)
{
	const char *dir = judging_tree();
	struct row row = {.path = text("%s/a/b/file", dir), .is_roots = -1};

	(void)state;
	judging_set_mode(text("%s/a", dir), 0711);
	judging_set_mode(text("%s/a/b", dir), 0711);
	judging_expect_by_user(&row);
}

/* ---- What is not there -------------------------------------------------- */

static void
test_missing_is_told_apart_from_wrong(void **state)
{
	const char *dir = judging_tree();

	(void)state;
	judging_missing(text("%s/a/b/none", dir));
	judging_missing(text("%s/a/none/file", dir));
	judging_missing(text("%s/none/../a/b/file", dir));
}

static void
test_behind_a_link_missing_is_still_missing(void **state)
{
	const char *dir = judging_tree();

	(void)state;
	make_link("a/b", text("%s/link", dir));
	judging_missing(text("%s/link/none", dir));
}

static void
test_link_to_nothing_is_not_missing(void **state)
{
	const char *dir = judging_tree();
	struct row row = {.ret = -ENOLINK,
	    .code = OMEGA_SANDBOX_E_SYSTEM,
	    .part = text("%s/link", dir),
	    .also = text("%s/a/gone", dir)};

	(void)state;
	make_link("a/gone", text("%s/link", dir));
	make_link("a/gone/file", text("%s/link2", dir));
	row.path = text("%s/link", dir);
	judging_expect(&row);
	row.path = text("%s/link2", dir);
	judging_expect(&row);
}

static void
test_wrong_arguments_are_system_errors(void **state)
{
	char name[NAME_MAX + 3];
	char path[2 * PATH_MAX];
	struct row row = {.code = OMEGA_SANDBOX_E_SYSTEM};

	(void)state;
	row.ret = -EINVAL;
	row.part = "not an absolute path";
	row.path = "";
	judging_expect(&row);
	row.path = "a/b";
	judging_expect(&row);
	assert_int_equal(
	    omega_trust_open(NULL, OMEGA_TRUST_FILE, NULL, NULL), -EINVAL);

	row.ret = -ENAMETOOLONG;
	row.part = "too long";
	row.also = "cannot open /nnn";
	memset(name, 'n', sizeof(name));
	name[0] = '/';
	name[sizeof(name) - 1] = '\0';
	row.path = name;
	judging_expect(&row);
	row.also = NULL;
	memset(path, '/', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	row.path = path;
	judging_expect(&row);
}

static void
test_what_may_not_be_read_is_a_system_error(void **state)
{
	const char *dir = judging_tree();
	struct row row = {
	    .path = text("%s/a/b/file", dir),
	    .ret = -EACCES,
	    .code = OMEGA_SANDBOX_E_SYSTEM,
	};

	(void)state;
	judging_set_mode(text("%s/a/b/file", dir), 0);
	row.part = "cannot open";
	row.also = text("chmod a+r %s", row.path);
	judging_expect_by_user(&row);
	judging_set_mode(text("%s/a/b", dir), 0);
	row.part = "cannot search";
	row.also = text("%s/a/b:", dir);
	judging_expect_by_user(&row);
}

/* ---- What is not of the right type -------------------------------------- */

static void
test_not_a_file_is_refused(void **state)
{
	const char *dir = judging_tree();

	(void)state;
	assert_int_equal(mkfifo(text("%s/pipe", dir), 0600), 0);
	make_link("pipe", text("%s/link", dir));
	judging_refused(text("%s/pipe", dir), OMEGA_TRUST_FILE,
	    "is a named pipe, not a regular file", text("%s/pipe", dir));
	judging_refused(text("%s/link", dir), OMEGA_TRUST_FILE,
	    "is a named pipe, not a regular file", text("%s/pipe", dir));
	judging_refused(text("%s/a", dir), OMEGA_TRUST_FILE,
	    "is a directory, not a regular file", text("%s/a", dir));
	judging_refused("/", OMEGA_TRUST_FILE,
	    "/ is a directory, not a regular file", NULL);
	judging_refused("/dev/null", OMEGA_TRUST_FILE,
	    "is a device, not a regular file", NULL);
}

static void
test_not_a_directory_is_refused(void **state)
{
	const char *dir = judging_tree();
	struct row row = {.path = text("%s/a/b/file/more", dir),
	    .ret = -ENOTDIR,
	    .code = OMEGA_SANDBOX_E_SYSTEM,
	    .part = "cannot enter",
	    .also = text("%s/a/b/file", dir)};

	(void)state;
	judging_refused(text("%s/a/b/file", dir), OMEGA_TRUST_DIRECTORY,
	    "is a regular file, not a directory", NULL);
	judging_refused(text("%s/a/b/file/", dir), OMEGA_TRUST_FILE,
	    "is a regular file, not a directory", NULL);
	judging_expect(&row);
	row.path = text("%s/a/b/file/..", dir);
	judging_expect(&row);
}

/* ---- Messages ----------------------------------------------------------- */

static void
test_command_is_quoted_for_the_shell(void **state)
{
	const char *dir = judging_tree();

	(void)state;
	make_file(text("%s/it's $(odd)", dir), "");
	judging_set_mode(text("%s/it's $(odd)", dir), 0666);
	judging_refused(text("%s/it's $(odd)", dir), OMEGA_TRUST_FILE,
	    text("chmod go-w '%s/it'\\''s $(odd)'", dir), NULL);
}

static void
test_command_is_whole_or_not_there(void **state)
{
	char path[600];
	char name[200];
	const char *dir = judging_tree();

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	snprintf(path, sizeof(path), "%s/%s/%s", dir, name, name);
	make_file(path, "");
	judging_set_mode(path, 0666);
	judging_refused(path, OMEGA_TRUST_FILE, path, "chmod go-w (that path)");
}

/* ---- Raised privileges -------------------------------------------------- */

static void
test_ordinary_process_is_not_raised(void **state)
{
	(void)state;
	errno = E2BIG;
	assert_false(omega_rights_are_raised());
	assert_int_equal(errno, E2BIG);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_good_file_is_opened_for_reading),
	    cmocka_unit_test(test_good_directory_is_opened),
	    cmocka_unit_test(test_spelling_does_not_matter),
	    cmocka_unit_test(test_roots_files_are_good_for_everybody),
	    cmocka_unit_test(test_own_files_are_good_but_not_roots),
	    cmocka_unit_test(test_unreadable_directory_is_walked_through),
	    cmocka_unit_test(test_missing_is_told_apart_from_wrong),
	    cmocka_unit_test(test_behind_a_link_missing_is_still_missing),
	    cmocka_unit_test(test_link_to_nothing_is_not_missing),
	    cmocka_unit_test(test_wrong_arguments_are_system_errors),
	    cmocka_unit_test(test_what_may_not_be_read_is_a_system_error),
	    cmocka_unit_test(test_not_a_file_is_refused),
	    cmocka_unit_test(test_not_a_directory_is_refused),
	    cmocka_unit_test(test_command_is_quoted_for_the_shell),
	    cmocka_unit_test(test_command_is_whole_or_not_there),
	    cmocka_unit_test(test_ordinary_process_is_not_raised),
	};

	return run_all(tests);
}
