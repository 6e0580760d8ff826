/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-plan.c - who is assigned what, and may a command start? Every backend
 * here is a fake that holds exactly the bits its test gives it.
 */

#include "harness.h"

#include <sys/stat.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <omega/sandbox.h>

#include "plan/plan.h"
#include "plan/prepared.h"
#include "plan/report.h"
#include "run/launch.h"
#include "sandbox.h"

/* What a fake backend holds, by kind. */
struct fake {
	const char *name;
	uint32_t path; /* bits of PATH atoms */
	uint32_t path_partial;
	bool all_hardening;
	uint32_t except_kind; /* but not this one */
	bool is_unusable;
	int probe_error;
	int describe_error;
	int apply_error;
	unsigned stale; /* so many applies find that the world has changed */
	bool is_liar; /* confirms nothing */
	bool is_prefix;
	uint64_t flags;
	uint32_t launch_flags;
	/* What was seen. */
	uint32_t request_flags;
	unsigned applied;
	size_t assigned;
	uint32_t assigned_bits;
	uint32_t data_dir_mode; /* of the last request */
	uint32_t hide_sockets;
	char sockets[256]; /* joined by spaces */
	char devices[256];
};

#define EVERY_BIT 0xffu
#define READ_BITS (OMEGA_SANDBOX_ATOM_READ | OMEGA_SANDBOX_ATOM_LIST)

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

	fake->request_flags = request->flags;
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
	if (fake->apply_error != 0)
		launch->explain(launch, "no more descriptors");
	return fake->apply_error;
}

/* A sandbox whose backends are loaded already, and a data directory. */
struct world {
	struct omega_sandbox *sandbox;
	struct omega_sandbox_policy *policy;
	char data_dir[256];
};

static char last_log[1024];

