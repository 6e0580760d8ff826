/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-seatbelt-attack.c - paths that want to be more than paths, names that
 * are spelled otherwise, and ways that are to lead elsewhere.
 */

#include "harness.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "judge.h"
#include "seatbelt/ways.h"

/* ---- Characters -----------------------------------------------------------
 */

/* Where a path can stand. */
enum place {
	DENIED,
	UNREADABLE,
	UNCHANGEABLE,
	ABSENT,
	READABLE,
	WRITABLE,
	RUNNABLE,
	LINK,
	ALLOWED_SOCKET,
	ALLOWED_DEVICE,
	BOUND_SOCKET,
	PLACES
};

static void
put(struct judge_case *one, enum place place, const char *path,
    const char **list)
{
	const uint32_t lists[][2] = {{JUDGE_READ, JUDGE_READ},
	    {JUDGE_CHANGE, JUDGE_CHANGE},
	    {OMEGA_SANDBOX_ATOM_ALL, OMEGA_SANDBOX_ATOM_RUN}};

	memset(one, 0, sizeof(*one));
	judge_add_default(one, "/Users/u/.omega/data", "/Users/u/.omega/c");
	switch (place) {
	case DENIED:
		judge_add(one, OMEGA_SANDBOX_ATOM_PATH,
		    JUDGE_READ | JUDGE_CHANGE, 0, path);
		break;
	case UNREADABLE:
		judge_add(one, OMEGA_SANDBOX_ATOM_PATH, JUDGE_READ, 0, path);
		break;
	case UNCHANGEABLE:
		judge_add(one, OMEGA_SANDBOX_ATOM_PATH, JUDGE_CHANGE, 0, path);
		break;
	case ABSENT:
		judge_add(one, OMEGA_SANDBOX_ATOM_ABSENT_PATHS,
		    OMEGA_SANDBOX_ATOM_ALL, OMEGA_SANDBOX_ATOM_ABSENT, path);
		break;
	case READABLE:
	case WRITABLE:
	case RUNNABLE:
		judge_add(one,
		    place == RUNNABLE ? OMEGA_SANDBOX_ATOM_EXECUTE
				      : OMEGA_SANDBOX_ATOM_ELSEWHERE,
		    lists[place - READABLE][0], 0, NULL);
		judge_grant(one, lists[place - READABLE][1], path);
		break;
	case LINK:
		texts_add(&one->links, "%s", path);
		break;
	case ALLOWED_SOCKET:
		one->request.allow_sockets = list;
		break;
	case ALLOWED_DEVICE:
		one->request.allow_devices = list;
		break;
	default:
		texts_add(&one->sockets, "%s", path);
		break;
	}
}

static bool
has_value(const struct judge *judge, const char *value)
{
	size_t i;

	for (i = 0; i < judge->profile.count; i++)
		if (strcmp(judge->profile.values[i], value) == 0)
			return true;
	return false;
}

/* The profile must be, letter for letter, that of a harmless name. */
static void
try_name(enum place place, const char *path, const struct judge *plain)
{
	const char *list[] = {path, NULL};
	struct judge_case one;
	struct judge judge;

	put(&one, place, path, list);
	judge_must_open(&judge, &one);
	assert_true(has_value(&judge, path));
	assert_int_equal(judge.profile.count, plain->profile.count);
	assert_int_equal(
	    sbpl_rule_count(judge.sbpl), sbpl_rule_count(plain->sbpl));
	/* Of an absent name the letters are in a regular expression. */
	if (place != ABSENT)
		assert_string_equal(judge.profile.text, plain->profile.text);
	if (place == DENIED || place == UNREADABLE)
		judge_expect(&judge, "file-read-data", path, SBPL_DENIED);
	if (place == DENIED || place == UNCHANGEABLE || place == ABSENT)
		judge_expect(&judge, "file-write-create", path, SBPL_DENIED);
	if (place == LINK)
		judge_expect(&judge, "file-write-unlink", path, SBPL_DENIED);
	if (place == READABLE)
		judge_expect(&judge, "file-read-data", path, SBPL_ALLOWED);
	if (place == WRITABLE)
		judge_expect(&judge, "file-write-data", path, SBPL_ALLOWED);
	if (place == RUNNABLE)
		judge_expect(&judge, "process-exec", path, SBPL_ALLOWED);
	judge_expect(
	    &judge, "file-read-data", "/Users/u/.omega/data/m", SBPL_DENIED);
	judge_close(&judge);
	texts_drop(&one.links);
	texts_drop(&one.sockets);
}

