/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-seatbelt.c - the seatbelt backend where there is no Mac: what its
 * profiles say to the evaluator, and what the plugin says of itself.
 */

#include "harness.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"
#include "launch/launch.h"
#include "seatbelt/apply.h"
#include "seatbelt/ways.h"

#define DATA_DIR "/Users/u/.omega"
#define DATA DATA_DIR "/data"
#define CONFIG DATA_DIR "/config.toml"

static void
open_default(struct judge *judge)
{
	struct judge_case one = {.count = 0};

	judge_add_default(&one, DATA, CONFIG);
	judge_must_open(judge, &one);
}

static const char *const changes[] = {"file-write-data", "file-write-create",
    "file-write-unlink", "file-write-mode", "file-write-owner",
    "file-write-flags", "file-write-times", "file-write-xattr",
    "file-write-acl", "file-write-setugid", "file-link"};

#define CHANGE_COUNT (sizeof(changes) / sizeof(changes[0]))

static void
expect_unchangeable(struct judge *judge, const char *path)
{
	size_t i;

	for (i = 0; i < CHANGE_COUNT; i++)
		judge_expect(judge, changes[i], path, SBPL_DENIED);
}

static void
expect_unreadable(struct judge *judge, const char *path)
{
	static const char *const reads[] = {"file-read-data",
	    "file-read-metadata", "file-read-xattr", "file-map-executable",
	    "process-exec", "file-clone"};
	size_t i;

	for (i = 0; i < sizeof(reads) / sizeof(reads[0]); i++)
		judge_expect(judge, reads[i], path, SBPL_DENIED);
}

/* ---- The eight of the specification ---------------------------------------
 */

static void
test_profile_blocks_system_dirs(void **state)
{
	static const char *const dirs[] = {"/System", "/bin", "/sbin",
	    "/usr/bin", "/usr/sbin", "/usr/lib", "/usr/libexec", "/private/etc",
	    "/etc", "/Library"};
	struct judge judge;
	size_t i;

	(void)state;
	open_default(&judge);
	for (i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		expect_unchangeable(&judge, dirs[i]);
		expect_unchangeable(&judge, text("%s/x/y", dirs[i]));
		judge_expect(&judge, "file-read-data", text("%s/x", dirs[i]),
		    SBPL_ALLOWED);
		judge_expect(&judge, "file-write-data", text("%sx/y", dirs[i]),
		    SBPL_ALLOWED);
	}
	judge_close(&judge);
}

static void
test_profile_blocks_data_dir(void **state)
{
	struct judge judge;

	(void)state;
	open_default(&judge);
	expect_unchangeable(&judge, DATA);
	expect_unchangeable(&judge, DATA "/memory.db");
	expect_unchangeable(&judge, DATA "/deep/er/file");
	judge_expect(&judge, "file-write-data", DATA "base", SBPL_ALLOWED);
	judge_close(&judge);
}

static void
test_profile_blocks_data_dir_reads(void **state)
{
	struct judge judge;

	(void)state;
	open_default(&judge);
	expect_unreadable(&judge, DATA);
	expect_unreadable(&judge, DATA "/memory.db");
	judge_expect(&judge, "file-read-data", DATA "base", SBPL_ALLOWED);
	judge_close(&judge);
}

static void
test_profile_blocks_config_reads(void **state)
{
	struct judge judge;

	(void)state;
	open_default(&judge);
	expect_unreadable(&judge, CONFIG);
	judge_expect(&judge, "file-read-data", CONFIG ".bak", SBPL_ALLOWED);
	judge_close(&judge);
}

static void
test_profile_blocks_config_writes(void **state)
{
	struct judge judge;

	(void)state;
	open_default(&judge);
	expect_unchangeable(&judge, CONFIG);
	judge_expect(&judge, "file-write-data", CONFIG ".bak", SBPL_ALLOWED);
	judge_close(&judge);
}

