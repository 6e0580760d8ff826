/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-trust-writers.c - who else can write it, and whose it is.
 */

#include "harness.h"

#include <sys/stat.h>
#include <sys/xattr.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/rights.h"
#include "judging.h"
#include "path/trust.h"

/* ---- Who can write it --------------------------------------------------- */

static void
test_writable_file_is_refused(void **state)
{
	const char *dir = judging_tree();
	char *file = text("%s/a/b/file", dir);

	(void)state;
	judging_set_mode(file, 0646);
	judging_refused(file, OMEGA_TRUST_FILE,
	    "can be written by everybody (mode 0646)",
	    text("chmod go-w %s", file));
	judging_set_mode(file, 0664);
	judging_refused(file, OMEGA_TRUST_FILE, "can be written by its group",
	    text("(mode 0664); mend it with: chmod go-w %s", file));
}

static void
test_writable_parent_is_refused(void **state)
{
	const char *dir = judging_tree();
	char *file = text("%s/a/b/file", dir);
	char *parent = text("%s/a/b", dir);
	char *above = text("%s/a", dir);

	(void)state;
	judging_set_mode(parent, 0777);
	judging_refused(file, OMEGA_TRUST_FILE,
	    "can be written by everybody (mode 0777)",
	    text("chmod go-w %s", parent));
	judging_refused(parent, OMEGA_TRUST_DIRECTORY,
	    "can be written by everybody (mode 0777)", NULL);
	judging_set_mode(parent, 0755);
	judging_set_mode(above, 0775);
	judging_refused(file, OMEGA_TRUST_FILE, "can be written by its group",
	    text("chmod go-w %s", above));
}

/* One more user may write, by an access control list. */
static void
test_access_control_list_shows_in_the_mode(void **state)
{
	/* Version 2, then tag, permissions and id of: owner, user 61952,
	 * group, mask, others; least significant byte first. */
	static const unsigned char list[] = {2, 0, 0, 0, 0x01, 0, 6, 0, 0xff,
	    0xff, 0xff, 0xff, 0x02, 0, 6, 0, 0x00, 0xf2, 0, 0, 0x04, 0, 4, 0,
	    0xff, 0xff, 0xff, 0xff, 0x10, 0, 6, 0, 0xff, 0xff, 0xff, 0xff, 0x20,
	    0, 4, 0, 0xff, 0xff, 0xff, 0xff};
	const char *dir = judging_tree();
	char *file = text("%s/a/b/file", dir);

	(void)state;
	if (setxattr(file, "system.posix_acl_access", list, sizeof(list), 0) !=
	    0)
		skip_because("no access control lists: %s", strerror(errno));
	judging_refused(file, OMEGA_TRUST_FILE, "can be written by its group",
	    "(mode 0664)");
}

/* A wrong directory decides even over what is not there. */
static void
test_missing_in_a_writable_directory_is_refused(void **state)
{
	const char *dir = judging_tree();

	(void)state;
	judging_set_mode(text("%s/a", dir), 0777);
	judging_refused(text("%s/a/none", dir), OMEGA_TRUST_FILE,
	    "can be written by everybody", NULL);
}

static void
test_sticky_directory_is_good_for_our_entries(void **state)
{
	const char *dir = judging_tree();

	(void)state;
	judging_set_mode(text("%s/a/b", dir), 01777);
	judging_trusted(text("%s/a/b/file", dir), OMEGA_TRUST_FILE);
	judging_set_mode(text("%s/a/b", dir), 01775);
	judging_trusted(text("%s/a/b/file", dir), OMEGA_TRUST_FILE);
	judging_set_mode(text("%s/a", dir), 01777);
	judging_trusted(text("%s/a/b/file", dir), OMEGA_TRUST_FILE);
}

/* Its names are what such a directory is opened for. */
static void
test_sticky_directory_at_the_end_is_refused(void **state)
{
	const char *dir = judging_tree();

	(void)state;
	judging_set_mode(text("%s/a/b", dir), 01777);
	judging_refused(text("%s/a/b", dir), OMEGA_TRUST_DIRECTORY,
	    "can be written by everybody (mode 1777)",
	    "; use another directory");
}

static void
test_sticky_directory_does_not_excuse_the_file(void **state)
{
	const char *dir = judging_tree();

	(void)state;
	judging_set_mode(text("%s/a/b", dir), 01777);
	judging_set_mode(text("%s/a/b/file", dir), 0666);
	judging_refused(text("%s/a/b/file", dir), OMEGA_TRUST_FILE,
	    "can be written by everybody (mode 0666)", NULL);
}

