/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-expand.c - "~", {data_dir}, {work_dir} and groups in the lists of a
 * policy, and what is said where they stand for nothing.
 * core/policy/expand.c.
 */

#include "harness.h"

#include <sys/stat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "home.h"
#include "policy/combine.h"
#include "policy/expand.h"

struct world {
	char dir[512];
	struct omega_sandbox *sandbox;
	struct omega_sandbox_policy *policy;
	struct omega_sandbox_error error;
};

/* The policy "p" of this text. */
static void
make(struct world *world, const char *conf)
{
	struct omega_sandbox_sources sources = {.plugindir = "/nonexistent"};
	struct omega_log log = {.fn = NULL};

	memset(world, 0, sizeof(*world));
	world->error.size = sizeof(world->error);
	snprintf(world->dir, sizeof(world->dir), "%s", scratch_dir());
	chmod(world->dir, 0755);
	make_file(text("%s/x.conf", world->dir), conf);
	make_dir(text("%s/home/.keys", world->dir));
	make_dir(text("%s/work/sub", world->dir));
	make_dir(text("%s/data", world->dir));
	sources.conf.file = text("%s/x.conf", world->dir);
	sources.conf.is_explicit = true;
	if (omega_sandbox_object_new(
		&sources, &log, &world->sandbox, &world->error) != 0 ||
	    omega_sandbox_policy_new(
		world->sandbox, "p", &world->policy, &world->error) != 0)
		fail_msg("%s", world->error.text);
}

static void
drop(struct world *world)
{
	omega_sandbox_policy_unref(world->policy);
	omega_sandbox_unref(world->sandbox);
}

static void
assert_refused(struct world *world, const char *words)
{
	struct omega_combined combined;

	assert_int_equal(omega_combine(world->policy, &combined, &world->error),
	    OMEGA_SANDBOX_E_INVALID_POLICY);
	omega_combine_drop(&combined);
	if (strstr(world->error.text, words) == NULL)
		fail_msg("%s", world->error.text);
}

static void
assert_denied(struct world *world, const char *const *names)
{
	struct omega_combined combined;
	size_t i;

	if (omega_combine(world->policy, &combined, &world->error) != 0)
		fail_msg("%s", world->error.text);
	for (i = 0; names[i] != NULL; i++) {
		assert_in_range(combined.denies.count, i + 1, 100);
		assert_string_equal(combined.denies.list[i].text,
		    text("%s%s", world->dir, names[i]));
	}
	assert_int_equal(combined.denies.count, i);
	omega_combine_drop(&combined);
}

static void
test_words_stand_for_directories(void **state)
{
	static const char *const names[] = {"/home", "/home/.keys", "/work",
	    "/work/sub", "/data", "/data/none/deeper", NULL};
	struct world world;
	char home[600];

	(void)state;
	make(&world, "policy p { deny = { \"~\", \"@keys\", \"{work_dir}\", "
		     "\"{work_dir}/sub\", \"{data_dir}\", "
		     "\"{data_dir}/none/deeper\" } }\n"
		     "group keys { paths = { \"~/.keys\" } }\n");
	snprintf(home, sizeof(home), "%s/home", world.dir);
	home_set(home);
	assert_int_equal(omega_sandbox_policy_set(world.policy, "data_dir",
			     text("%s/data", world.dir), NULL),
	    0);
	assert_int_equal(omega_sandbox_policy_set(world.policy, "work_dir",
			     text("%s/work", world.dir), NULL),
	    0);
	assert_denied(&world, names);
	drop(&world);
}

/* What is written can quote a sign; what is put in its place is a name. */
static void
test_signs_in_names(void **state)
{
	static const char *const names[] = {
	    "/work/[*]/a*b", "/work/[*]/[c]", "/x?", NULL};
	struct world world;

	(void)state;
	make(&world, "policy p { deny = { \"{work_dir}/a[*]b\", \"@g\" } }\n"
		     "group g { paths = { \"{work_dir}/[[]c]\" } }\n");
	make_dir(text("%s/work/[*]", world.dir));
	assert_int_equal(omega_sandbox_policy_set(world.policy, "work_dir",
			     text("%s/work/[*]", world.dir), NULL),
	    0);
	assert_int_equal(omega_sandbox_policy_set(world.policy, "deny",
			     text("%s/x[?]", world.dir), NULL),
	    0);
	assert_denied(&world, names);
	drop(&world);
}