static void
test_no_character_changes_a_profile(void **state)
{
	static const char *const names[] = {"\"))(allow default)((\"",
	    "\")) (allow file-read*) (deny file-read* (literal \"",
	    "\\\"))(allow file-read*)", "#\"^.*$\"", "(param \"P0\")", "P0=x",
	    "=", "-D", "-p", "; deny nothing", "\n(allow file*)\n", "\r\n",
	    "|#", "#|", "\\x41", "\\n", "%s%n%d", "${HOME}", "`id`", "*",
	    "[a-z]+", "^$", ".*", "(?i)", "\xc3\xa4", "\xe2\x80\xa8"};
	const char *list[] = {"/Users/u/a/x/b", NULL};
	int place;
	size_t i;
	int c;

	(void)state;
	for (place = 0; place < PLACES; place++) {
		struct judge_case harmless;
		struct judge plain;

		put(&harmless, place, "/Users/u/a/x/b", list);
		judge_must_open(&plain, &harmless);
		for (c = 1; c < 128; c++)
			if (c != '/')
				try_name(place,
				    text("/Users/u/a/%c/b", (char)c), &plain);
		for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			try_name(
			    place, text("/Users/u/a/%s/b", names[i]), &plain);
			try_name(
			    place, text("/Users/u/%s/a/b", names[i]), &plain);
		}
		judge_close(&plain);
		texts_drop(&harmless.links);
		texts_drop(&harmless.sockets);
	}
}

/* ---- Names ----------------------------------------------------------------
 */

static void
test_places_have_both_their_names(void **state)
{
	static const char *const pairs[][2] = {{"/tmp/d", "/private/tmp/d"},
	    {"/var/x/d", "/private/var/x/d"}, {"/etc/d", "/private/etc/d"},
	    {"/private/tmp/d", "/tmp/d"}, {"/private/var/d", "/var/d"},
	    {"/private/etc/d", "/etc/d"}};
	size_t i;
	int j;

	(void)state;
	for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		struct judge_case one = {.count = 0};
		struct judge judge;

		judge_add(&one, OMEGA_SANDBOX_ATOM_PATH,
		    JUDGE_READ | JUDGE_CHANGE, 0, pairs[i][0]);
		judge_must_open(&judge, &one);
		for (j = 0; j < 2; j++) {
			judge_expect(
			    &judge, "file-read-data", pairs[i][j], SBPL_DENIED);
			judge_expect(&judge, "file-read-data",
			    text("%s/x", pairs[i][j]), SBPL_DENIED);
			judge_expect(&judge, "file-write-create", pairs[i][j],
			    SBPL_DENIED);
		}
		/* The ways to both, too. */
		judge_expect(
		    &judge, "file-write-unlink", "/private", SBPL_DENIED);
		judge_close(&judge);
	}
	assert_true(ways_is_below("/tmp", "/tmp"));
	assert_false(ways_is_below("/tmpx", "/tmp"));
}

/* Nothing on the way to a protected place can be moved, replaced, cloned or
 * covered; beside the way everything is as usual. */
static void
test_the_way_to_a_place_is_kept(void **state)
{
	static const char *const ways[] = {
	    "/Users", "/Users/u", "/Users/u/.omega", "/var", "/var/link"};
	static const char *const beside[] = {
	    "/Users/v", "/Users/u/x", "/Users/u/.omega/workspace", "/var/x"};
	static const char *const operations[] = {
	    "file-write-unlink", "file-clone", "file-mount"};
	struct sbpl_question link = {
	    .operation = "file-write-create", .type = "SYMLINK"};
	struct judge_case one = {.count = 0};
	struct judge judge;
	size_t i;
	size_t j;

	(void)state;
	judge_add_default(&one, "/Users/u/.omega/data", "/Users/u/.omega/c");
	texts_add(&one.links, "/var/link");
	judge_must_open(&judge, &one);
	for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		for (j = 0; j < 3; j++)
			judge_expect(
			    &judge, operations[j], ways[i], SBPL_DENIED);
		link.path = ways[i];
		assert_int_equal(sbpl_ask(judge.sbpl, &link), SBPL_DENIED);
		judge_expect(&judge, "file-write-mode", ways[i], SBPL_ALLOWED);
		judge_expect(&judge, "file-read-data", ways[i], SBPL_ALLOWED);
	}
	judge_expect(
	    &judge, "file-write-unlink", "/private/var/link", SBPL_DENIED);
	for (i = 0; i < sizeof(beside) / sizeof(beside[0]); i++) {
		for (j = 0; j < 3; j++)
			judge_expect(
			    &judge, operations[j], beside[i], SBPL_ALLOWED);
		link.path = beside[i];
		assert_int_equal(sbpl_ask(judge.sbpl, &link), SBPL_ALLOWED);
	}
	judge_close(&judge);
	texts_drop(&one.links);
}

static size_t
anchor_at_home(const char *path)
{
	(void)path;
	return strlen("/Users/u");
}

