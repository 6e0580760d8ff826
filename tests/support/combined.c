/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * combined.c - see combined.h.
 */

#include "harness.h"

#include "combined.h"

#include <sys/stat.h>
#include <stdio.h>
#include <string.h>

int
combined_open(struct combined_world *world, const char *conf)
{
	struct omega_sandbox_sources sources = {.plugindir = "/nonexistent"};
	struct omega_log log = {.fn = NULL};

	memset(world, 0, sizeof(*world));
	world->error.size = sizeof(world->error);
	snprintf(world->dir, sizeof(world->dir), "%s", scratch_dir());
	assert_int_equal(chmod(world->dir, 0755), 0);
	make_file(
	    text("%s/sandbox.conf", world->dir), text_in(world->dir, conf));
	make_dir(text("%s/a/b/c", world->dir));
	make_dir(text("%s/job", world->dir));
	make_dir(text("%s/omega", world->dir));
	sources.conf.file = text("%s/sandbox.conf", world->dir);
	sources.conf.is_explicit = true;
	return omega_sandbox_object_new(
	    &sources, &log, &world->sandbox, &world->error);
}

int
combined_policy(struct combined_world *world, const char *name)
{
	int ret;

	ret = omega_sandbox_policy_new(
	    world->sandbox, name, &world->policy, &world->error);
	if (ret == 0)
		ret = omega_sandbox_policy_set(world->policy, "data_dir",
		    text("%s/omega", world->dir), &world->error);
	if (ret == 0)
		ret = omega_sandbox_policy_set(world->policy, "work_dir",
		    text("%s/job", world->dir), &world->error);
	return ret;
}

void
combined_finish(struct combined_world *world)
{
	int ret;

	ret = omega_combine(world->policy, &world->combined, &world->error);
	if (ret != 0)
		fail_msg("%s", world->error.text);
}

void
combined_close(struct combined_world *world)
{
	omega_combine_drop(&world->combined);
	omega_sandbox_policy_unref(world->policy);
	omega_sandbox_unref(world->sandbox);
}

void
combined_make(struct combined_world *world, const char *conf)
{
	if (combined_open(world, conf) != 0 || combined_policy(world, "p") != 0)
		fail_msg("%s", world->error.text);
	combined_finish(world);
}

bool
combined_has(const struct combined_world *world,
    const struct omega_combined_places *places, const char *name)
{
	const char *path = text("%s%s", world->dir, name);
	size_t i;

	for (i = 0; i < places->count; i++)
		if (strcmp(places->list[i].text, path) == 0)
			return true;
	return false;
}