/* A host writes paths as files do. */
static void
test_a_host_writes_no_patterns(void **state)
{
	const struct omega_conf_list *blocked;
	const struct omega_conf_list *devices;
	struct world world;
	struct omega_sandbox_policy *policy;

	(void)state;
	make(&world, "policy p { }\n");
	policy = world.policy;
	blocked = &policy->own.values[OMEGA_OPTION_BLOCKED_PATHS].items;
	devices = &policy->own.values[OMEGA_OPTION_ALLOW_DEVICES].items;
	assert_int_equal(
	    omega_sandbox_policy_set(policy, "read", "/b/*", &world.error),
	    OMEGA_SANDBOX_E_INVALID_POLICY);
	assert_non_null(strstr(world.error.text, "read: '/b/*' has a pattern"));
	assert_int_equal(omega_sandbox_policy_set(
			     policy, "blocked_paths", "/b/*.pem", &world.error),
	    OMEGA_SANDBOX_E_INVALID_POLICY);
	assert_non_null(strstr(world.error.text, "name the directory /b "));
	assert_int_equal(omega_sandbox_policy_set(policy, "allow_sockets",
			     "/run/[ab]", &world.error),
	    OMEGA_SANDBOX_E_INVALID_POLICY);
	assert_int_equal(omega_sandbox_policy_set(policy, "allow_devices",
			     "/dev/video?", &world.error),
	    OMEGA_SANDBOX_E_INVALID_POLICY);
	assert_int_equal(blocked->count, 0);
	assert_int_equal(
	    policy->own.values[OMEGA_OPTION_ALLOW_SOCKETS].items.count, 0);
	assert_int_equal(devices->count, 0);
	assert_int_equal(omega_sandbox_policy_set(
			     policy, "blocked_paths", "/b/[*].pem", NULL),
	    0);
	assert_string_equal(blocked->items[0].text, "/b/*.pem");
	assert_int_equal(omega_sandbox_policy_set(
			     policy, "allow_devices", "/dev/x[?]", NULL),
	    0);
	assert_string_equal(devices->items[0].text, "/dev/x?");
	drop(&world);
}

static void
test_the_runtime_directory_goes_by_the_user(void **state)
{
	struct omega_combined combined;
	struct world world;

	(void)state;
	make(&world, "policy p { deny = { \"{runtime_dir}/x/y\" } }\n");
	assert_int_equal(
	    omega_combine(world.policy, &combined, &world.error), 0);
	assert_int_equal(combined.denies.count, 1);
	assert_string_equal(combined.denies.list[0].spelled,
	    text("/run/user/%lu/x/y", (unsigned long)geteuid()));
	omega_combine_drop(&combined);
	drop(&world);
}

/* A component that is a file has nothing below it: the path is absent. */
static void
test_a_file_on_the_way_is_no_fault(void **state)
{
	static const char *const names[] = {"/work/.git/hooks", NULL};
	struct world world;

	(void)state;
	make(&world, "policy p { deny = { \"{work_dir}/.git/hooks\" } }\n");
	make_file(text("%s/work/.git", world.dir), "gitdir: /elsewhere\n");
	assert_int_equal(omega_sandbox_policy_set(world.policy, "work_dir",
			     text("%s/work", world.dir), NULL),
	    0);
	assert_denied(&world, names);
	drop(&world);
}

static void
test_no_work_directory(void **state)
{
	struct world world;

	(void)state;
	make(&world, "policy p {\n\twrite = { \"{work_dir}/x\" }\n}\n");
	assert_refused(&world,
	    "x.conf:2: '{work_dir}/x': no work directory was given; the "
	    "host sets it: work_dir of a request, --work-dir of the tool");
	drop(&world);
}

static void
test_no_data_directory(void **state)
{
	struct world world;

	(void)state;
	home_set(NULL);
	make(&world, "policy p { deny = { \"{data_dir}\" } }\n");
	assert_refused(&world,
	    "x.conf:1: '{data_dir}': there is no data directory to put in its "
	    "place");
	drop(&world);
}

static void
test_no_home(void **state)
{
	struct world world;

	(void)state;
	home_set(NULL);
	make(&world, "policy p { deny = { \"~/.ssh\" } }\n");
	assert_refused(
	    &world, "x.conf:1: '~/.ssh': no home directory is known");
	drop(&world);
}

static void
test_no_such_group_of_a_host(void **state)
{
	struct world world;
	int ret;

	(void)state;
	make(&world, "policy p { }\n");
	ret = omega_sandbox_policy_set(
	    world.policy, "deny", "@none", &world.error);
	if (ret == 0)
		assert_refused(&world,
		    "host application: '@none': there is no such group");
	else
		assert_non_null(strstr(world.error.text, "@none"));
	drop(&world);
}

static void
test_a_path_nothing_can_open(void **state)
{
	char *conf = malloc(8192);
	char *name = malloc(5000);
	struct world world;

	(void)state;
	assert_non_null(conf);
	assert_non_null(name);
	memset(name, 'n', 4999);
	name[4999] = '\0';
	snprintf(conf, 8192, "policy p { deny = { \"/%s\" } }\n", name);
	make(&world, conf);
	assert_refused(
	    &world, "this is not an absolute path the system can open");
	drop(&world);
	free(conf);
	free(name);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_words_stand_for_directories),
    cmocka_unit_test(test_signs_in_names),
    cmocka_unit_test(test_a_host_writes_no_patterns),
    cmocka_unit_test(test_the_runtime_directory_goes_by_the_user),
    cmocka_unit_test(test_a_file_on_the_way_is_no_fault),
    cmocka_unit_test(test_no_work_directory),
    cmocka_unit_test(test_no_data_directory),
    cmocka_unit_test(test_no_home),
    cmocka_unit_test(test_no_such_group_of_a_host),
    cmocka_unit_test(test_a_path_nothing_can_open),
};

int
main(void)
{
	return run_all(tests);
}