static void
test_profile_allows_usr_local(void **state)
{
	static const char *const free[] = {"/usr/local/bin/x", "/tmp/x",
	    "/private/tmp/x", "/Users/u/x", DATA_DIR "/workspace/x",
	    DATA_DIR "/skills/x", DATA_DIR "/projects/x", DATA_DIR "/stores/x",
	    DATA_DIR "/new", "/dev/null", "/dev/tty", "/dev/ttys004"};
	struct judge judge;
	size_t i;

	(void)state;
	open_default(&judge);
	for (i = 0; i < sizeof(free) / sizeof(free[0]); i++) {
		judge_expect(&judge, "file-write-data", free[i], SBPL_ALLOWED);
		judge_expect(&judge, "file-read-data", free[i], SBPL_ALLOWED);
		if (strncmp(free[i], "/dev/", 5) != 0)
			judge_expect(
			    &judge, "file-write-create", free[i], SBPL_ALLOWED);
	}
	judge_expect(&judge, "file-write-data", "/dev/disk0", SBPL_DENIED);
	judge_expect(&judge, "file-write-data", "/dev/ttys", SBPL_DENIED);
	judge_close(&judge);
}

static void
test_profile_allows_by_default(void **state)
{
	static const char beginning[] = "(version 1)\n(allow default)\n";
	struct judge judge;

	(void)state;
	open_default(&judge);
	assert_memory_equal(
	    judge.profile.text, beginning, sizeof(beginning) - 1);
	assert_true(sbpl_allows_by_default(judge.sbpl));
	judge_close(&judge);
}

/* What the plugin puts before a command. */
static int
apply_as(struct judge_case *one, struct omega_launch *launch, char *explanation)
{
	struct omega_launch_builder builder;
	int ret;

	omega_launch_builder_begin(&builder, launch, "seatbelt", true);
	ret = omega_sandbox_plugin.apply(
	    NULL, &one->request, one->list, one->count, &builder.public);
	snprintf(explanation, sizeof(builder.explanation), "%s",
	    builder.explanation);
	omega_launch_builder_end(&builder);
	return ret;
}

static void
test_command_structure(void **state)
{
	struct omega_launch *launch = omega_launch_new();
	struct judge_case one = {.request = {.size = sizeof(one.request),
				     .flags = OMEGA_SANDBOX_REQUEST_PREVIEW}};
	char explanation[256];
	size_t i;

	(void)state;
	judge_add_default(&one, DATA, CONFIG);
	assert_int_equal(apply_as(&one, launch, explanation), 0);
	assert_true(launch->word_count > 5);
	assert_string_equal(launch->words[0], "/usr/bin/sandbox-exec");
	assert_string_equal(launch->words[1], "-p");
	for (i = 3; i < launch->word_count; i += 2) {
		assert_string_equal(launch->words[i], "-D");
		assert_memory_equal(launch->words[i + 1],
		    text("P%zu=/", (i - 3) / 2),
		    strlen(text("P%zu=/", (i - 3) / 2)));
	}
	assert_int_equal(i, launch->word_count);
	assert_int_equal(launch->step_count, 0);
	omega_launch_unref(launch);
}

/* Data that is a link is kept by its own name and by where it leads. */
static void
test_profile_blocks_a_data_dir_of_links(void **state)
{
	struct judge_case one = {.count = 0};
	struct judge judge;
	struct judge plain;

	(void)state;
	one.request.data_dir = DATA_DIR;
	judge_add_default(&one, "/Volumes/x/data", "/Volumes/x/config");
	judge_must_open(&judge, &one);
	expect_unchangeable(&judge, DATA);
	expect_unchangeable(&judge, CONFIG);
	expect_unreadable(&judge, DATA "/memory.db");
	expect_unreadable(&judge, "/Volumes/x/data/memory.db");
	expect_unchangeable(&judge, "/Volumes/x/config");
	judge_expect(&judge, "file-write-unlink", DATA_DIR, SBPL_DENIED);
	judge_expect(&judge, "file-write-unlink", "/Volumes/x", SBPL_DENIED);
	judge_expect(&judge, "file-write-data", DATA_DIR "/x", SBPL_ALLOWED);
	judge_close(&judge);
	/* Where both are the same, nothing is said twice. */
	one.count = 0;
	judge_add_default(&one, DATA, CONFIG);
	judge_must_open(&judge, &one);
	open_default(&plain);
	assert_string_equal(judge.profile.text, plain.profile.text);
	judge_close(&judge);
	judge_close(&plain);
}