static void
keep_log(void *arg, int level, int code, const char *message)
{
	(void)arg;
	(void)level;
	(void)code;
	snprintf(last_log, sizeof(last_log), "%s", message);
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

static void
open_world(
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
	assert_int_equal(omega_sandbox_policy_set_data_dir(
			     world->policy, world->data_dir, &error),
	    0);
	assert_int_equal(
	    omega_sandbox_policy_set_backend(world->policy, backend, &error),
	    0);
	last_log[0] = '\0';
}

static void
close_world(struct world *world)
{
	omega_sandbox_policy_unref(world->policy);
	omega_sandbox_unref(world->sandbox);
}

static int
verdict_of(struct world *world, struct omega_sandbox_error *error)
{
	struct omega_sandbox_report *report = NULL;
	int verdict;

	assert_int_equal(
	    omega_sandbox_describe(world->policy, &report, error), 0);
	verdict = omega_sandbox_report_get_verdict(report, error);
	omega_sandbox_report_unref(report);
	return verdict;
}

/* The state of the first guarantee whose text ends like this. */
static struct omega_sandbox_guarantee
guarantee_of(struct omega_sandbox_report *report, const char *ending)
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

static void
test_everything_held_by_one_starts(void **state)
{
	struct fake fakes[] = {
	    {.name = "one", .path = EVERY_BIT, .all_hardening = true}};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_report *report = NULL;
	struct omega_sandbox_guarantee line;
	struct world world;

	(void)state;
	open_world(&world, fakes, 1, "one");
	assert_int_equal(
	    omega_sandbox_describe(world.policy, &report, &error), 0);
	assert_int_equal(omega_sandbox_report_get_verdict(report, &error), 0);
	assert_true(omega_sandbox_report_is_protected(report));
	line = guarantee_of(report, "/data cannot be read");
	assert_int_equal(line.state, OMEGA_SANDBOX_ENFORCED);
	assert_true(line.is_required);
	assert_string_equal(line.backends, "one");
	assert_string_equal(line.why, "");
	assert_string_equal(line.kind, "path");
	assert_int_equal(fakes[0].applied, 0);
	omega_sandbox_report_unref(report);
	close_world(&world);
}

static void
test_required_not_held_is_refused_with_the_guarantee(void **state)
{
	struct fake fakes[] = {{.name = "one", .all_hardening = true}};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_prepared *prepared = NULL;
	struct world world;

	(void)state;
	open_world(&world, fakes, 1, "one");
	assert_int_equal(verdict_of(&world, &error), OMEGA_SANDBOX_E_REQUIRED);
	assert_int_equal(omega_sandbox_prepare(world.policy, &prepared, &error),
	    OMEGA_SANDBOX_E_REQUIRED);
	assert_null(prepared);
	assert_int_equal(error.code, OMEGA_SANDBOX_E_REQUIRED);
	assert_non_null(strstr(error.text, "/data cannot be read"));
	assert_non_null(strstr(error.text, "because one"));
	assert_non_null(strstr(error.text, "fail_closed"));
	assert_non_null(strstr(error.atom, "/data cannot be read"));
	assert_int_equal(fakes[0].applied, 0);
	close_world(&world);
}

/* Landlock alone: the four ways out, the price of one of them, and why. */
static void
test_refusal_without_namespaces_names_the_remedies(void **state)
{
	struct fake fakes[] = {
	    {.name = "landlock", .all_hardening = true},
	    {.name = "other", .all_hardening = true},
	};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct world world;

	(void)state;
	open_world(&world, fakes, 2, "landlock");
	assert_int_equal(verdict_of(&world, &error), OMEGA_SANDBOX_E_REQUIRED);
	assert_non_null(strstr(error.text, "namespace"));
	assert_non_null(strstr(error.text, "bwrap"));
	assert_non_null(
	    strstr(error.text, "plugin \"landlock\" { complement = true }"));
	assert_non_null(strstr(error.text, "nothing can be created"));
	assert_non_null(strstr(error.text, "fail_closed = false"));
	assert_non_null(strstr(error.text, "because landlock"));
	/* Where Landlock is not, its option is no help. */
	assert_int_equal(
	    omega_sandbox_policy_set_backend(world.policy, "other", &error), 0);
	assert_int_equal(verdict_of(&world, &error), OMEGA_SANDBOX_E_REQUIRED);
	assert_null(strstr(error.text, "complement"));
	close_world(&world);
}

static void
test_required_partial_is_refused(void **state)
{
	struct fake fakes[] = {{.name = "one",
	    .path = EVERY_BIT & ~(uint32_t)OMEGA_SANDBOX_ATOM_LIST,
	    .path_partial = OMEGA_SANDBOX_ATOM_LIST,
	    .all_hardening = true}};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_report *report = NULL;
	struct omega_sandbox_guarantee line;
	struct world world;

	(void)state;
	open_world(&world, fakes, 1, "one");
	assert_int_equal(
	    omega_sandbox_describe(world.policy, &report, &error), 0);
	assert_int_equal(omega_sandbox_report_get_verdict(report, &error),
	    OMEGA_SANDBOX_E_REQUIRED);
	assert_false(omega_sandbox_report_is_protected(report));
	line = guarantee_of(report, "/data cannot be read");
	assert_int_equal(line.state, OMEGA_SANDBOX_PARTIAL);
	assert_non_null(strstr(line.why, "because one"));
	line = guarantee_of(report, "/data cannot be changed");
	assert_int_equal(line.state, OMEGA_SANDBOX_ENFORCED);
	omega_sandbox_report_unref(report);
	close_world(&world);
}

static void
test_two_backends_hold_an_atom_together(void **state)
{
	struct fake fakes[] = {
	    {.name = "reads", .path = OMEGA_SANDBOX_ATOM_READ},
	    {.name = "rest",
		.path = EVERY_BIT & ~(uint32_t)OMEGA_SANDBOX_ATOM_READ,
		.all_hardening = true},
	};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_prepared *prepared = NULL;
	struct omega_sandbox_report *report;
	struct omega_sandbox_guarantee line;
	struct world world;

	(void)state;
	open_world(&world, fakes, 2, "reads,rest");
	assert_int_equal(
	    omega_sandbox_prepare(world.policy, &prepared, &error), 0);
	report = omega_sandbox_prepared_report(prepared);
	line = guarantee_of(report, "/data cannot be read");
	assert_int_equal(line.state, OMEGA_SANDBOX_ENFORCED);
	assert_string_equal(line.backends, "reads, rest");
	line = guarantee_of(report, "/data cannot be changed");
	assert_string_equal(line.backends, "rest");
	assert_int_equal(fakes[0].applied, 1);
	assert_int_equal(fakes[0].assigned_bits, OMEGA_SANDBOX_ATOM_READ);
	assert_int_equal(fakes[1].assigned_bits & OMEGA_SANDBOX_ATOM_READ, 0);
	omega_sandbox_report_unref(report);
	omega_sandbox_prepared_unref(prepared);
	close_world(&world);
}

static void
test_first_full_holder_gets_it_alone(void **state)
{
	struct fake fakes[] = {
	    {.name = "part", .path = OMEGA_SANDBOX_ATOM_READ},
	    {.name = "full", .path = EVERY_BIT, .all_hardening = true},
	    {.name = "also", .path = EVERY_BIT, .all_hardening = true},
	};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_prepared *prepared = NULL;
	struct world world;

	(void)state;
	open_world(&world, fakes, 3, "part,full,also");
	assert_int_equal(
	    omega_sandbox_prepare(world.policy, &prepared, &error), 0);
	assert_int_equal(fakes[0].applied, 0);
	assert_int_equal(fakes[1].applied, 1);
	assert_int_equal(fakes[2].applied, 0);
	omega_sandbox_prepared_unref(prepared);
	close_world(&world);
}

static void
test_hardening_not_accepted_is_refused(void **state)
{
	struct fake fakes[] = {{.name = "one",
	    .path = EVERY_BIT,
	    .all_hardening = true,
	    .except_kind = OMEGA_SANDBOX_ATOM_TERMINAL}};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct world world;

	(void)state;
	open_world(&world, fakes, 1, "one");
	assert_int_equal(verdict_of(&world, &error), OMEGA_SANDBOX_E_REQUIRED);
	assert_non_null(strstr(error.text, "add \"terminal\" to accept"));
	world.sandbox->conf->accept |=
	    omega_kinds_bit(OMEGA_SANDBOX_ATOM_TERMINAL);
	assert_int_equal(verdict_of(&world, &error), 0);
	close_world(&world);
}

static void
test_each_hardening_kind_follows_accept(void **state)
{
	const struct omega_kind *kind;

	(void)state;
	for (kind = omega_kinds; kind->name != NULL; kind++) {
		struct fake fakes[] = {{.name = "one",
		    .path = EVERY_BIT,
		    .all_hardening = true,
		    .except_kind = kind->number}};
		struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
		struct world world;
		int expected = OMEGA_SANDBOX_E_REQUIRED;

		/* Not part of the default policy as it is here. */
		if (!kind->is_hardening ||
		    kind->number == OMEGA_SANDBOX_ATOM_EXECUTE ||
		    kind->number == OMEGA_SANDBOX_ATOM_LISTEN ||
		    kind->number == OMEGA_SANDBOX_ATOM_LIMIT ||
		    kind->number == OMEGA_SANDBOX_ATOM_ABSENT_PATHS)
			continue;
		open_world(&world, fakes, 1, "one");
		world.sandbox->conf->accept = 0;
		assert_int_equal(verdict_of(&world, &error), expected);
		world.sandbox->conf->accept = omega_kinds_accepted_by_default();
		assert_int_equal(verdict_of(&world, &error),
		    kind->is_accepted ? 0 : expected);
		close_world(&world);
	}
}

static void
test_fail_open_warns_once_and_starts(void **state)
{
	struct fake fakes[] = {{.name = "one"}};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_prepared *prepared = NULL;
	struct world world;

	(void)state;
	open_world(&world, fakes, 1, "one");
	world.sandbox->conf->is_fail_closed = false;
	assert_int_equal(
	    omega_sandbox_prepare(world.policy, &prepared, &error), 0);
	assert_non_null(strstr(last_log, "UNPROTECTED"));
	assert_non_null(strstr(last_log, "fail_closed = false"));
	assert_false(omega_prepared_is_protected(prepared));
	omega_sandbox_prepared_unref(prepared);
	close_world(&world);
}

static void
test_noop_waives_only_when_the_administrator_left_it_open(void **state)
{
	struct fake fakes[] = {{.name = "noop"}};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_prepared *prepared = NULL;
	struct world world;

	(void)state;
	open_world(&world, fakes, 1, "none");
	assert_int_equal(
	    omega_sandbox_prepare(world.policy, &prepared, &error), 0);
	assert_non_null(strstr(last_log, "noop was named"));
	omega_sandbox_prepared_unref(prepared);
	/* As if sandbox.conf said backend = "landlock". */
	world.policy->is_admin_named = true;
	assert_int_equal(
	    omega_sandbox_policy_set_backend(world.policy, "noop", &error), 0);
	assert_int_equal(verdict_of(&world, &error), OMEGA_SANDBOX_E_REQUIRED);
	close_world(&world);
}

static void
test_named_backend_that_cannot_be_used_is_refused(void **state)
{
	struct fake fakes[] = {
	    {.name = "good", .path = EVERY_BIT, .all_hardening = true},
	    {.name = "bad", .is_unusable = true},
	};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct world world;

	(void)state;
	open_world(&world, fakes, 2, "good,bad");
	assert_int_equal(
	    verdict_of(&world, &error), OMEGA_SANDBOX_E_UNAVAILABLE);
	assert_string_equal(error.backend, "bad");
	assert_non_null(strstr(error.text, "the moon"));
	world.sandbox->conf->is_fail_closed = false;
	assert_int_equal(verdict_of(&world, &error), 0);
	close_world(&world);
}

static void
test_auto_without_any_backend_is_refused(void **state)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_report *report = NULL;
	struct world world;

	(void)state;
	open_world(&world, NULL, 0, "auto");
	assert_int_equal(
	    omega_sandbox_describe(world.policy, &report, &error), 0);
	assert_int_equal(omega_sandbox_report_get_verdict(report, &error),
	    OMEGA_SANDBOX_E_REQUIRED);
	assert_non_null(strstr(error.text, "omega-sandbox-landlock"));
	omega_sandbox_report_unref(report);
	close_world(&world);
}