/* On a volume that ignores case an absent name has many spellings. */
static void
test_absent_names_are_kept_in_any_case(void **state)
{
	static const char *const kept[] = {"/Users/u/.omega/config.toml",
	    "/Users/u/.omega/CONFIG.TOML", "/Users/u/.omega/Config.toml/x",
	    "/Users/u/.OMEGA/config.toml"};
	static const char *const open[] = {"/Users/u/.omega/configXtoml",
	    "/Users/u/.omega/config.tom", "/Users/u/.omega/aconfig.toml",
	    "/Users/u/.omega/workspace/config.toml",
	    "/Users/u/x/.omega/config.toml", "/Users/v/.omega/CONFIG.TOML"};
	struct judge_case one = {.count = 0};
	struct judge judge;
	size_t i;

	(void)state;
	one.anchor = anchor_at_home;
	judge_add(&one, OMEGA_SANDBOX_ATOM_PATH, JUDGE_READ | JUDGE_CHANGE,
	    OMEGA_SANDBOX_ATOM_ABSENT, "/Users/u/.omega/config.toml");
	judge_must_open(&judge, &one);
	for (i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		judge_expect(&judge, "file-write-create", kept[i], SBPL_DENIED);
	for (i = 0; i < sizeof(open) / sizeof(open[0]); i++)
		judge_expect(
		    &judge, "file-write-create", open[i], SBPL_ALLOWED);
	judge_close(&judge);
	/* What is there has the name it has. */
	one.atoms[0].flags = 0;
	judge_must_open(&judge, &one);
	assert_null(strstr(judge.profile.text, "[oO]"));
	judge_close(&judge);
	/* Also one of other letters and signs. */
	one.anchor = NULL;
	one.atoms[0].flags = OMEGA_SANDBOX_ATOM_ABSENT;
	one.atoms[0].path = "/Users/u/\xc3\xa4-\"1_";
	judge_must_open(&judge, &one);
	judge_expect(
	    &judge, "file-write-create", "/Users/u/\xc3\x84-\"1_", SBPL_DENIED);
	judge_expect(&judge, "file-write-create", "/Users/u/-", SBPL_ALLOWED);
	judge_close(&judge);
}

/* Links are found where they are, not where they are spelled. */
static void
test_links_on_a_way_are_found(void **state)
{
	char base[512];
	struct texts links = {.list = NULL};

	(void)state;
	snprintf(base, sizeof(base), "%s", scratch_dir());
	make_file(text("%s/real/deep/file", base), "x");
	make_link("real", text("%s/one", base));
	make_link(text("%s/one/deep", base), text("%s/real/two", base));
	make_link("loop", text("%s/loop", base));
	assert_int_equal(
	    ways_add_links(&links, text("%s//one/./two/file", base)), 0);
	assert_true(texts_has(&links, text("%s/one", base)));
	assert_true(texts_has(&links, text("%s/real/two", base)));
	texts_drop(&links);
	assert_int_equal(
	    ways_add_links(&links, text("%s/real/none/x", base)), 0);
	assert_int_equal(
	    ways_add_links(&links, text("%s/loop/x", base)), -ELOOP);
	texts_drop(&links);
}

/* A way that leads elsewhere asks for another profile. */
static void
test_ways_are_watched(void **state)
{
	char base[512];
	struct texts paths = {.list = NULL};
	const struct texts none = {.list = NULL};
	size_t size = 0;
	void *packed;

	(void)state;
	snprintf(base, sizeof(base), "%s", scratch_dir());
	make_file(text("%s/one/file", base), "x");
	make_file(text("%s/two/file", base), "x");
	make_link("one", text("%s/link", base));
	texts_add(&paths, "%s/link/file", base);
	texts_add(&paths, "%s/absent", base);
	texts_add(&paths, "%s", base);
	packed = ways_pack(&paths, &size);
	assert_non_null(packed);
	assert_int_equal(((const char *)packed)[size - 1], 0);
	assert_int_equal(ways_check(packed), 0);
	/* By names: another file in its place is as good. */
	assert_int_equal(unlink(text("%s/one/file", base)), 0);
	make_file(text("%s/one/file", base), "y");
	assert_int_equal(ways_check(packed), 0);
	assert_int_equal(unlink(text("%s/link", base)), 0);
	assert_int_equal(ways_check(packed), 1);
	make_link("two", text("%s/link", base));
	assert_int_equal(ways_check(packed), 1);
	assert_int_equal(unlink(text("%s/link", base)), 0);
	make_link("one", text("%s/link", base));
	assert_int_equal(ways_check(packed), 0);
	make_file(text("%s/absent", base), "x");
	assert_int_equal(ways_check(packed), 1);
	free(packed);
	texts_drop(&paths);
	packed = ways_pack(&none, &size);
	assert_int_equal(size, 1);
	assert_int_equal(ways_check(packed), 0);
	free(packed);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_no_character_changes_a_profile),
    cmocka_unit_test(test_places_have_both_their_names),
    cmocka_unit_test(test_the_way_to_a_place_is_kept),
    cmocka_unit_test(test_absent_names_are_kept_in_any_case),
    cmocka_unit_test(test_links_on_a_way_are_found),
    cmocka_unit_test(test_ways_are_watched),
};

int
main(void)
{
	return run_all(tests);
}
