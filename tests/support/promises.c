/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * promises.c - see promises.h.
 */

#include "promises.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <omega/sandbox.h>

#include "child/witness.h"
#include "launch/launch.h"
#include "load/sandbox.h"
#include "plan/plan.h"
#include "plan/prepared.h"
#include "plugins.h"

static int
fake_probe(
    const struct omega_sandbox_host *host, struct omega_sandbox_probe *probe)
{
	(void)host;
	probe->is_usable = 1;
	return 0;
}

static int
fake_describe(const struct omega_sandbox_host *host,
    const struct omega_sandbox_request *request,
    const struct omega_sandbox_atom *const *atoms, size_t count,
    struct omega_sandbox_state *const *states)
{
	const struct fake *fake = host->core;
	size_t i;

	(void)request;
	for (i = 0; i < count; i++)
		if (atoms[i]->kind == OMEGA_SANDBOX_ATOM_PATH)
			states[i]->held = fake->path;
		else if (atoms[i]->kind == fake->kind)
			states[i]->held = atoms[i]->access;
	return 0;
}

static int
fake_apply(const struct omega_sandbox_host *host,
    const struct omega_sandbox_request *request,
    const struct omega_sandbox_atom *const *atoms, size_t count,
    struct omega_sandbox_launch *launch)
{
	const struct fake *fake = host->core;
	size_t i;

	(void)request;
	for (i = 0; i < count; i++)
		launch->hold(launch, atoms[i], atoms[i]->access);
	if (fake->is_prefix)
		launch->add_word(launch, "/usr/bin/env");
	launch->set_flags(launch, fake->flags);
	return 0;
}

static void
add_fake(struct omega_sandbox *sandbox, struct fake *fake)
{
	struct omega_backend *backend = calloc(1, sizeof(*backend));

	assert_non_null(backend);
	backend->plugin.abi_version = OMEGA_SANDBOX_PLUGIN_ABI;
	backend->plugin.struct_size = sizeof(backend->plugin);
	backend->plugin.name = "fake";
	backend->plugin.description = "promises and does nothing";
	backend->plugin.flags =
	    fake->is_prefix ? OMEGA_SANDBOX_PLUGIN_PREFIX : 0;
	backend->plugin.probe = fake_probe;
	backend->plugin.describe = fake_describe;
	backend->plugin.apply = fake_apply;
	backend->host.size = sizeof(backend->host);
	backend->host.core = fake;
	backend->is_roots = true;
	backend->file = strdup("/nowhere");
	sandbox->loaded[sandbox->loaded_count++] = backend;
}

void
promises_open(struct world *world, struct fake *fake, const char *lines)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox *sandbox = calloc(1, sizeof(*sandbox));

	assert_non_null(sandbox);
	atomic_init(&sandbox->refs, 1);
	pthread_mutex_init(&sandbox->lock, NULL);
	sandbox->conf = omega_conf_new();
	assert_non_null(sandbox->conf);
	/* Not to be refused for what the fake does not promise. */
	assert_int_equal(omega_conf_parse(sandbox->conf, "test", lines,
			     strlen(lines), &error),
	    0);
	sandbox->conf->top.values[OMEGA_OPTION_FAIL_CLOSED].number = false;
	sandbox->plugindir = "/nowhere";
	add_fake(sandbox, fake);
	snprintf(world->dir, sizeof(world->dir), "%s", scratch_dir());
	make_file(text("%s/data/memory.db", world->dir), "secret");
	make_file(text("%s/config.toml", world->dir), "key");
	make_dir(text("%s/workspace", world->dir));
	world->sandbox = sandbox;
	world->policy = NULL;
	assert_int_equal(
	    omega_sandbox_policy_new(sandbox, NULL, &world->policy, &error), 0);
	assert_int_equal(omega_sandbox_policy_set(
			     world->policy, "data_dir", world->dir, &error),
	    0);
	assert_int_equal(
	    omega_sandbox_policy_set(world->policy, "backend", "fake", &error),
	    0);
}

void
promises_close(struct world *world)
{
	omega_sandbox_policy_unref(world->policy);
	omega_sandbox_unref(world->sandbox);
}

struct omega_sandbox_command *
promises_command(struct world *world, struct omega_sandbox_error *error)
{
	struct omega_sandbox_prepared *prepared = NULL;
	struct omega_sandbox_command *command = NULL;
	char *program = text("%s/workspace/ran", world->dir);

	if (omega_sandbox_prepare(world->policy, &prepared, error) < 0)
		return NULL;
	assert_int_equal(
	    omega_sandbox_command_new(prepared, "touch", &command, error), 0);
	assert_int_equal(
	    omega_sandbox_command_add_arg(command, program, NULL), 0);
	assert_int_equal(omega_sandbox_command_set_stdio(
			     command, 2, OMEGA_SANDBOX_STDIO_NULL, -1, NULL),
	    0);
	omega_sandbox_prepared_unref(prepared);
	return command;
}

bool
promises_has_run(const struct world *world)
{
	return unlink(text("%s/workspace/ran", world->dir)) == 0;
}

int
promises_start(struct world *world, struct omega_sandbox_error *error)
{
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_command *command = promises_command(world, error);
	int ret = error->code;

	if (command != NULL)
		ret = omega_sandbox_run(command, &end, error);
	omega_sandbox_command_unref(command);
	return ret;
}

void
promises_expect_hole(
    struct fake fake, const char *path, const char *words, const char *atom)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct world world;

	promises_open(&world, &fake, "witness = off");
	/* Nobody looks, nobody sees. */
	assert_int_equal(promises_start(&world, &error), 0);
	assert_true(promises_has_run(&world));
	assert_int_equal(
	    omega_sandbox_policy_set(world.policy, "witness", "true", &error),
	    0);
	if (promises_start(&world, &error) != OMEGA_SANDBOX_E_WITNESS)
		fail_msg("%s: not noticed (%s)", words, error.text);
	assert_int_equal(error.code, OMEGA_SANDBOX_E_WITNESS);
	assert_false(promises_has_run(&world));
	assert_string_equal(error.backend, "fake");
	if (strstr(error.text, path) == NULL ||
	    strstr(error.text, words) == NULL ||
	    strstr(error.text, atom) == NULL ||
	    strstr(error.atom, atom) == NULL)
		fail_msg("'%s' of '%s'", error.text, error.atom);
	promises_close(&world);
}
