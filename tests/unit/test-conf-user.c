/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-conf-user.c - a user's own ~/.config/omega/sandbox.conf: it is found by
 * the password database, can tighten, and cannot loosen. core/conf/load.c.
 * What a user's file may not have is in tests/fixtures/conf/user-*.
 */

#include "harness.h"

#include <sys/stat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "conf/conf.h"
#include "conf/sections.h"
#include "home.h"
#include "load/sandbox.h"
#include "policy/combine.h"

#define USERS ".config/omega/sandbox.conf"

struct ground {
	char etc[512];
	char home[512];
	char users[600]; /* the file */
};

static void
make_conf(const char *path, const char *content)
{
	make_file(path, content);
	chmod(path, 0644);
}

/* Two trees nobody else can write; users NULL: no file. */
static void
prepare(struct ground *g, const char *admins, const char *users)
{
	const char *dir = scratch_dir();

	chmod(dir, 0755);
	snprintf(g->etc, sizeof(g->etc), "%s/etc", dir);
	snprintf(g->home, sizeof(g->home), "%s/home", dir);
	snprintf(g->users, sizeof(g->users), "%s/" USERS, g->home);
	make_dir(g->etc);
	make_dir(text("%s/.config/omega", g->home));
	make_conf(text("%s/sandbox.conf", g->etc), admins);
	if (users != NULL)
		make_conf(g->users, users);
	home_set(g->home);
}

static struct omega_conf_paths
paths_of(const struct ground *g)
{
	struct omega_conf_paths paths = {
	    .file = text("%s/sandbox.conf", g->etc),
	    .user = USERS,
	};

	return paths;
}

static struct omega_conf *
load(const struct ground *g)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_conf_paths paths = paths_of(g);
	struct omega_conf *conf = NULL;

	if (omega_conf_load(&paths, &conf, &error) != 0)
		fail_msg("%s", error.text);
	return conf;
}

static void
assert_fails(const struct ground *g, int code, uint32_t line, const char *words)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_conf_paths paths = paths_of(g);
	struct omega_conf *conf = NULL;

	assert_int_equal(omega_conf_load(&paths, &conf, &error), code);
	assert_null(conf);
	if (strstr(error.text, words) == NULL || error.line != line)
		fail_msg("line %u: %s", error.line, error.text);
	assert_string_equal(error.file, g->users);
}

static void
test_it_is_read_last(void **state)
{
	struct ground g;
	struct omega_conf *conf;

	(void)state;
	prepare(&g,
	    "blocked_paths = { \"/a\" }\nfloor = house\n"
	    "policy house { network = deny }\n",
	    "blocked_paths = { \"~/b\" }\nfloor = mine\n"
	    "policy mine { extends = house deny = { \"@keys\" } }\n"
	    "group keys { paths = { \"~/.keys\" } }\n");
	conf = load(&g);
	assert_int_equal(conf->files.count, 2);
	assert_string_equal(conf->files.items[1].text, g.users);
	assert_int_equal(
	    omega_conf_items(conf, OMEGA_OPTION_BLOCKED_PATHS)->count, 2);
	assert_string_equal(
	    omega_conf_items(conf, OMEGA_OPTION_BLOCKED_PATHS)->items[1].text,
	    text("%s/b", g.home));
	assert_int_equal(omega_conf_items(conf, OMEGA_OPTION_FLOOR)->count, 2);
	assert_string_equal(
	    omega_conf_items(conf, OMEGA_OPTION_FLOOR)->items[1].text, "mine");
	assert_non_null(omega_sections_find(conf, OMEGA_SCAN_POLICY, "mine"));
	assert_non_null(omega_sections_find(conf, OMEGA_SCAN_GROUP, "keys"));
	omega_conf_free(conf);
}

static void
test_the_environment_is_not_asked(void **state)
{
	struct ground other;
	struct ground g;
	struct omega_conf *conf;

	(void)state;
	prepare(&other, "", "blocked_paths = { \"/other\" }\n");
	prepare(&g, "", NULL);
	setenv("HOME", other.home, 1);
	setenv("XDG_CONFIG_HOME", text("%s/.config", other.home), 1);
	conf = load(&g);
	assert_int_equal(conf->files.count, 1);
	assert_int_equal(
	    omega_conf_items(conf, OMEGA_OPTION_BLOCKED_PATHS)->count, 0);
	omega_conf_free(conf);
}

/* The data directory of a policy that names none is found the same way. */
static void
test_home_is_the_effective_users(void **state)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_sources sources = {.plugindir = "/none"};
	struct omega_log log = {.fn = NULL};
	struct omega_sandbox *sandbox = NULL;
	struct ground g;

	(void)state;
	if (getuid() != 0)
		skip_because("only root can have two users");
	prepare(&g, "", NULL);
	sources.conf = paths_of(&g);
	assert_int_equal(seteuid(SPARE_UID), 0);
	if (omega_sandbox_object_new(&sources, &log, &sandbox, &error) < 0)
		fail_msg("%s", error.text);
	assert_int_equal(home_asked(), SPARE_UID);
	assert_int_equal(seteuid(0), 0);
	assert_string_equal(
	    omega_sandbox_object_data_dir(sandbox), text("%s/.omega", g.home));
	omega_sandbox_unref(sandbox);
}