/* ---- The plugin -----------------------------------------------------------
 */

/* Off macOS nothing is promised and nothing is made, unless only shown. */
static void
test_it_is_of_no_use_elsewhere(void **state)
{
	struct omega_sandbox_probe probe = {.size = sizeof(probe)};
	struct omega_launch *launch = omega_launch_new();
	struct omega_sandbox_state states[JUDGE_MAX];
	struct omega_sandbox_state *list[JUDGE_MAX];
	struct judge_case one = {.request = {.size = sizeof(one.request)}};
	char explanation[256];
	size_t i;

	(void)state;
#ifdef __APPLE__
	skip_because("this is macOS");
#endif
	memset(states, 0, sizeof(states));
	for (i = 0; i < JUDGE_MAX; i++)
		list[i] = &states[i];
	judge_add_default(&one, DATA, CONFIG);
	assert_int_equal(omega_sandbox_plugin.probe(NULL, &probe), 0);
	assert_int_equal(probe.is_usable, 0);
	assert_int_equal(probe.has_network, 0);
	assert_non_null(strstr(probe.reason, "macOS"));
	assert_int_equal(omega_sandbox_plugin.describe(
			     NULL, &one.request, one.list, one.count, list),
	    0);
	for (i = 0; i < one.count; i++) {
		assert_int_equal(states[i].held | states[i].partial, 0);
		assert_true(states[i].why[0] != '\0');
	}
	assert_true(apply_as(&one, launch, explanation) < 0);
	assert_non_null(strstr(explanation, "macOS"));
	assert_int_equal(launch->word_count, 0);
	omega_launch_unref(launch);
}

static struct omega_sandbox_state
describe(struct judge_case *one, size_t index)
{
	struct omega_sandbox_state states[JUDGE_MAX];
	struct omega_sandbox_state *list[JUDGE_MAX];
	size_t i;

	memset(states, 0, sizeof(states));
	for (i = 0; i < JUDGE_MAX; i++)
		list[i] = &states[i];
	one->request.size = sizeof(one->request);
	one->request.flags = OMEGA_SANDBOX_REQUEST_PREVIEW;
	assert_int_equal(omega_sandbox_plugin.describe(
			     NULL, &one->request, one->list, one->count, list),
	    0);
	return states[index];
}

