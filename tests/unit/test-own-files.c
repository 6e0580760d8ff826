/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-own-files.c - what decides over the next command cannot be changed by
 * this one: core/policy/own-files.c. The files here are the caller's; where
 * root calls they are root's, and that makes no difference.
 */

#include "harness.h"

#include <sys/stat.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <omega/sandbox-plugin.h>

#include "load/sandbox.h"
#include "path/helper.h"
#include "plugins.h"
#include "policy/atoms.h"
#include "policy/policy.h"

#define CHANGES                                                 \
	(OMEGA_SANDBOX_ATOM_WRITE | OMEGA_SANDBOX_ATOM_CREATE | \
	    OMEGA_SANDBOX_ATOM_REMOVE | OMEGA_SANDBOX_ATOM_RENAME)

struct world {
	char dir[512];
	char plugins[512];
	struct omega_sandbox *sandbox;
	struct omega_sandbox_policy *policy;
	struct omega_atoms atoms;
	struct omega_sandbox_error error;
};

static void
begin(struct world *world)
{
	memset(world, 0, sizeof(*world));
	world->error.size = sizeof(world->error);
	snprintf(world->dir, sizeof(world->dir), "%s", scratch_dir());
	snprintf(world->plugins, sizeof(world->plugins), "%s", plugin_dir());
	assert_int_equal(chmod(world->dir, 0755), 0);
	make_dir(text("%s/omega", world->dir));
	make_dir(text("%s/etc", world->dir));
}

/* The policy "p" of the file, with one plugin loaded, taken apart. */
static void
make(struct world *world, bool is_explicit)
{
	struct omega_sandbox_sources sources = {.plugindir = world->plugins};
	struct omega_sandbox_error *error = &world->error;
	struct omega_backend *backend;
	struct omega_log log = {.fn = NULL};
	int ret;

	sources.conf.file = text("%s/etc/sandbox.conf", world->dir);
	sources.conf.dropin = text("%s/etc/sandbox.d", world->dir);
	sources.conf.is_explicit = is_explicit;
	ret = omega_sandbox_object_new(&sources, &log, &world->sandbox, error);
	if (ret == 0)
		ret = omega_sandbox_object_backend(
		    world->sandbox, "mock-good", &backend, error);
	if (ret == 0)
		ret = omega_sandbox_policy_new(world->sandbox,
		    is_explicit ? "p" : NULL, &world->policy, error);
	if (ret == 0)
		ret = omega_sandbox_policy_set(world->policy, "data_dir",
		    text("%s/omega", world->dir), error);
	if (ret == 0)
		ret = omega_atoms_make(world->policy, &world->atoms, error);
	if (ret != 0)
		fail_msg("%s", error->text);
}

static void
make_with(struct world *world, const char *conf)
{
	begin(world);
	make_file(text("%s/etc/sandbox.conf", world->dir), text("%s\n", conf));
	make(world, true);
}

static void
end(struct world *world)
{
	omega_atoms_drop(&world->atoms);
	omega_sandbox_policy_unref(world->policy);
	omega_sandbox_unref(world->sandbox);
}

/* How many atoms of the kind say at least that about the path? */
static unsigned
count(
    const struct world *world, uint32_t kind, uint32_t access, const char *path)
{
	unsigned found = 0;
	size_t i;

	for (i = 0; i < world->atoms.count; i++) {
		const struct omega_atom *atom = &world->atoms.list[i];

		if (atom->public.kind == kind && atom->path != NULL &&
		    (atom->public.access & access) == access &&
		    strcmp(atom->path, path) == 0)
			found++;
	}
	return found;
}

static unsigned
count_kept(const struct world *world, const char *path)
{
	return count(world, OMEGA_SANDBOX_ATOM_PATH, CHANGES, path);
}

static void
test_configuration_and_plugins_are_kept(void **state)
{
	struct world world;

	(void)state;
	make_with(&world, "policy p { }");
	assert_int_equal(
	    count_kept(&world, text("%s/etc/sandbox.conf", world.dir)), 1);
	/* The directory once, and not the file in it besides. */
	assert_int_equal(count_kept(&world, world.plugins), 1);
	assert_int_equal(
	    count_kept(&world, text("%s/mock-good.so", world.plugins)), 0);
	end(&world);
}

