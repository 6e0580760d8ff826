/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * recorded.c - see recorded.h.
 */

#include "recorded.h"

#include <sys/stat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "load/sandbox.h"
#include "plugins.h"

int
recorded_open(struct world *world, const char *conf)
{
	struct omega_sandbox_sources sources = {.plugindir = plugin_dir()};
	struct omega_log log = {.fn = NULL};

	memset(world, 0, sizeof(*world));
	world->error.size = sizeof(world->error);
	snprintf(world->dir, sizeof(world->dir), "%s", scratch_dir());
	if (chmod(world->dir, 0755) != 0)
		return -1;
	make_file(text("%s/sandbox.conf", world->dir),
	    text("backend = noop\n%s", text_in(world->dir, conf)));
	make_dir(text("%s/omega/data", world->dir));
	sources.conf.file = text("%s/sandbox.conf", world->dir);
	sources.conf.is_explicit = true;
	return omega_sandbox_object_new(
	    &sources, &log, &world->sandbox, &world->error);
}

int
recorded_ready(struct world *world)
{
	int ret;

	ret = omega_sandbox_policy_new(
	    world->sandbox, NULL, &world->policy, &world->error);
	if (ret == 0)
		ret = omega_sandbox_policy_set(world->policy, "data_dir",
		    text("%s/omega", world->dir), &world->error);
	if (ret == 0)
		ret = omega_sandbox_prepare(
		    world->policy, &world->prepared, &world->error);
	return ret;
}

void
recorded_make(struct world *world, const char *conf)
{
	if (recorded_open(world, conf) != 0 || recorded_ready(world) != 0)
		fail_msg("%s", world->error.text);
}

void
recorded_close(struct world *world)
{
	omega_sandbox_prepared_unref(world->prepared);
	omega_sandbox_policy_unref(world->policy);
	omega_sandbox_unref(world->sandbox);
}

struct omega_sandbox_command *
recorded_command(struct world *world, const char *const *words)
{
	struct omega_sandbox_command *command = NULL;

	if (omega_sandbox_command_new(
		world->prepared, words[0], &command, &world->error) != 0)
		fail_msg("%s", world->error.text);
	for (words++; *words != NULL; words++)
		assert_int_equal(
		    omega_sandbox_command_add_arg(command, *words, NULL), 0);
	return command;
}

int
recorded_run(struct world *world, const char *const *words)
{
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_command *command = recorded_command(world, words);
	int ret = omega_sandbox_run(command, &end, &world->error);

	omega_sandbox_command_unref(command);
	return ret < 0 ? ret : end.status;
}

json_t *
recorded_line(const struct world *world, int index)
{
	FILE *file = fopen(text("%s/audit.log", world->dir), "r");
	char *line = NULL;
	size_t size = 0;
	json_t *json = NULL;
	json_error_t error;

	if (file == NULL)
		return NULL;
	for (; getline(&line, &size, file) > 0; index--)
		if (index == 0) {
			json = json_loads(line, 0, &error);
			if (json == NULL)
				fail_msg("%s: %s", error.text, line);
			break;
		}
	free(line);
	fclose(file);
	return json;
}

const char *
recorded_text(const json_t *json, const char *name)
{
	const char *value = json_string_value(json_object_get(json, name));

	return value == NULL ? "" : value;
}