static void
test_hard_link_in_a_sticky_directory_is_refused(void **state)
{
	const char *dir = judging_tree();

	(void)state;
	make_hard_link(text("%s/a/b/file", dir), text("%s/a/b/planted", dir));
	judging_trusted(text("%s/a/b/planted", dir), OMEGA_TRUST_FILE);
	judging_set_mode(text("%s/a/b", dir), 01777);
	judging_refused(text("%s/a/b/planted", dir), OMEGA_TRUST_FILE,
	    "has 2 names", "use a copy");
}

/* ---- Whose it is -------------------------------------------------------- */

static void
test_strangers_file_is_refused(void **state)
{
	const char *dir = judging_tree();
	char *file = text("%s/a/b/file", dir);

	(void)state;
	judging_need_root();
	judging_set_owner(file, STRANGER);
	judging_refused(file, OMEGA_TRUST_FILE,
	    "belongs to uid 61952, not to root;", text("chown root %s", file));
}

static void
test_strangers_parent_is_refused(void **state)
{
	const char *dir = judging_tree();
	char *above = text("%s/a", dir);

	(void)state;
	judging_need_root();
	judging_set_owner(above, STRANGER);
	judging_refused(text("%s/a/b/file", dir), OMEGA_TRUST_FILE,
	    text("%s belongs to uid 61952", above),
	    "; use a copy in another directory");
	judging_refused(text("%s/a/b", dir), OMEGA_TRUST_DIRECTORY,
	    "belongs to uid 61952", NULL);
}

static void
test_user_is_told_who_it_is(void **state)
{
	const char *dir = judging_tree();
	char *file = text("%s/a/b/file", dir);
	struct row row = {.path = file,
	    .ret = -EPERM,
	    .code = OMEGA_SANDBOX_E_TRUST,
	    .part = "belongs to uid 61952, not to root or to the caller "
		    "(uid 61951)",
	    .also = text("chown root %s", file)};

	(void)state;
	judging_need_root();
	judging_set_owner(file, STRANGER);
	judging_expect_by_user(&row);
}

static void
test_strangers_entry_in_a_sticky_directory_is_refused(void **state)
{
	const char *dir = judging_tree();

	(void)state;
	judging_need_root();
	judging_set_mode(text("%s/a", dir), 01777);
	judging_set_owner(text("%s/a/b", dir), STRANGER);
	judging_refused(text("%s/a/b/file", dir), OMEGA_TRUST_FILE,
	    text("%s/a/b belongs to uid 61952", dir), NULL);
}

/* The effective user is who opens files, so it is the one who counts. */
static int
judge_as_effective_user(void *arg)
{
	if (seteuid(SPARE_UID) != 0)
		return 98;
	return judging_judge(arg);
}

static void
test_effective_user_is_the_caller(void **state)
{
	const char *dir = judging_tree();
	struct row row = {.path = text("%s/a/b/file", dir), .is_roots = 0};

	(void)state;
	judging_need_root();
	judging_set_owner(row.path, SPARE_UID);
	assert_int_equal(in_child(judge_as_effective_user, &row), 0);
	row.ret = -EPERM;
	row.code = OMEGA_SANDBOX_E_TRUST;
	judging_expect(&row);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_writable_file_is_refused),
	    cmocka_unit_test(test_writable_parent_is_refused),
	    cmocka_unit_test(test_access_control_list_shows_in_the_mode),
	    cmocka_unit_test(test_missing_in_a_writable_directory_is_refused),
	    cmocka_unit_test(test_sticky_directory_is_good_for_our_entries),
	    cmocka_unit_test(test_sticky_directory_at_the_end_is_refused),
	    cmocka_unit_test(test_sticky_directory_does_not_excuse_the_file),
	    cmocka_unit_test(test_hard_link_in_a_sticky_directory_is_refused),
	    cmocka_unit_test(test_strangers_file_is_refused),
	    cmocka_unit_test(test_strangers_parent_is_refused),
	    cmocka_unit_test(test_user_is_told_who_it_is),
	    cmocka_unit_test(
		test_strangers_entry_in_a_sticky_directory_is_refused),
	    cmocka_unit_test(test_effective_user_is_the_caller),
	};

	return run_all(tests);
}