static void
test_nobody_has_none(void **state)
{
	struct ground g;
	struct omega_conf *conf;

	(void)state;
	prepare(&g, "", "enabled = true\n");
	home_set(NULL);
	conf = load(&g);
	assert_int_equal(conf->files.count, 1);
	omega_conf_free(conf);
}

static void
test_an_explicit_file_is_read_without_it(void **state)
{
	struct ground g;
	struct omega_conf_paths paths;
	struct omega_conf *conf = NULL;

	(void)state;
	prepare(&g, "", "blocked_paths = { \"/a\" }\n");
	paths = paths_of(&g);
	paths.is_explicit = true;
	assert_int_equal(omega_conf_load(&paths, &conf, NULL), 0);
	assert_int_equal(conf->files.count, 1);
	assert_int_equal(
	    omega_conf_items(conf, OMEGA_OPTION_BLOCKED_PATHS)->count, 0);
	omega_conf_free(conf);
}

static void
test_it_cannot_loosen(void **state)
{
	static const struct {
		const char *content;
		uint32_t line;
		const char *words;
	} cases[] = {
	    {"fail_closed = false\n", 1, "is for the administrator to set"},
	    {"\nbackend = noop\n", 2, "is for the administrator to set"},
	    {"accept = { terminal }\n", 1, "is for the administrator to set"},
	    {"allow_sockets = { \"/a\" }\n", 1, "for the administrator to set"},
	    {"plugin noop { }\n", 1, "are for the administrator to write"},
	    {"agent claude { }\n", 1, "are for the administrator to write"},
	    {"tier local { sandbox = false }\n", 1, "for the administrator"},
	    {"policy house { }\n", 1, "policy \"house\" is already there"},
	    {"policy p {\nptrace = true\n}\n", 2, "gives more than there is"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ground g;

		prepare(
		    &g, "policy house { network = deny }\n", cases[i].content);
		assert_fails(
		    &g, OMEGA_SANDBOX_E_CONFIG, cases[i].line, cases[i].words);
	}
}

/* A policy of the user's is combined with the administrator's floor. */
static void
test_the_floor_holds_below_it(void **state)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_sources sources = {.plugindir = "/nonexistent"};
	struct omega_log log = {.fn = NULL};
	struct omega_sandbox *sandbox = NULL;
	struct omega_sandbox_policy *policy = NULL;
	struct omega_combined combined;
	struct ground g;

	(void)state;
	prepare(&g,
	    "floor = house\npolicy house { network = deny write = { \"/tmp\" }"
	    " max_open_files = 10 }\n",
	    "policy mine { network = allow write = { \"/\" }"
	    " max_open_files = 100 }\n");
	sources.conf = paths_of(&g);
	if (omega_sandbox_object_new(&sources, &log, &sandbox, &error) != 0 ||
	    omega_sandbox_policy_new(sandbox, "mine", &policy, &error) != 0 ||
	    omega_combine(policy, &combined, &error) != 0)
		fail_msg("%s", error.text);
	assert_non_null(combined.deny_network);
	assert_int_equal(combined.write.places.count, 1);
	assert_string_equal(combined.write.places.list[0].text, "/tmp");
	assert_int_equal(
	    combined.values[OMEGA_OPTION_MAX_OPEN_FILES].number, 10);
	omega_combine_drop(&combined);
	omega_sandbox_policy_unref(policy);
	omega_sandbox_unref(sandbox);
}

static void
test_one_that_others_can_write_is_refused(void **state)
{
	struct ground g;

	(void)state;
	prepare(&g, "", "blocked_paths = { \"/a\" }\n");
	chmod(g.users, 0666);
	assert_fails(&g, OMEGA_SANDBOX_E_TRUST, 0, g.users);
}

/* It can only tighten, and who can write there could take it away. */
static void
test_a_way_that_is_open_takes_nothing_from_it(void **state)
{
	struct ground g;
	struct omega_conf *conf;

	(void)state;
	prepare(&g, "", "blocked_paths = { \"/a\" }\n");
	chmod(text("%s/.config", g.home), 0777);
	chmod(g.home, 0777);
	if (getuid() == 0)
		assert_int_equal(
		    chown(text("%s/.config", g.home), SPARE_UID, SPARE_UID), 0);
	conf = load(&g);
	assert_int_equal(
	    omega_conf_items(conf, OMEGA_OPTION_BLOCKED_PATHS)->count, 1);
	assert_int_equal(conf->warnings.count, 0);
	omega_conf_free(conf);
}

static void
test_a_strangers_file_is_not_read(void **state)
{
	struct ground g;
	struct omega_conf *conf;

	(void)state;
	if (getuid() != 0)
		skip_because("only root can give files away");
	prepare(&g, "", "garbage\n");
	assert_int_equal(chown(g.users, SPARE_UID, SPARE_UID), 0);
	conf = load(&g);
	assert_int_equal(conf->files.count, 1);
	assert_int_equal(conf->warnings.count, 1);
	assert_non_null(strstr(conf->warnings.items[0].text, "not to you"));
	omega_conf_free(conf);
}

