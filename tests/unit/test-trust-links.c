/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-trust-links.c - symbolic links on the way to what is believed.
 */

#include "harness.h"

#include <errno.h>
#include <string.h>

#include "base/rights.h"
#include "judging.h"
#include "path/trust.h"

/* ---- Symbolic links ----------------------------------------------------- */

static void
test_links_in_good_directories_are_followed(void **state)
{
	const char *dir = judging_tree();

	(void)state;
	make_link("b/file", text("%s/a/relative", dir));
	make_link(text("%s/a/b/file", dir), text("%s/a/absolute", dir));
	make_link("../a/./b//", text("%s/a/dir", dir));
	make_link("dir/file", text("%s/a/twice", dir));
	judging_trusted(text("%s/a/relative", dir), OMEGA_TRUST_FILE);
	judging_trusted(text("%s/a/absolute", dir), OMEGA_TRUST_FILE);
	judging_trusted(text("%s/a/dir/file", dir), OMEGA_TRUST_FILE);
	judging_trusted(text("%s/a/twice", dir), OMEGA_TRUST_FILE);
	judging_trusted(text("%s/a/dir", dir), OMEGA_TRUST_DIRECTORY);
	judging_trusted(text("%s/a/dir/..", dir), OMEGA_TRUST_DIRECTORY);
}

static void
test_way_of_a_link_is_checked(void **state)
{
	const char *dir = judging_tree();

	(void)state;
	make_file(text("%s/open/file", dir), "");
	judging_set_mode(text("%s/open", dir), 0777);
	make_link("../open/file", text("%s/a/link", dir));
	make_link(text("%s/open/../a/b/file", dir), text("%s/a/out", dir));
	judging_refused(text("%s/a/link", dir), OMEGA_TRUST_FILE,
	    text("%s/open can be written by everybody", dir), NULL);
	judging_refused(text("%s/a/out", dir), OMEGA_TRUST_FILE,
	    text("%s/open can be written by everybody", dir), NULL);
}

static void
test_link_in_a_writable_directory_is_not_followed(void **state)
{
	const char *dir = judging_tree();

	(void)state;
	make_link("../a/b/file", text("%s/open/link", dir));
	judging_set_mode(text("%s/open", dir), 0777);
	judging_refused(text("%s/open/link", dir), OMEGA_TRUST_FILE,
	    text("%s/open can be written by everybody", dir), NULL);
}

static void
test_link_in_a_sticky_directory_must_be_ours(void **state)
{
	const char *dir = judging_tree();

	(void)state;
	make_link("../a/b/file", text("%s/open/link", dir));
	judging_set_mode(text("%s/open", dir), 01777);
	judging_trusted(text("%s/open/link", dir), OMEGA_TRUST_FILE);
	judging_need_root();
	judging_set_owner(text("%s/open/link", dir), STRANGER);
	judging_refused(text("%s/open/link", dir), OMEGA_TRUST_FILE,
	    "is a symbolic link that belongs to uid 61952",
	    text("chown -h root %s/open/link", dir));
}

static void
test_too_many_links_are_refused(void **state)
{
	const char *dir = judging_tree();
	struct row row = {.ret = -ELOOP,
	    .code = OMEGA_SANDBOX_E_SYSTEM,
	    .part = "cannot follow"};
	int i;

	(void)state;
	make_link("loop", text("%s/a/loop", dir));
	row.path = text("%s/a/loop", dir);
	judging_expect(&row);

	make_link("b/file", text("%s/a/l0", dir));
	for (i = 1; i <= 40; i++)
		make_link(text("l%d", i - 1), text("%s/a/l%d", dir, i));
	judging_trusted(text("%s/a/l39", dir), OMEGA_TRUST_FILE);
	row.path = text("%s/a/l40", dir);
	judging_expect(&row);
}

/* Each link makes the rest longer; the buffer has an end. */
static void
test_growing_links_are_refused(void **state)
{
	const char *dir = judging_tree();
	char target[4000];
	struct row row = {.path = text("%s/a/grow", dir),
	    .ret = -ENAMETOOLONG,
	    .code = OMEGA_SANDBOX_E_SYSTEM,
	    .part = "cannot follow"};
	size_t i;

	(void)state;
	for (i = 0; i + 2 < sizeof(target); i += 2)
		memcpy(target + i, "./", 2);
	memcpy(target, "grow/", 5);
	target[i] = '\0';
	make_link(target, row.path);
	judging_expect(&row);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_links_in_good_directories_are_followed),
	    cmocka_unit_test(test_way_of_a_link_is_checked),
	    cmocka_unit_test(test_link_in_a_writable_directory_is_not_followed),
	    cmocka_unit_test(test_link_in_a_sticky_directory_must_be_ours),
	    cmocka_unit_test(test_too_many_links_are_refused),
	    cmocka_unit_test(test_growing_links_are_refused),
	};

	return run_all(tests);
}