static void
test_what_is_held(void **state)
{
	static const struct {
		uint32_t kind;
		uint32_t access;
		const char *path;
		char expected; /* held, partial, not */
	} rows[] = {
	    {OMEGA_SANDBOX_ATOM_PATH, JUDGE_READ, "/a", 'h'},
	    {OMEGA_SANDBOX_ATOM_PATH, JUDGE_CHANGE, "/a", 'h'},
	    {OMEGA_SANDBOX_ATOM_METADATA, OMEGA_SANDBOX_ATOM_CHANGE, "/a", 'h'},
	    {OMEGA_SANDBOX_ATOM_ABSENT_PATHS, OMEGA_SANDBOX_ATOM_ALL, "/a",
		'h'},
	    {OMEGA_SANDBOX_ATOM_REPLACED_FILES, OMEGA_SANDBOX_ATOM_ALL, "/a",
		'h'},
	    {OMEGA_SANDBOX_ATOM_ALIASES, OMEGA_SANDBOX_ATOM_ALL, "/a", 'n'},
	    {OMEGA_SANDBOX_ATOM_OUTSIDE_SOCKETS, OMEGA_SANDBOX_ATOM_ALL, NULL,
		'p'},
	    {OMEGA_SANDBOX_ATOM_EXECUTE, OMEGA_SANDBOX_ATOM_ALL, NULL, 'p'},
	    {OMEGA_SANDBOX_ATOM_NETWORK, OMEGA_SANDBOX_ATOM_ALL, NULL, 'h'},
	    {OMEGA_SANDBOX_ATOM_LAUNCHER_SOCKETS, OMEGA_SANDBOX_ATOM_ALL, NULL,
		'h'},
	    {OMEGA_SANDBOX_ATOM_LIMIT, OMEGA_SANDBOX_ATOM_ALL, NULL, 'n'},
	    {9999, OMEGA_SANDBOX_ATOM_ALL, NULL, 'n'},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct judge_case one = {.count = 0};
		struct omega_sandbox_state found;

		judge_add(&one, rows[i].kind, rows[i].access, 0, rows[i].path);
		found = describe(&one, 0);
		if (found.held !=
			(rows[i].expected == 'h' ? rows[i].access : 0) ||
		    found.partial !=
			(rows[i].expected == 'p' ? rows[i].access : 0) ||
		    (found.why[0] == '\0') != (rows[i].expected == 'h'))
			fail_msg("kind %u: held %x, partial %x, %s",
			    rows[i].kind, found.held, found.partial, found.why);
	}
}

static void
test_hidden_sockets_are_held_as_they_are_hidden(void **state)
{
	struct judge_case one = {.count = 0};

	(void)state;
	judge_add(&one, OMEGA_SANDBOX_ATOM_LAUNCHER_SOCKETS,
	    OMEGA_SANDBOX_ATOM_ALL, 0, NULL);
	judge_add(&one, OMEGA_SANDBOX_ATOM_OUTSIDE_SOCKETS,
	    OMEGA_SANDBOX_ATOM_ALL | OMEGA_SANDBOX_ATOM_CREATE, 0, NULL);
	one.request.hide_sockets = OMEGA_SANDBOX_HIDE_LAUNCHERS;
	assert_int_equal(describe(&one, 0).held, OMEGA_SANDBOX_ATOM_ALL);
	assert_int_equal(describe(&one, 1).held | describe(&one, 1).partial, 0);
	one.request.hide_sockets = OMEGA_SANDBOX_HIDE_NONE;
	assert_int_equal(describe(&one, 0).held | describe(&one, 0).partial, 0);
	/* A policy goes further than the option. */
	one.request.unix_sockets = OMEGA_SANDBOX_UNIX_NONE;
	assert_int_equal(describe(&one, 1).held,
	    OMEGA_SANDBOX_ATOM_ALL | OMEGA_SANDBOX_ATOM_CREATE);
}

/* What a process takes on itself is the same profile, in one piece. */
static void
test_a_profile_is_packed_and_unpacked(void **state)
{
	struct judge judge;
	const char **params;
	size_t size = 0;
	char *packed;
	size_t i;

	(void)state;
	open_default(&judge);
	packed = profile_pack(&judge.profile, &size);
	assert_non_null(packed);
	assert_string_equal(packed, judge.profile.text);
	assert_true(packed[size - 1] == '\0' && packed[size - 2] == '\0');
	params = profile_unpack(packed);
	assert_non_null(params);
	for (i = 0; i < judge.profile.count; i++) {
		assert_string_equal(params[2 * i], text("P%zu", i));
		assert_string_equal(params[2 * i + 1], judge.profile.values[i]);
	}
	assert_null(params[2 * i]);
#ifndef __APPLE__
	assert_int_equal(apply_to_self(packed, params), -ENOSYS);
#endif
	free(params);
	free(packed);
	judge_close(&judge);
}

