/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-names.c - by which names a backend is told what is denied and what is
 * listed: as it was written and where that leads, whether it is there or not.
 */

#include "harness.h"

#include <sys/stat.h>
#include <stdio.h>
#include <string.h>

#include "load/sandbox.h"
#include "policy/atoms.h"

struct world {
	char dir[512];
	struct omega_sandbox *sandbox;
	struct omega_sandbox_policy *policy;
	struct omega_atoms atoms;
	struct omega_sandbox_request request;
};

/* The policy "p" of this text, whose work directory is all of it, and whose
 * data directory is behind a link. */
static void
make(struct world *world, const char *conf, bool is_shown)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_sources sources = {.plugindir = "/nonexistent"};
	struct omega_log log = {.fn = NULL};
	const char *d = world->dir;

	memset(world, 0, sizeof(*world));
	snprintf(world->dir, sizeof(world->dir), "%s", scratch_dir());
	chmod(d, 0755);
	make_dir(text("%s/real/data", d));
	make_link("real", text("%s/link", d));
	make_dir(text("%s/place", d));
	make_link("place", text("%s/way", d));
	make_file(text("%s/x.conf", d), conf);
	sources.conf.file = text("%s/x.conf", d);
	sources.conf.is_explicit = true;
	if (omega_sandbox_object_new(&sources, &log, &world->sandbox, &error) !=
		0 ||
	    omega_sandbox_policy_new(
		world->sandbox, "p", &world->policy, &error) != 0 ||
	    omega_sandbox_policy_set(
		world->policy, "data_dir", text("%s/link", d), &error) != 0 ||
	    omega_sandbox_policy_set(world->policy, "work_dir", d, &error) !=
		0 ||
	    (is_shown ? omega_atoms_make_shown(
			    world->policy, &world->atoms, &error)
		      : omega_atoms_make(
			    world->policy, &world->atoms, &error)) != 0)
		fail_msg("%s", error.text);
	world->request.size = sizeof(world->request);
	omega_atoms_tell(&world->atoms, &world->request);
}

static void
drop(struct world *world)
{
	omega_atoms_drop(&world->atoms);
	omega_sandbox_policy_unref(world->policy);
	omega_sandbox_unref(world->sandbox);
}

static unsigned
count(const char *const *list, const char *name)
{
	unsigned found = 0;

	for (; list != NULL && *list != NULL; list++)
		found += strcmp(*list, name) == 0;
	return found;
}

/* Is the name told once where it is expected, and nowhere else? */
static void
expect(const struct world *world, const char *name, bool is_unreadable,
    bool is_unchangeable)
{
	const char *path = text("%s%s", world->dir, name);

	if (count(world->request.unreadable, path) != is_unreadable ||
	    count(world->request.unchangeable, path) != is_unchangeable)
		fail_msg("%s", path);
}

static void
test_denied_names_are_told(void **state)
{
	struct world world;

	(void)state;
	make(&world,
	    "policy p {\n"
	    "deny = { \"{work_dir}/way//secret/\", \"{work_dir}/gone\" }\n"
	    "deny_read = { \"{work_dir}/mute\" }\n"
	    "deny_write = { \"{work_dir}/firm\" }\n"
	    "}\n",
	    false);
	expect(&world, "/link/data", true, true);
	expect(&world, "/link/config.toml", true, true);
	expect(&world, "/real/data", true, true);
	expect(&world, "/real/config.toml", true, true);
	expect(&world, "/way/secret", true, true);
	expect(&world, "/place/secret", true, true);
	expect(&world, "/gone", true, true);
	expect(&world, "/mute", true, false);
	expect(&world, "/firm", false, true);
	expect(&world, "/link", false, false);
	expect(&world, "/real", false, false);
	drop(&world);
}

/* Also what has no atom, since lists keep it from being made. */
static void
test_names_outside_of_lists_are_told(void **state)
{
	struct world world;

	(void)state;
	make(&world,
	    "policy p {\n"
	    "deny = { \"{work_dir}/gone\" }\n"
	    "write = { \"{work_dir}/place\" }\n"
	    "}\n",
	    false);
	expect(&world, "/gone", true, true);
	drop(&world);
}

static const struct omega_sandbox_grant *
find_grant(const struct world *world, const char *name)
{
	const char *path = text("%s%s", world->dir, name);
	size_t i;

	for (i = 0; i < world->request.grant_count; i++)
		if (strcmp(world->request.grants[i]->path, path) == 0)
			return world->request.grants[i];
	return NULL;
}

static const char listed[] = "policy p {\n"
			     "write = { \"{work_dir}/place\" }\n"
			     "read = { \"{work_dir}/link/\", "
			     "\"{work_dir}/none\", \"{work_dir}/real\" }\n"
			     "}\n";

static void
test_listed_names_are_told(void **state)
{
	const struct omega_sandbox_grant *grant;
	struct world world;

	(void)state;
	make(&world, listed, false);
	grant = find_grant(&world, "/real");
	assert_non_null(grant);
	assert_int_equal(count(grant->spelled, text("%s/link", world.dir)), 1);
	assert_null(grant->spelled[1]);
	grant = find_grant(&world, "/place");
	assert_non_null(grant);
	assert_null(grant->spelled);
	assert_null(find_grant(&world, "/none"));
	drop(&world);
}

/* What is absent is listed by its name where it is only shown, and there is
 * no note that it is left out. */
static void
test_absent_listed_names_are_shown(void **state)
{
	const struct omega_sandbox_grant *grant;
	struct world world;
	size_t i;

	(void)state;
	make(&world, listed, true);
	grant = find_grant(&world, "/none");
	assert_non_null(grant);
	assert_int_equal(grant->fd, -1);
	assert_true(find_grant(&world, "/real")->fd >= 0);
	for (i = 0; i < world.atoms.note_count; i++)
		assert_null(strstr(world.atoms.notes[i], "left out"));
	drop(&world);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_denied_names_are_told),
	    cmocka_unit_test(test_names_outside_of_lists_are_told),
	    cmocka_unit_test(test_listed_names_are_told),
	    cmocka_unit_test(test_absent_listed_names_are_shown),
	};

	return run_all(tests);
}