static void
test_disabled_and_root_are_refused(void **state)
{
	struct fake fakes[] = {
	    {.name = "one", .path = EVERY_BIT, .all_hardening = true}};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct world world;

	(void)state;
	open_world(&world, fakes, 1, "one");
	world.sandbox->conf->is_root_allowed = false;
	assert_int_equal(verdict_of(&world, &error),
	    getuid() == 0 ? OMEGA_SANDBOX_E_REFUSED : 0);
	world.sandbox->conf->is_root_allowed = true;
	world.sandbox->conf->is_enabled = false;
	assert_int_equal(verdict_of(&world, &error), OMEGA_SANDBOX_E_REFUSED);
	assert_non_null(strstr(error.text, "enabled = false"));
	/* Not even fail-open runs a disabled sandbox. */
	world.sandbox->conf->is_fail_closed = false;
	assert_int_equal(verdict_of(&world, &error), OMEGA_SANDBOX_E_REFUSED);
	close_world(&world);
}

static void
test_broken_backends_are_told_apart(void **state)
{
	struct fake fakes[] = {
	    {.name = "probe-fails", .probe_error = -EIO},
	    {.name = "describe-fails", .describe_error = -EIO},
	    {.name = "apply-fails",
		.path = EVERY_BIT,
		.all_hardening = true,
		.apply_error = -EMFILE},
	    {.name = "liar",
		.path = EVERY_BIT,
		.all_hardening = true,
		.is_liar = true},
	};
	static const struct {
		const char *name;
		int code;
		const char *part;
	} rows[] = {
	    {"probe-fails", OMEGA_SANDBOX_E_PLUGIN, "look at this host"},
	    {"describe-fails", OMEGA_SANDBOX_E_PLUGIN, "would hold"},
	    {"apply-fails", OMEGA_SANDBOX_E_SYSTEM, "no more descriptors"},
	    {"liar", OMEGA_SANDBOX_E_PLUGIN, "promised more"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
		struct omega_sandbox_prepared *prepared = NULL;
		struct world world;

		open_world(&world, fakes, 4, rows[i].name);
		assert_int_equal(
		    omega_sandbox_prepare(world.policy, &prepared, &error),
		    rows[i].code);
		assert_null(prepared);
		assert_string_equal(error.backend, rows[i].name);
		assert_non_null(strstr(error.text, rows[i].part));
		close_world(&world);
	}
}

/* A file was saved between planning and mounting: look again, and go on. */
static void
test_a_place_that_changed_is_prepared_again(void **state)
{
	struct fake fakes[] = {
	    {.name = "one", .path = EVERY_BIT},
	    {.name = "two", .all_hardening = true, .stale = 3},
	};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_prepared *prepared = NULL;
	struct world world;

	(void)state;
	open_world(&world, fakes, 2, "one,two");
	assert_int_equal(
	    omega_sandbox_prepare(world.policy, &prepared, &error), 0);
	assert_int_equal(fakes[1].applied, 4);
	/* Planned anew from the start: the one before it as well. */
	assert_int_equal(fakes[0].applied, 4);
	omega_sandbox_prepared_unref(prepared);
	close_world(&world);
}

static void
test_a_place_that_keeps_changing_is_an_error(void **state)
{
	struct fake fakes[] = {{.name = "one",
	    .path = EVERY_BIT,
	    .all_hardening = true,
	    .stale = 1000}};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_prepared *prepared = NULL;
	struct world world;

	(void)state;
	open_world(&world, fakes, 1, "one");
	assert_int_equal(omega_sandbox_prepare(world.policy, &prepared, &error),
	    OMEGA_SANDBOX_E_SYSTEM);
	assert_null(prepared);
	assert_int_equal(error.sys_errno, ESTALE);
	assert_string_equal(error.backend, "one");
	assert_non_null(strstr(error.text, "changed 11 times"));
	assert_non_null(strstr(error.text, "the ground has moved"));
	assert_int_equal(fakes[0].applied, 11);
	close_world(&world);
}

/* Any other failure is told at once. */
static void
test_another_failure_is_not_tried_again(void **state)
{
	struct fake fakes[] = {{.name = "one",
	    .path = EVERY_BIT,
	    .all_hardening = true,
	    .apply_error = -EMFILE}};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_prepared *prepared = NULL;
	struct world world;

	(void)state;
	open_world(&world, fakes, 1, "one");
	assert_int_equal(omega_sandbox_prepare(world.policy, &prepared, &error),
	    OMEGA_SANDBOX_E_SYSTEM);
	assert_int_equal(error.sys_errno, EMFILE);
	assert_int_equal(fakes[0].applied, 1);
	close_world(&world);
}

/* A backend that holds only beside another is told of it, and needs it. */
static void
test_separation_is_told_and_required(void **state)
{
	struct fake fakes[] = {
	    {.name = "alpha",
		.path = EVERY_BIT,
		.all_hardening = true,
		.except_kind = OMEGA_SANDBOX_ATOM_OUTSIDE_PTRACE,
		.launch_flags = OMEGA_SANDBOX_LAUNCH_NEEDS_SEPARATION},
	    {.name = "beta",
		.all_hardening = true,
		.flags = OMEGA_SANDBOX_PLUGIN_SEPARATES,
		.launch_flags = OMEGA_SANDBOX_LAUNCH_SEPARATES},
	};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_prepared *prepared = NULL;
	struct world world;

	(void)state;
	open_world(&world, fakes, 2, "alpha,beta");
	assert_int_equal(
	    omega_sandbox_prepare(world.policy, &prepared, &error), 0);
	omega_sandbox_prepared_unref(prepared);
	assert_int_equal(
	    fakes[0].request_flags, OMEGA_SANDBOX_REQUEST_SEPARATED);
	assert_int_equal(fakes[1].request_flags, 0);
	/* It is in the stack, but does not do what its flag says. */
	fakes[1].launch_flags = 0;
	assert_int_equal(omega_sandbox_prepare(world.policy, &prepared, &error),
	    OMEGA_SANDBOX_E_REQUIRED);
	assert_non_null(strstr(error.text, "add landlock"));
	assert_null(prepared);
	close_world(&world);
	/* It cannot be used. */
	fakes[1].is_unusable = true;
	fakes[0].except_kind = 0;
	open_world(&world, fakes, 2, "alpha,beta");
	assert_int_equal(
	    verdict_of(&world, &error), OMEGA_SANDBOX_E_UNAVAILABLE);
	assert_int_equal(fakes[0].request_flags, 0);
	close_world(&world);
}

/* Commands that meet in one place are kept apart where that can be done, also
 * by a backend that holds nothing of its own. */
static void
test_commands_that_meet_are_separated(void **state)
{
	struct fake fakes[] = {
	    {.name = "alpha",
		.path = EVERY_BIT,
		.all_hardening = true,
		.flags = OMEGA_SANDBOX_PLUGIN_CHANGES_MOUNTS},
	    {.name = "beta",
		.flags = OMEGA_SANDBOX_PLUGIN_SEPARATES,
		.launch_flags = OMEGA_SANDBOX_LAUNCH_SEPARATES},
	    {.name = "gamma"},
	};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_prepared *prepared = NULL;
	struct world world;

	(void)state;
	open_world(&world, fakes, 3, "alpha,beta,gamma");
	assert_int_equal(
	    omega_sandbox_prepare(world.policy, &prepared, &error), 0);
	omega_sandbox_prepared_unref(prepared);
	assert_int_equal(fakes[1].applied, 1);
	assert_int_equal(fakes[1].assigned, 0);
	assert_int_equal(fakes[2].applied, 0);
	close_world(&world);
}

static void
test_two_prefix_backends_are_refused(void **state)
{
	struct fake fakes[] = {
	    {.name = "a", .path = EVERY_BIT, .is_prefix = true},
	    {.name = "b", .path = EVERY_BIT, .is_prefix = true},
	};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_report *report = NULL;
	struct world world;

	(void)state;
	open_world(&world, fakes, 2, "a,b");
	assert_int_equal(omega_sandbox_describe(world.policy, &report, &error),
	    OMEGA_SANDBOX_E_INVALID_POLICY);
	assert_null(report);
	close_world(&world);
}

static void
test_blocked_paths_become_guarantees_with_their_origin(void **state)
{
	struct fake fakes[] = {
	    {.name = "one", .path = EVERY_BIT, .all_hardening = true}};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_report *report = NULL;
	struct omega_sandbox_guarantee line;
	struct world world;
	const char *dir;

	(void)state;
	open_world(&world, fakes, 1, "one");
	dir = scratch_dir();
	make_file(text("%s/key", dir), "k");
	assert_int_equal(omega_sandbox_policy_block(
			     world.policy, text("%s/key", dir), &error),
	    0);
	assert_int_equal(omega_sandbox_policy_block(
			     world.policy, text("%s/absent", dir), &error),
	    0);
	assert_int_equal(omega_sandbox_policy_block(world.policy, "x", &error),
	    OMEGA_SANDBOX_E_INVALID_POLICY);
	assert_int_equal(
	    omega_sandbox_describe(world.policy, &report, &error), 0);
	line = guarantee_of(report, "/key cannot be read");
	assert_string_equal(line.origin, "host application");
	line = guarantee_of(report, "/absent cannot be created");
	assert_string_equal(line.kind, "absent_paths");
	assert_false(line.is_required);
	line = guarantee_of(report, "/config.toml stays out of reach when the "
				    "host replaces it meanwhile");
	assert_string_equal(line.kind, "replaced_files");
	assert_int_equal(
	    guarantee_of(report, "/etc cannot be changed").is_required, 1);
	omega_sandbox_report_unref(report);
	close_world(&world);
}

/* Open choices are the host's; a backend is told what came of it. */
static void
test_openings_reach_the_backends(void **state)
{
	struct fake fakes[] = {
	    {.name = "one", .path = EVERY_BIT, .all_hardening = true}};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_policy *policy;
	struct world world;

	(void)state;
	open_world(&world, fakes, 1, "one");
	policy = world.policy;
	assert_int_equal(verdict_of(&world, &error), 0);
	assert_int_equal(fakes[0].data_dir_mode, OMEGA_SANDBOX_DATA_DIR_AUTO);
	assert_int_equal(fakes[0].hide_sockets, OMEGA_SANDBOX_HIDE_OWN);
	assert_string_equal(fakes[0].sockets, "");
	assert_int_equal(
	    omega_sandbox_policy_set_data_dir_mode(policy, "mask", &error), 0);
	assert_int_equal(
	    omega_sandbox_policy_set_hide_sockets(policy, "none", &error), 0);
	assert_int_equal(
	    omega_sandbox_policy_allow_socket(policy, "/run/a", &error), 0);
	assert_int_equal(
	    omega_sandbox_policy_allow_socket(policy, "/run/b", &error), 0);
	assert_int_equal(
	    omega_sandbox_policy_allow_device(policy, "/dev/kvm", &error), 0);
	assert_int_equal(verdict_of(&world, &error), 0);
	assert_int_equal(fakes[0].data_dir_mode, OMEGA_SANDBOX_DATA_DIR_MASK);
	assert_int_equal(fakes[0].hide_sockets, OMEGA_SANDBOX_HIDE_NONE);
	assert_string_equal(fakes[0].sockets, "/run/a /run/b");
	assert_string_equal(fakes[0].devices, "/dev/kvm");
	assert_int_equal(
	    omega_sandbox_policy_set_data_dir_mode(policy, "veil", &error),
	    OMEGA_SANDBOX_E_INVALID_POLICY);
	assert_int_equal(
	    omega_sandbox_policy_allow_socket(policy, "run/a", &error),
	    OMEGA_SANDBOX_E_INVALID_POLICY);
	assert_int_equal(
	    omega_sandbox_policy_allow_device(NULL, "/dev/kvm", &error),
	    OMEGA_SANDBOX_E_ARGUMENT);
	assert_int_equal(
	    omega_sandbox_policy_set_hide_sockets(policy, NULL, &error),
	    OMEGA_SANDBOX_E_ARGUMENT);
	close_world(&world);
}

/* Where the administrator has spoken, a host can only ask for less. */
static void
test_openings_of_the_administrator_are_the_limit(void **state)
{
	static const char conf[] = "data_dir_mode = auto\n"
				   "hide_sockets = launchers\n"
				   "allow_sockets = { '/run/a' }\n"
				   "allow_devices = {}\n";
	struct fake fakes[] = {
	    {.name = "one", .path = EVERY_BIT, .all_hardening = true}};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_policy *policy = NULL;
	struct world world;

	(void)state;
	open_world(&world, fakes, 1, "one");
	assert_int_equal(omega_conf_parse(world.sandbox->conf, "/etc/x.conf",
			     conf, strlen(conf), &error),
	    0);
	assert_int_equal(
	    omega_sandbox_policy_new(world.sandbox, NULL, &policy, &error), 0);
	assert_int_equal(
	    omega_sandbox_policy_set_data_dir_mode(policy, "mask", &error),
	    OMEGA_SANDBOX_E_REFUSED);
	assert_string_equal(error.file, "/etc/x.conf");
	assert_int_equal(error.line, 1);
	assert_int_equal(
	    omega_sandbox_policy_set_data_dir_mode(policy, "shield", &error),
	    0);
	assert_int_equal(
	    omega_sandbox_policy_set_hide_sockets(policy, "none", &error),
	    OMEGA_SANDBOX_E_REFUSED);
	assert_int_equal(
	    omega_sandbox_policy_set_hide_sockets(policy, "own", &error), 0);
	/* And back to what the administrator has, which is allowed. */
	assert_int_equal(
	    omega_sandbox_policy_set_hide_sockets(policy, "launchers", &error),
	    0);
	assert_int_equal(
	    omega_sandbox_policy_allow_socket(policy, "/run/a", &error), 0);
	assert_int_equal(
	    omega_sandbox_policy_allow_socket(policy, "/run/b", &error),
	    OMEGA_SANDBOX_E_REFUSED);
	assert_int_equal(error.line, 3);
	assert_int_equal(
	    omega_sandbox_policy_allow_device(policy, "/dev/kvm", &error),
	    OMEGA_SANDBOX_E_REFUSED);
	omega_sandbox_policy_unref(world.policy);
	world.policy = policy;
	assert_int_equal(
	    omega_sandbox_policy_set_backend(policy, "one", &error), 0);
	assert_int_equal(
	    omega_sandbox_policy_set_data_dir(policy, world.data_dir, &error),
	    0);
	assert_int_equal(verdict_of(&world, &error), 0);
	assert_int_equal(fakes[0].data_dir_mode, OMEGA_SANDBOX_DATA_DIR_SHIELD);
	assert_int_equal(fakes[0].hide_sockets, OMEGA_SANDBOX_HIDE_LAUNCHERS);
	assert_string_equal(fakes[0].sockets, "/run/a");
	assert_string_equal(fakes[0].devices, "");
	close_world(&world);
}

static void
test_json_is_sound_for_any_bytes(void **state)
{
	struct fake fakes[] = {{.name = "one"}};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_report *report = NULL;
	const char *json;
	struct world world;

	(void)state;
	open_world(&world, fakes, 1, "one");
	assert_int_equal(omega_sandbox_policy_block(
			     world.policy, "/tmp/\"\\\n\xff\xc3\xa9/x", &error),
	    0);
	assert_int_equal(
	    omega_sandbox_describe(world.policy, &report, &error), 0);
	json = omega_sandbox_report_json(report);
	assert_non_null(
	    strstr(json, "/tmp/\\\"\\\\\\u000a\xef\xbf\xbd\xc3\xa9/x"));
	assert_null(strchr(json, '\n'));
	assert_non_null(strstr(omega_sandbox_report_text(report), "\\x0a"));
	omega_sandbox_report_unref(report);
	close_world(&world);
}

/* Words can be seen where nothing can be started, and nothing is claimed. */
static void
test_words_are_shown_wherever_they_would_be_used(void **state)
{
	struct fake fakes[] = {{.name = "one",
	    .path = EVERY_BIT,
	    .all_hardening = true,
	    .is_unusable = true,
	    .is_prefix = true,
	    .flags = OMEGA_SANDBOX_PLUGIN_PREVIEWS}};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_prefix *prefix = NULL;
	struct world world;

	(void)state;
	open_world(&world, fakes, 1, "one");
	assert_int_equal(
	    omega_sandbox_prefix_new(world.policy, &prefix, &error), 0);
	assert_string_equal(
	    omega_sandbox_prefix_get_word(prefix, 0), "/bin/fake");
	assert_null(omega_sandbox_prefix_get_word(prefix, 1));
	assert_true(
	    (fakes[0].request_flags & OMEGA_SANDBOX_REQUEST_PREVIEW) != 0);
	omega_sandbox_prefix_free(prefix);
	/* To prepare and to describe is another matter. */
	assert_int_equal(
	    verdict_of(&world, &error), OMEGA_SANDBOX_E_UNAVAILABLE);
	close_world(&world);
}

static void
test_no_words_are_shown_that_are_not_enough(void **state)
{
	struct fake fakes[] = {
	    {.name = "one", .path = EVERY_BIT, .all_hardening = true},
	    {.name = "two",
		.path = READ_BITS,
		.all_hardening = true,
		.is_prefix = true,
		.flags = OMEGA_SANDBOX_PLUGIN_PREVIEWS}};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_prefix *prefix = NULL;
	struct world world;

	(void)state;
	open_world(&world, fakes, 2, "one");
	assert_int_equal(
	    omega_sandbox_prefix_new(world.policy, &prefix, &error),
	    OMEGA_SANDBOX_E_UNAVAILABLE);
	assert_null(prefix);
	assert_int_equal(fakes[0].applied, 0);
	assert_int_equal(
	    omega_sandbox_policy_set_backend(world.policy, "two", &error), 0);
	assert_int_equal(
	    omega_sandbox_prefix_new(world.policy, &prefix, &error),
	    OMEGA_SANDBOX_E_REQUIRED);
	assert_non_null(strstr(error.text, "because two"));
	/* Nor to one who would run without. */
	world.sandbox->conf->is_fail_closed = false;
	assert_int_equal(
	    omega_sandbox_prefix_new(world.policy, &prefix, &error),
	    OMEGA_SANDBOX_E_REQUIRED);
	assert_non_null(strstr(error.text, "because two"));
	assert_int_equal(fakes[1].applied, 0);
	fakes[1].path = EVERY_BIT;
	fakes[1].apply_error = -ENOSPC;
	assert_int_equal(
	    omega_sandbox_prefix_new(world.policy, &prefix, &error),
	    OMEGA_SANDBOX_E_SYSTEM);
	assert_null(prefix);
	close_world(&world);
	assert_int_equal(omega_sandbox_prefix_new(NULL, &prefix, &error),
	    OMEGA_SANDBOX_E_ARGUMENT);
	assert_null(omega_sandbox_prefix_get_word(NULL, 0));
	omega_sandbox_prefix_free(NULL);
}

static void
test_reports_refuse_bad_arguments(void **state)
{
	struct omega_sandbox_guarantee line = OMEGA_SANDBOX_GUARANTEE_INIT;
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_report *report = NULL;
	struct omega_sandbox_prepared *prepared = NULL;

	(void)state;
	assert_int_equal(
	    omega_sandbox_report_get(NULL, 0, &line), OMEGA_SANDBOX_E_ARGUMENT);
	assert_int_equal(omega_sandbox_report_get_verdict(NULL, &error),
	    OMEGA_SANDBOX_E_ARGUMENT);
	assert_false(omega_sandbox_report_is_protected(NULL));
	assert_string_equal(omega_sandbox_report_text(NULL), "");
	assert_string_equal(omega_sandbox_report_json(NULL), "");
	assert_int_equal(omega_sandbox_describe(NULL, &report, &error),
	    OMEGA_SANDBOX_E_ARGUMENT);
	assert_int_equal(omega_sandbox_prepare(NULL, &prepared, &error),
	    OMEGA_SANDBOX_E_ARGUMENT);
	assert_int_equal(omega_sandbox_policy_new(NULL, NULL, NULL, &error),
	    OMEGA_SANDBOX_E_ARGUMENT);
	assert_null(omega_sandbox_prepared_report(NULL));
	omega_sandbox_report_unref(NULL);
	omega_sandbox_prepared_unref(NULL);
	omega_sandbox_policy_unref(NULL);
	omega_sandbox_unref(NULL);
	assert_null(omega_sandbox_ref(NULL));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_everything_held_by_one_starts),
	    cmocka_unit_test(
		test_required_not_held_is_refused_with_the_guarantee),
	    cmocka_unit_test(
		test_refusal_without_namespaces_names_the_remedies),
	    cmocka_unit_test(test_required_partial_is_refused),
	    cmocka_unit_test(test_two_backends_hold_an_atom_together),
	    cmocka_unit_test(test_first_full_holder_gets_it_alone),
	    cmocka_unit_test(test_hardening_not_accepted_is_refused),
	    cmocka_unit_test(test_each_hardening_kind_follows_accept),
	    cmocka_unit_test(test_fail_open_warns_once_and_starts),
	    cmocka_unit_test(
		test_noop_waives_only_when_the_administrator_left_it_open),
	    cmocka_unit_test(test_named_backend_that_cannot_be_used_is_refused),
	    cmocka_unit_test(test_auto_without_any_backend_is_refused),
	    cmocka_unit_test(test_disabled_and_root_are_refused),
	    cmocka_unit_test(test_broken_backends_are_told_apart),
	    cmocka_unit_test(test_a_place_that_changed_is_prepared_again),
	    cmocka_unit_test(test_a_place_that_keeps_changing_is_an_error),
	    cmocka_unit_test(test_another_failure_is_not_tried_again),
	    cmocka_unit_test(test_separation_is_told_and_required),
	    cmocka_unit_test(test_commands_that_meet_are_separated),
	    cmocka_unit_test(test_two_prefix_backends_are_refused),
	    cmocka_unit_test(
		test_blocked_paths_become_guarantees_with_their_origin),
	    cmocka_unit_test(test_openings_reach_the_backends),
	    cmocka_unit_test(test_openings_of_the_administrator_are_the_limit),
	    cmocka_unit_test(test_json_is_sound_for_any_bytes),
	    cmocka_unit_test(test_words_are_shown_wherever_they_would_be_used),
	    cmocka_unit_test(test_no_words_are_shown_that_are_not_enough),
	    cmocka_unit_test(test_reports_refuse_bad_arguments),
	};

	return run_all(tests);
}