/* ---- What cannot be said --------------------------------------------------
 */

/* Bytes that are no UTF-8, in each place a path can have. */
static void
test_what_cannot_be_said_is_refused(void **state)
{
	static const char *const bad[] = {"/a/\xff", "/a/\xc3", "/a/\xc0\xaf",
	    "/a/\xed\xa0\x80", "/a/\xf4\x90\x80\x80", "/a/\x80x", "a", "/a/"};
	static const char *const good[] = {"/a/\xc3\xa4", "/a/\xe2\x82\xac",
	    "/a/\xf0\x9f\x98\x80", "/a/\n", "/", "/a\\n"};
	size_t i;
	int place;

	(void)state;
	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_null(ways_refuse(good[i]));
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		for (place = 0; place < (i < 6 ? 8 : 7); place++) {
			const char *list[] = {bad[i], NULL};
			struct judge_case one = {.count = 0};
			struct omega_launch *launch = omega_launch_new();
			char explanation[256];
			struct judge judge;

			judge_add(&one, OMEGA_SANDBOX_ATOM_PATH, JUDGE_READ, 0,
			    place == 0 ? bad[i] : "/x");
			if (place == 1)
				one.request.allow_sockets = list;
			if (place == 2)
				one.request.allow_devices = list;
			if (place == 3 || place == 4)
				judge_grant(&one, JUDGE_READ,
				    place == 3 ? bad[i] : "/x");
			if (place == 4)
				one.grants[0].spelled = list;
			if (place == 5)
				one.request.unreadable = list;
			if (place == 6)
				one.request.unchangeable = list;
			/* As somebody wrote it: "a" and "/a/" are not here. */
			if (place == 7)
				one.request.spelled = list;
			assert_false(judge_case_open(&judge, &one));
			assert_int_equal(describe(&one, 0).held, 0);
			assert_true(describe(&one, 0).why[0] != '\0');
			assert_true(apply_as(&one, launch, explanation) < 0);
			assert_int_equal(launch->word_count, 0);
			omega_launch_unref(launch);
			judge_close(&judge);
		}
}

static void
test_a_profile_that_is_too_large_is_refused(void **state)
{
	struct judge_case one = {.count = 0};
	struct omega_launch *launch = omega_launch_new();
	char explanation[256];
	char *path = malloc(600 * 1024);

	(void)state;
	memset(path, 'x', 600 * 1024 - 1);
	path[0] = '/';
	path[600 * 1024 - 1] = '\0';
	one.request.flags = OMEGA_SANDBOX_REQUEST_PREVIEW;
	judge_add(&one, OMEGA_SANDBOX_ATOM_PATH, JUDGE_READ, 0, path);
	assert_int_equal(apply_as(&one, launch, explanation), -E2BIG);
	assert_non_null(strstr(explanation, "larger"));
	omega_launch_unref(launch);
	free(path);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_profile_blocks_system_dirs),
    cmocka_unit_test(test_profile_blocks_data_dir),
    cmocka_unit_test(test_profile_blocks_data_dir_reads),
    cmocka_unit_test(test_profile_blocks_config_reads),
    cmocka_unit_test(test_profile_blocks_config_writes),
    cmocka_unit_test(test_profile_allows_usr_local),
    cmocka_unit_test(test_profile_allows_by_default),
    cmocka_unit_test(test_command_structure),
    cmocka_unit_test(test_profile_blocks_a_data_dir_of_links),
    cmocka_unit_test(test_it_is_of_no_use_elsewhere),
    cmocka_unit_test(test_what_is_held),
    cmocka_unit_test(test_a_profile_is_packed_and_unpacked),
    cmocka_unit_test(test_hidden_sockets_are_held_as_they_are_hidden),
    cmocka_unit_test(test_what_cannot_be_said_is_refused),
    cmocka_unit_test(test_a_profile_that_is_too_large_is_refused),
};

int
main(void)
{
	return run_all(tests);
}