/* It denies other bits than these. */
static void
test_a_deny_of_reading_takes_nothing_away(void **state)
{
	struct world world;

	(void)state;
	begin(&world);
	make_file(text("%s/audit", world.dir), "");
	make_file(text("%s/etc/sandbox.conf", world.dir),
	    text("audit = \"%s/audit\"\npolicy p { deny_read = "
		 "{ \"%s/etc/sandbox.conf\", \"%s/audit\", \"%s\" } }\n",
		world.dir, world.dir, world.dir, world.plugins));
	make(&world, true);
	assert_int_equal(
	    count_kept(&world, text("%s/etc/sandbox.conf", world.dir)), 1);
	assert_int_equal(count_kept(&world, text("%s/audit", world.dir)), 1);
	assert_int_equal(count_kept(&world, world.plugins), 1);
	end(&world);
}

static void
test_what_is_kept_already_is_told_once(void **state)
{
	struct world world;

	(void)state;
	begin(&world);
	make_file(text("%s/etc/sandbox.conf", world.dir),
	    text("policy p { deny_write = { \"%s/etc\" } }\n", world.dir));
	make(&world, true);
	assert_int_equal(count_kept(&world, text("%s/etc", world.dir)), 1);
	assert_int_equal(
	    count_kept(&world, text("%s/etc/sandbox.conf", world.dir)), 0);
	end(&world);
}

/* A list does not open it, not even by its own name. */
static void
test_no_list_opens_it(void **state)
{
	const struct omega_atoms_grant *grant = NULL;
	struct world world;
	size_t i;

	(void)state;
	begin(&world);
	make_file(text("%s/etc/sandbox.conf", world.dir),
	    text("policy p { write = { \"%s/etc/sandbox.conf\" } }\n",
		world.dir));
	make(&world, true);
	assert_int_equal(
	    count_kept(&world, text("%s/etc/sandbox.conf", world.dir)), 1);
	for (i = 0; i < world.atoms.grant_count; i++)
		if (strcmp(world.atoms.grants[i].path,
			text("%s/etc/sandbox.conf", world.dir)) == 0)
			grant = &world.atoms.grants[i];
	assert_non_null(grant);
	assert_int_equal(grant->public.access & CHANGES, 0);
	end(&world);
}

/* An absent file would be read by the next command: its directory is kept. */
static void
test_the_directory_of_an_absent_file_is_kept(void **state)
{
	struct world world;

	(void)state;
	begin(&world);
	make(&world, false);
	assert_int_equal(count_kept(&world, text("%s/etc", world.dir)), 1);
	assert_int_equal(count(&world, OMEGA_SANDBOX_ATOM_ABSENT_PATHS, 0,
			     text("%s/etc/sandbox.conf", world.dir)),
	    0);
	end(&world);
}

/* ---- Helper programs ------------------------------------------------------
 */

struct seen {
	char paths[4][PATH_MAX];
	size_t count;
};

static int
see(void *arg, const char *path)
{
	struct seen *seen = arg;

	assert_true(seen->count < 4);
	snprintf(seen->paths[seen->count++], PATH_MAX, "%s", path);
	return 0;
}

static void
test_helpers_are_told_with_their_directory(void **state)
{
	char dir[PATH_MAX];
	struct seen seen = {.count = 0};

	(void)state;
	snprintf(dir, sizeof(dir), "%s", scratch_dir());
	assert_int_equal(chmod(dir, 0755), 0);
	make_file(text("%s/helper", dir), "");
	assert_int_equal(omega_helper_each_changeable(dir, see, &seen), 0);
	assert_int_equal(seen.count, 2);
	assert_string_equal(seen.paths[0], dir);
	assert_string_equal(seen.paths[1], text("%s/helper", dir));
	seen.count = 0;
	assert_int_equal(
	    omega_helper_each_changeable(text("%s/none", dir), see, &seen), 0);
	assert_int_equal(seen.count, 0);
}

/* Root's own, which an ordinary user's commands cannot change. */
static int
see_roots(void *arg)
{
	struct seen seen = {.count = 0};

	if (omega_helper_each_changeable(arg, see, &seen) != 0)
		return 1;
	return seen.count == 0 ? 0 : 2;
}

static void
test_helpers_of_roots_are_safe_from_users(void **state)
{
	static char dir[] = "/usr/bin";

	(void)state;
	assert_int_equal(in_user_child(see_roots, dir), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_configuration_and_plugins_are_kept),
	    cmocka_unit_test(test_a_deny_of_reading_takes_nothing_away),
	    cmocka_unit_test(test_what_is_kept_already_is_told_once),
	    cmocka_unit_test(test_no_list_opens_it),
	    cmocka_unit_test(test_the_directory_of_an_absent_file_is_kept),
	    cmocka_unit_test(test_helpers_are_told_with_their_directory),
	    cmocka_unit_test(test_helpers_of_roots_are_safe_from_users),
	};

	return run_all(tests);
}
