/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * fakes.c - see fakes.h.
 */

#include "fakes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <omega/sandbox.h>

#include "launch/launch.h"
#include "load/sandbox.h"
#include "plan/plan.h"
#include "plan/prepared.h"

static struct fake *
fake_of(const struct omega_sandbox_host *host)
{
	return host->core;
}

static int
fake_probe(
    const struct omega_sandbox_host *host, struct omega_sandbox_probe *probe)
{
	struct fake *fake = fake_of(host);

	fake->is_believed = probe->is_believing;
	if (fake->is_overrated && !probe->is_believing)
		fake->is_unusable = true;
	probe->is_usable = !fake->is_unusable;
	snprintf(probe->version, sizeof(probe->version), "fake 1");
	if (fake->is_unusable)
		snprintf(probe->reason, sizeof(probe->reason), "the moon");
	return fake->probe_error;
}

static void
join(char *to, size_t size, const char *const *list)
{
	to[0] = '\0';
	for (; list != NULL && *list != NULL; list++)
		snprintf(to + strlen(to), size - strlen(to), "%s%s",
		    to[0] == '\0' ? "" : " ", *list);
}

static int
fake_describe(const struct omega_sandbox_host *host,
    const struct omega_sandbox_request *request,
    const struct omega_sandbox_atom *const *atoms, size_t count,
    struct omega_sandbox_state *const *states)
{
	struct fake *fake = fake_of(host);
	size_t i;

	fake->request_flags =
	    request->flags & ~(uint32_t)OMEGA_SANDBOX_REQUEST_BELIEVING;
	fake->data_dir_mode = request->data_dir_mode;
	fake->hide_sockets = request->hide_sockets;
	join(fake->sockets, sizeof(fake->sockets), request->allow_sockets);
	join(fake->devices, sizeof(fake->devices), request->allow_devices);
	for (i = 0; i < count; i++) {
		if (atoms[i]->kind == OMEGA_SANDBOX_ATOM_PATH) {
			states[i]->held = fake->path;
			states[i]->partial = fake->path_partial;
		} else if (fake->all_hardening &&
			   atoms[i]->kind != fake->except_kind) {
			states[i]->held = EVERY_BIT;
		}
		snprintf(states[i]->why, sizeof(states[i]->why), "because %s",
		    fake->name);
	}
	return fake->describe_error;
}

static int
confine_nothing(const void *state)
{
	(void)state;
	return 0;
}

static int
fake_apply(const struct omega_sandbox_host *host,
    const struct omega_sandbox_request *request,
    const struct omega_sandbox_atom *const *atoms, size_t count,
    struct omega_sandbox_launch *launch)
{
	struct fake *fake = fake_of(host);
	size_t i;

	fake->applied++;
	if ((request->flags & OMEGA_SANDBOX_REQUEST_PREVIEW) != 0)
		launch->add_word(launch, "/bin/fake");
	fake->assigned = count;
	fake->assigned_bits = 0;
	for (i = 0; i < count; i++) {
		fake->assigned_bits |= atoms[i]->access;
		if (!fake->is_liar)
			launch->hold(launch, atoms[i], atoms[i]->access);
	}
	if (fake->applied <= fake->stale) {
		launch->explain(launch, "the ground has moved");
		return -ESTALE;
	}
	launch->set_flags(launch, fake->launch_flags);
	if (fake->has_only_self)
		launch->set_self(launch, confine_nothing, NULL, 0);
	if (fake->is_overrated)
		return -EPERM;
	if (fake->apply_error != 0)
		launch->explain(launch, "no more descriptors");
	return fake->apply_error;
}

char fakes_log[1024];

static void
keep_log(void *arg, int level, int code, const char *message)
{
	(void)arg;
	(void)level;
	(void)code;
	snprintf(fakes_log, sizeof(fakes_log), "%s", message);
}

static void
add_fake(struct omega_sandbox *sandbox, struct fake *fake)
{
	struct omega_backend *backend = calloc(1, sizeof(*backend));

	assert_non_null(backend);
	backend->plugin.abi_version = OMEGA_SANDBOX_PLUGIN_ABI;
	backend->plugin.struct_size = sizeof(backend->plugin);
	backend->plugin.name = fake->name;
	backend->plugin.description = "fake";
	backend->plugin.flags =
	    fake->flags | (fake->is_prefix ? OMEGA_SANDBOX_PLUGIN_PREFIX : 0);
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
fakes_open(
    struct world *world, struct fake *fakes, size_t count, const char *backend)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox *sandbox = calloc(1, sizeof(*sandbox));
	size_t i;

	assert_non_null(sandbox);
	atomic_init(&sandbox->refs, 1);
	pthread_mutex_init(&sandbox->lock, NULL);
	sandbox->conf = omega_conf_new();
	assert_non_null(sandbox->conf);
	sandbox->plugindir = "/nowhere";
	sandbox->log.fn = keep_log;
	for (i = 0; i < count; i++)
		add_fake(sandbox, &fakes[i]);
	snprintf(world->data_dir, sizeof(world->data_dir), "%s", scratch_dir());
	make_file(text("%s/data/memory.db", world->data_dir), "secret");
	make_file(text("%s/config.toml", world->data_dir), "key");
	world->sandbox = sandbox;
	world->policy = NULL;
	assert_int_equal(
	    omega_sandbox_policy_new(sandbox, NULL, &world->policy, &error), 0);
	assert_int_equal(omega_sandbox_policy_set(world->policy, "data_dir",
			     world->data_dir, &error),
	    0);
	assert_int_equal(
	    omega_sandbox_policy_set(world->policy, "backend", backend, &error),
	    0);
	fakes_log[0] = '\0';
}

void
fakes_close(struct world *world)
{
	omega_sandbox_policy_unref(world->policy);
	omega_sandbox_unref(world->sandbox);
}

int
fakes_verdict(struct world *world, struct omega_sandbox_error *error)
{
	struct omega_sandbox_report *report = NULL;
	int verdict;

	assert_int_equal(
	    omega_sandbox_describe(world->policy, &report, error), 0);
	verdict = omega_sandbox_report_get_verdict(report, error);
	omega_sandbox_report_unref(report);
	return verdict;
}

struct omega_sandbox_guarantee
fakes_guarantee(struct omega_sandbox_report *report, const char *ending)
{
	struct omega_sandbox_guarantee line = OMEGA_SANDBOX_GUARANTEE_INIT;
	size_t i;

	for (i = 0; omega_sandbox_report_get(report, i, &line) == 0; i++) {
		size_t len = strlen(line.text);

		if (len >= strlen(ending) &&
		    strcmp(line.text + len - strlen(ending), ending) == 0)
			return line;
	}
	fail_msg("no guarantee ends in '%s'", ending);
	return line;
}