static int
close_and_load(void *arg)
{
	const struct ground *g = arg;
	struct omega_conf *conf;
	struct stat st;

	need(chmod(text("%s/.config", g->home), 0) == 0);
	need(chmod(g->home, 0600) == 0);
	conf = load(g);
	need(omega_conf_items(conf, OMEGA_OPTION_BLOCKED_PATHS)->count == 1);
	need(conf->warnings.count == 1);
	need(strstr(conf->warnings.items[0].text, "opened again") != NULL);
	need(stat(g->home, &st) == 0 && (st.st_mode & 07777) == 0700);
	need(stat(text("%s/.config", g->home), &st) == 0);
	need((st.st_mode & 07777) == 0100);
	omega_conf_free(conf);
	return 0;
}

/* A command could close it, and must not be rid of it. */
static void
test_a_way_that_is_closed_is_opened(void **state)
{
	struct ground g;

	(void)state;
	prepare(&g, "", "blocked_paths = { \"/a\" }\n");
	if (getuid() == 0) {
		assert_int_equal(chown(g.home, SPARE_UID, SPARE_UID), 0);
		assert_int_equal(
		    chown(text("%s/.config", g.home), SPARE_UID, SPARE_UID), 0);
		assert_int_equal(chown(g.users, SPARE_UID, SPARE_UID), 0);
	}
	assert_int_equal(in_user_child(close_and_load, &g), 0);
}

static void
test_its_directory_is_made(void **state)
{
	struct ground g;
	struct omega_conf *conf;
	struct stat st;

	(void)state;
	prepare(&g, "", NULL);
	rmdir(text("%s/.config/omega", g.home));
	rmdir(text("%s/.config", g.home));
	conf = load(&g);
	assert_int_not_equal(stat(text("%s/.config", g.home), &st), 0);
	omega_conf_make_users_dir(conf);
	assert_int_equal(stat(text("%s/.config/omega", g.home), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	omega_conf_free(conf);
	conf = load(&g);
	assert_null(conf->users_dir);
	omega_conf_free(conf);
}

/* Many homes can be written by a group of the user's own. */
static void
test_without_a_file_the_way_to_it_is_nobodys_business(void **state)
{
	struct ground g;
	struct omega_conf *conf;

	(void)state;
	prepare(&g, "", NULL);
	chmod(text("%s/.config", g.home), 0775);
	conf = load(&g);
	assert_int_equal(conf->files.count, 1);
	assert_int_not_equal(conf->changeable.count, 0);
	omega_conf_free(conf);
	chmod(g.home, 0775);
	conf = load(&g);
	assert_int_equal(conf->files.count, 1);
	omega_conf_free(conf);
	/* A home that is not there, and one that is no directory. */
	home_set("/nonexistent");
	conf = load(&g);
	assert_int_equal(conf->files.count, 1);
	omega_conf_free(conf);
	home_set("/dev/null");
	conf = load(&g);
	assert_int_equal(conf->files.count, 1);
	omega_conf_free(conf);
}

static int
find_place(void *arg)
{
	const struct ground *g = arg;
	struct omega_conf *conf = load(g);
	size_t i;

	for (i = 0; i < conf->changeable.count; i++)
		if (strcmp(conf->changeable.items[i].text,
			text("%s/.config/omega", g->home)) == 0)
			break;
	need(i < conf->changeable.count);
	omega_conf_free(conf);
	return 0;
}

/* What the user owns, a command of the user's must not write. */
static void
test_its_place_is_kept_from_commands(void **state)
{
	struct ground g;

	(void)state;
	prepare(&g, "", NULL);
	if (getuid() == 0)
		assert_int_equal(chown(text("%s/.config/omega", g.home),
				     SPARE_UID, SPARE_UID),
		    0);
	assert_int_equal(in_user_child(find_place, &g), 0);
	make_conf(g.users, "blocked_paths = { \"/a\" }\n");
	if (getuid() == 0)
		assert_int_equal(chown(g.users, SPARE_UID, SPARE_UID), 0);
	assert_int_equal(in_user_child(find_place, &g), 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_it_is_read_last),
    cmocka_unit_test(test_the_environment_is_not_asked),
    cmocka_unit_test(test_home_is_the_effective_users),
    cmocka_unit_test(test_nobody_has_none),
    cmocka_unit_test(test_an_explicit_file_is_read_without_it),
    cmocka_unit_test(test_it_cannot_loosen),
    cmocka_unit_test(test_the_floor_holds_below_it),
    cmocka_unit_test(test_one_that_others_can_write_is_refused),
    cmocka_unit_test(test_a_way_that_is_open_takes_nothing_from_it),
    cmocka_unit_test(test_a_strangers_file_is_not_read),
    cmocka_unit_test(test_a_way_that_is_closed_is_opened),
    cmocka_unit_test(test_its_directory_is_made),
    cmocka_unit_test(test_without_a_file_the_way_to_it_is_nobodys_business),
    cmocka_unit_test(test_its_place_is_kept_from_commands),
};

int
main(void)
{
	return run_all(tests);
}
