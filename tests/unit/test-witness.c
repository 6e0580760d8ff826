/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-witness.c - does the witness notice? The tries one by one, on files
 * made for them; and whole starts under a backend that promises everything
 * and does nothing.
 */

#include "harness.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <omega/sandbox.h>

#include "plan/plan.h"
#include "plan/prepared.h"
#include "plan/tries.h"
#include "plugins.h"
#include "run/launch.h"
#include "run/witness.h"
#include "sandbox.h"

#define READS (OMEGA_SANDBOX_ATOM_READ | OMEGA_SANDBOX_ATOM_LIST)

/* ---- One try at a time ----------------------------------------------------
 */

/* What one try finds; object NULL: nothing was there before. */
static struct omega_witness_found
find(uint32_t how, const char *path, const struct omega_witness_object *object)
{
	struct omega_witness_try try = {.how = how, .path = text("%s", path)};
	struct omega_witness witness = {.tries = &try, .fixed = 1, .count = 1};
	struct omega_witness_found found;

	if (object != NULL)
		try.object = *object;
	omega_witness_run(&witness, 0, &found);
	return found;
}

static struct omega_witness_object
object_of(const char *path)
{
	struct omega_witness_object object;

	assert_int_equal(omega_witness_look(AT_FDCWD, path, &object), 0);
	return object;
}

static void
test_protected_object_is_known_by_identity(void **state)
{
	const char *file = text("%s/file", scratch_dir());
	const char *dir = text("%s/dir", scratch_dir());
	struct omega_witness_object object;

	(void)state;
	make_file(file, ""); /* nothing to read, and yet it is the one */
	make_dir(dir);
	object = object_of(file);
	assert_int_equal(find(OMEGA_WITNESS_READ, file, &object).finding,
	    OMEGA_WITNESS_ITSELF);
	assert_int_equal(find(OMEGA_WITNESS_WRITE, file, &object).finding,
	    OMEGA_WITNESS_ITSELF);
	object = object_of(dir);
	assert_int_equal(find(OMEGA_WITNESS_READ, dir, &object).finding,
	    OMEGA_WITNESS_ITSELF);
}

static void
test_empty_mask_is_no_hole(void **state)
{
	const char *file = text("%s/file", scratch_dir());
	const char *dir = text("%s/dir", scratch_dir());
	struct omega_witness_object object;

	(void)state;
	make_file(file, "");
	make_dir(dir);
	/* What was protected has been something else. */
	object = object_of(scratch_dir());
	assert_int_equal(find(OMEGA_WITNESS_READ, file, &object).finding,
	    OMEGA_WITNESS_HELD);
	assert_int_equal(find(OMEGA_WITNESS_WRITE, file, &object).finding,
	    OMEGA_WITNESS_HELD);
	assert_int_equal(
	    find(OMEGA_WITNESS_READ, dir, &object).finding, OMEGA_WITNESS_HELD);
	assert_int_equal(find(OMEGA_WITNESS_READ, "/dev/null", &object).finding,
	    OMEGA_WITNESS_HELD);
}

static void
test_content_and_names_are_holes_whatever_the_object(void **state)
{
	const char *dir = text("%s/dir", scratch_dir());
	const char *file = text("%s/file", dir);
	struct omega_witness_object object;

	(void)state;
	make_file(file, "x");
	object = object_of(scratch_dir());
	assert_int_equal(find(OMEGA_WITNESS_READ, file, &object).finding,
	    OMEGA_WITNESS_CONTENT);
	assert_int_equal(find(OMEGA_WITNESS_READ, file, NULL).finding,
	    OMEGA_WITNESS_CONTENT);
	assert_int_equal(find(OMEGA_WITNESS_WRITE, file, &object).finding,
	    OMEGA_WITNESS_CONTENT);
	assert_int_equal(find(OMEGA_WITNESS_READ, dir, &object).finding,
	    OMEGA_WITNESS_NAMES);
	/* A try to write leaves the file as it is. */
	assert_int_equal(access(file, F_OK), 0);
	assert_int_equal(find(OMEGA_WITNESS_READ, file, NULL).finding,
	    OMEGA_WITNESS_CONTENT);
}

/* A file system gives a number to the next file that comes. */
static void
test_number_used_again_is_another_object(void **state)
{
	const char *file = text("%s/file", scratch_dir());
	struct omega_witness_object object;

	(void)state;
	make_file(file, "");
	object = object_of(file);
	if (object.birth == 0)
		skip_because("this file system keeps no time of birth");
	object.birth--;
	assert_int_equal(find(OMEGA_WITNESS_READ, file, &object).finding,
	    OMEGA_WITNESS_HELD);
}

static int
count_names(const char *path)
{
	DIR *dir = opendir(path);
	int count = 0;

	assert_non_null(dir);
	while (readdir(dir) != NULL)
		count++;
	closedir(dir);
	return count;
}

static void
test_creating_leaves_nothing(void **state)
{
	const char *dir = text("%s/dir", scratch_dir());
	const char *absent = text("%s/absent", dir);
	struct omega_witness_object object;

	(void)state;
	make_dir(dir);
	object = object_of(dir);
	assert_int_equal(find(OMEGA_WITNESS_CREATE, dir, &object).finding,
	    OMEGA_WITNESS_DONE);
	assert_int_equal(find(OMEGA_WITNESS_MAKE, absent, &object).finding,
	    OMEGA_WITNESS_DONE);
	assert_int_equal(count_names(dir), 2);
	/* What is not made on the host's device is not the host's. */
	object.minor ^= 0x4000;
	assert_int_equal(find(OMEGA_WITNESS_CREATE, dir, &object).finding,
	    OMEGA_WITNESS_HELD);
	assert_int_equal(find(OMEGA_WITNESS_MAKE, absent, &object).finding,
	    OMEGA_WITNESS_HELD);
	assert_int_equal(count_names(dir), 2);
	/* Where something is, nothing is made, and it stays. */
	make_file(absent, "x");
	assert_int_equal(find(OMEGA_WITNESS_MAKE, absent, &object).finding,
	    OMEGA_WITNESS_HELD);
	assert_int_equal(access(absent, F_OK), 0);
}

static void
test_attributes(void **state)
{
	const char *file = text("%s/file", scratch_dir());
	struct omega_witness_object object;

	(void)state;
	make_file(file, "x");
	if (removexattr(file, "user.omega-sandbox.test") == 0 ||
	    errno != ENODATA)
		skip_because(
		    "no attributes on this file system: %s", strerror(errno));
	object = object_of(file);
	assert_int_equal(find(OMEGA_WITNESS_CHANGE, file, &object).finding,
	    OMEGA_WITNESS_ITSELF);
	object.inode++;
	assert_int_equal(find(OMEGA_WITNESS_CHANGE, file, &object).finding,
	    OMEGA_WITNESS_HELD);
}

static void
test_what_is_denied_or_gone_is_held(void **state)
{
	const char *gone = text("%s/gone", scratch_dir());
	const char *below = text("%s/gone/x", scratch_dir());

	(void)state;
	assert_int_equal(
	    find(OMEGA_WITNESS_READ, gone, NULL).finding, OMEGA_WITNESS_HELD);
	assert_int_equal(
	    find(OMEGA_WITNESS_WRITE, gone, NULL).finding, OMEGA_WITNESS_HELD);
	assert_int_equal(
	    find(OMEGA_WITNESS_CREATE, gone, NULL).finding, OMEGA_WITNESS_HELD);
	assert_int_equal(
	    find(OMEGA_WITNESS_MAKE, below, NULL).finding, OMEGA_WITNESS_HELD);
	assert_int_equal(
	    find(OMEGA_WITNESS_CHANGE, gone, NULL).finding, OMEGA_WITNESS_HELD);
}

static void
test_allowed_that_fails_is_broken(void **state)
{
	const char *gone = text("%s/gone", scratch_dir());
	struct omega_witness_found found;

	(void)state;
	assert_int_equal(find(OMEGA_WITNESS_CAN_LIST, "/", NULL).finding,
	    OMEGA_WITNESS_HELD);
	assert_int_equal(
	    find(OMEGA_WITNESS_CAN_WRITE, "/dev/null", NULL).finding,
	    OMEGA_WITNESS_HELD);
	assert_int_equal(
	    find(OMEGA_WITNESS_CAN_CREATE, scratch_dir(), NULL).finding,
	    OMEGA_WITNESS_HELD);
	found = find(OMEGA_WITNESS_CAN_LIST, gone, NULL);
	assert_int_equal(found.finding, OMEGA_WITNESS_BROKEN);
	assert_int_equal(found.error, ENOENT);
	found = find(OMEGA_WITNESS_CAN_CREATE, "/proc", NULL);
	assert_int_equal(found.finding, OMEGA_WITNESS_BROKEN);
}

static int
without_descriptors(void *arg)
{
	const struct rlimit none = {0, 0};
	struct omega_witness_found found;

	need(setrlimit(RLIMIT_NOFILE, &none) == 0);
	found = find(OMEGA_WITNESS_READ, arg, NULL);
	need(found.finding == OMEGA_WITNESS_UNTRIED && found.error == EMFILE);
	found = find(OMEGA_WITNESS_CAN_LIST, "/", NULL);
	need(found.finding == OMEGA_WITNESS_UNTRIED && found.error == EMFILE);
	found = find(99, "/", NULL);
	need(found.finding == OMEGA_WITNESS_UNTRIED);
	return 0;
}

/* Not having seen a hole is not having looked. */
static void
test_what_could_not_be_tried_is_said(void **state)
{
	char *file = text("%s/file", scratch_dir());

	(void)state;
	make_file(file, "x");
	assert_int_equal(in_child(without_descriptors, file), 0);
}

/* Every start tries another share, and after so many all were tried. */
static void
test_long_lists_are_tried_in_turns(void **state)
{
	const size_t fixed = 3;
	const size_t count = fixed + 5 * OMEGA_WITNESS_LISTED - 7;
	char *hole = text("%s/hole", scratch_dir());
	char *gone = text("%s/gone", scratch_dir());
	struct omega_witness_try *tries = calloc(count, sizeof(*tries));
	struct omega_witness witness = {
	    .tries = tries, .fixed = fixed, .count = count};
	struct omega_witness_found found;
	size_t i;
	size_t turn;
	size_t seen;

	(void)state;
	assert_non_null(tries);
	make_file(hole, "x");
	for (i = 0; i < count; i++) {
		tries[i].how = OMEGA_WITNESS_READ;
		tries[i].path = gone;
	}
	for (i = 0; i < count; i += 97) {
		tries[i].path = hole;
		for (turn = 0, seen = 0; turn < 5; turn++) {
			omega_witness_run(&witness, turn + 10, &found);
			if (found.finding != OMEGA_WITNESS_HELD) {
				assert_int_equal(found.index, i);
				seen++;
			}
		}
		assert_int_equal(seen, i < fixed ? 5 : 1);
		tries[i].path = gone;
	}
	free(tries);
}

/* ---- Whole starts ---------------------------------------------------------
 */

/* A backend that promises these bits of PATH atoms and this other kind, and
 * does nothing for it. */
struct fake {
	uint32_t path;
	uint32_t kind;
	uint32_t flags; /* of the launch */
	bool is_prefix;
};

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

struct world {
	struct omega_sandbox *sandbox;
	struct omega_sandbox_policy *policy;
	char dir[PATH_MAX];
};

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

static void
open_world(struct world *world, struct fake *fake, const char *lines)
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
	sandbox->conf->is_fail_closed = false;
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
	assert_int_equal(omega_sandbox_policy_set_data_dir(
			     world->policy, world->dir, &error),
	    0);
	assert_int_equal(
	    omega_sandbox_policy_set_backend(world->policy, "fake", &error), 0);
}

static void
close_world(struct world *world)
{
	omega_sandbox_policy_unref(world->policy);
	omega_sandbox_unref(world->sandbox);
}

static struct omega_sandbox_command *
make_command(struct world *world, struct omega_sandbox_error *error)
{
	struct omega_sandbox_prepared *prepared = NULL;
	struct omega_sandbox_command *command = NULL;
	char *program = text("%s/workspace/ran", world->dir);

	if (omega_sandbox_prepare(world->policy, &prepared, error) < 0)
		return NULL;
	assert_int_equal(
	    omega_sandbox_command_new(prepared, "touch", &command, error), 0);
	assert_int_equal(omega_sandbox_command_add_arg(command, program), 0);
	assert_int_equal(omega_sandbox_command_set_stdio(
			     command, 2, OMEGA_SANDBOX_STDIO_NULL, -1),
	    0);
	omega_sandbox_prepared_unref(prepared);
	return command;
}

/* Did the program run? Forget it then. */
static bool
has_run(const struct world *world)
{
	return unlink(text("%s/workspace/ran", world->dir)) == 0;
}

/* Start it: the code, and what was said. */
static int
start(struct world *world, struct omega_sandbox_error *error)
{
	struct omega_sandbox_exit end = OMEGA_SANDBOX_EXIT_INIT;
	struct omega_sandbox_command *command = make_command(world, error);
	int ret = error->code;

	if (command != NULL)
		ret = omega_sandbox_run(command, &end, error);
	omega_sandbox_command_unref(command);
	return ret;
}

/* With this promised and not held, a start says so, and ends there. */
static void
expect_hole(
    struct fake fake, const char *path, const char *words, const char *atom)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct world world;

	open_world(&world, &fake, "witness = off");
	/* Nobody looks, nobody sees. */
	assert_int_equal(start(&world, &error), 0);
	assert_true(has_run(&world));
	assert_int_equal(
	    omega_sandbox_policy_set_witness(world.policy, true, &error), 0);
	if (start(&world, &error) != OMEGA_SANDBOX_E_WITNESS)
		fail_msg("%s: not noticed (%s)", words, error.text);
	assert_int_equal(error.code, OMEGA_SANDBOX_E_WITNESS);
	assert_false(has_run(&world));
	assert_string_equal(error.backend, "fake");
	if (strstr(error.text, path) == NULL ||
	    strstr(error.text, words) == NULL ||
	    strstr(error.text, atom) == NULL ||
	    strstr(error.atom, atom) == NULL)
		fail_msg("'%s' of '%s'", error.text, error.atom);
	close_world(&world);
}

static void
test_each_promise_that_is_not_kept_is_noticed(void **state)
{
	(void)state;
	expect_hole((struct fake){.path = OMEGA_SANDBOX_ATOM_LIST}, "/data ",
	    "could be read (it is the protected object", "cannot be read");
	expect_hole((struct fake){.path = OMEGA_SANDBOX_ATOM_READ},
	    "/data/memory.db", "could be read (it is the protected object",
	    "cannot be read");
	expect_hole((struct fake){.path = OMEGA_SANDBOX_ATOM_WRITE},
	    "/data/memory.db", "could be opened for writing",
	    "cannot be changed");
	expect_hole((struct fake){.path = OMEGA_SANDBOX_ATOM_CREATE}, "/data ",
	    "let a file be created in it", "cannot be changed");
	expect_hole((struct fake){.kind = OMEGA_SANDBOX_ATOM_OUTSIDE_SIGNALS},
	    "the process that started it", "could be sent signals",
	    "processes outside get no signals");
}

static void
test_metadata_that_can_be_changed_is_noticed(void **state)
{
	const char *file = text("%s/file", scratch_dir());

	(void)state;
	make_file(file, "x");
	if (removexattr(file, "user.omega-sandbox.test") == 0 ||
	    errno != ENODATA)
		skip_because(
		    "no attributes on this file system: %s", strerror(errno));
	expect_hole((struct fake){.kind = OMEGA_SANDBOX_ATOM_METADATA},
	    "/data ", "let its attributes be changed", "keeps its mode");
}

/* May a child attach to its parent here at all? */
static int
attach_to_parent(void *arg)
{
	int pidfd = (int)syscall(SYS_pidfd_open, getppid(), 0);

	(void)arg;
	need(pidfd >= 0);
	return syscall(SYS_pidfd_getfd, pidfd, INT_MAX, 0) != -1 ? 1
	       : errno == EBADF					 ? 0
								 : errno;
}

static void
test_processes_that_can_be_traced_are_noticed(void **state)
{
	int status = in_child(attach_to_parent, NULL);

	(void)state;
	if (status != 0)
		skip_because("this kernel forbids it to everybody: %s",
		    strerror(status));
	expect_hole((struct fake){.kind = OMEGA_SANDBOX_ATOM_OUTSIDE_PTRACE},
	    "the process that started it", "could be traced",
	    "processes outside cannot be traced");
}

static void
test_absent_config_that_can_be_made_is_noticed(void **state)
{
	struct fake fake = {.path = OMEGA_SANDBOX_ATOM_CREATE};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct world world;
	const char *config;

	(void)state;
	open_world(&world, &fake, "witness = on");
	config = text("%s/config.toml", world.dir);
	assert_int_equal(unlink(config), 0);
	/* The data itself is out of the way. */
	assert_int_equal(unlink(text("%s/data/memory.db", world.dir)), 0);
	assert_int_equal(rmdir(text("%s/data", world.dir)), 0);
	assert_int_equal(start(&world, &error), OMEGA_SANDBOX_E_WITNESS);
	assert_non_null(strstr(error.text, "could be created"));
	assert_int_equal(access(config, F_OK), -1);
	assert_false(has_run(&world));
	close_world(&world);
}

/* Also where the child does not lend the host's memory. */
static void
test_own_memory_is_noticed_by_pipe(void **state)
{
	expect_hole((struct fake){.path = OMEGA_SANDBOX_ATOM_LIST,
			.flags = OMEGA_SANDBOX_LAUNCH_SHARES},
	    "/data ", "could be read (it is the protected object",
	    "cannot be read");
	(void)state;
}

static int
exec_in_place(void *arg)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;

	need(omega_sandbox_exec(arg, &error) == OMEGA_SANDBOX_E_WITNESS);
	need(strstr(error.text, "could be read") != NULL);
	return 0;
}

static int
confine(void *arg)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_prepared *prepared =
	    omega_sandbox_command_prepared(arg);

	need(omega_sandbox_confine_self(prepared, &error) ==
	     OMEGA_SANDBOX_E_WITNESS);
	need(strstr(error.text, "could be read") != NULL);
	omega_sandbox_prepared_unref(prepared);
	return 0;
}

static void
test_becoming_the_program_is_witnessed(void **state)
{
	struct fake fake = {.path = READS};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_command *command;
	struct world world;

	(void)state;
	open_world(&world, &fake, "witness = on");
	command = make_command(&world, &error);
	assert_non_null(command);
	assert_int_equal(in_child(exec_in_place, command), 0);
	assert_int_equal(in_child(confine, command), 0);
	assert_false(has_run(&world));
	omega_sandbox_command_unref(command);
	close_world(&world);
}

/* What nobody promises is in the report, and no news to the witness. */
static void
test_what_is_not_promised_is_not_tried(void **state)
{
	struct fake fake = {.path = 0};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct world world;

	(void)state;
	open_world(&world, &fake, "witness = on");
	assert_int_equal(start(&world, &error), 0);
	assert_true(has_run(&world));
	close_world(&world);
}

static void
test_configuration_and_call_combine(void **state)
{
	static const struct {
		const char *lines;
		int call; /* -1: none */
		bool is_seen;
	} list[] = {
	    {"witness = off", -1, false},
	    {"witness = off", 0, false},
	    {"witness = off", 1, true},
	    {"witness = on", -1, true},
	    {"witness = on", 0, true},
	    {"", -1, true}, /* the twin that is tested looks by default */
	    {"", 0, false},
	};
	struct fake fake = {.path = READS};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct world world;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		open_world(&world, &fake, list[i].lines);
		if (list[i].call >= 0)
			assert_int_equal(
			    omega_sandbox_policy_set_witness(
				world.policy, list[i].call == 1, &error),
			    0);
		assert_int_equal(start(&world, &error),
		    list[i].is_seen ? OMEGA_SANDBOX_E_WITNESS : 0);
		assert_int_equal(has_run(&world), !list[i].is_seen);
		close_world(&world);
	}
	assert_int_equal(omega_sandbox_policy_set_witness(NULL, true, &error),
	    OMEGA_SANDBOX_E_ARGUMENT);
}

/* Behind a program of the backend's own nobody of ours is there to look. */
static void
test_prefix_cannot_be_witnessed(void **state)
{
	struct fake fake = {.path = READS, .is_prefix = true};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct world world;

	(void)state;
	open_world(&world, &fake, "witness = on");
	assert_int_equal(start(&world, &error), OMEGA_SANDBOX_E_WITNESS);
	assert_string_equal(error.backend, "fake");
	assert_non_null(strstr(error.text, "witness = off"));
	assert_false(has_run(&world));
	close_world(&world);
	open_world(&world, &fake, "witness = off");
	assert_int_equal(start(&world, &error), 0);
	assert_true(has_run(&world));
	close_world(&world);
}

/* What the caller itself has taken away is not the sandbox's fault. */
static void
test_workspace_may_go_between_starts(void **state)
{
	struct fake fake = {.path = 0};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_exit end = OMEGA_SANDBOX_EXIT_INIT;
	struct omega_sandbox_command *command;
	struct world world;

	(void)state;
	open_world(&world, &fake, "witness = on");
	command = make_command(&world, &error);
	assert_non_null(command);
	assert_int_equal(omega_sandbox_run(command, &end, &error), 0);
	assert_true(has_run(&world));
	assert_int_equal(rmdir(text("%s/workspace", world.dir)), 0);
	assert_int_equal(omega_sandbox_run(command, &end, &error), 0);
	assert_int_not_equal(end.status, 0); /* it ran, and had no place */
	omega_sandbox_command_unref(command);
	close_world(&world);
}

/* An allowed path that a backend has taken away: the step closes the door. */
static int
lower_limit(const void *state)
{
	const struct rlimit none = {3, 3};

	(void)state;
	return setrlimit(RLIMIT_NOFILE, &none) == 0 ? 0 : -errno;
}

static void
test_witness_without_descriptors_stops_the_start(void **state)
{
	struct fake fake = {.path = 0};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_exit end = OMEGA_SANDBOX_EXIT_INIT;
	struct omega_sandbox_prepared *prepared;
	struct omega_sandbox_command *command;
	struct omega_launch_builder builder;
	struct omega_launch *launch = NULL;
	struct world world;

	(void)state;
	open_world(&world, &fake, "witness = on");
	command = make_command(&world, &error);
	assert_non_null(command);
	prepared = omega_sandbox_command_prepared(command);
	assert_int_equal(omega_prepared_launch(prepared, &launch, &error), 0);
	omega_launch_builder_begin(&builder, launch, "fake", false);
	assert_int_equal(
	    builder.public.add_step(&builder.public,
		OMEGA_SANDBOX_PHASE_WITNESS, "limit", lower_limit, NULL, 0),
	    0);
	omega_launch_builder_end(&builder);
	omega_launch_unref(launch);
	assert_int_equal(
	    omega_sandbox_run(command, &end, &error), OMEGA_SANDBOX_E_WITNESS);
	assert_int_equal(error.sys_errno, EMFILE);
	assert_non_null(strstr(error.text, "could not try"));
	assert_false(has_run(&world));
	omega_sandbox_prepared_unref(prepared);
	omega_sandbox_command_unref(command);
	close_world(&world);
}

/* Lists are long, what is built in is always tried. */
static void
test_tries_of_a_plan(void **state)
{
	struct fake fake = {.path = 0xff, .kind = OMEGA_SANDBOX_ATOM_METADATA};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_plan *plan = NULL;
	struct omega_witness *witness = NULL;
	struct world world;
	size_t i;

	(void)state;
	open_world(&world, &fake, "witness = on");
	for (i = 0; i < 2000; i++)
		assert_int_equal(
		    omega_sandbox_policy_block(world.policy,
			text("%s/listed/%zu", world.dir, i), &error),
		    0);
	make_file(text("%s/listed/7", world.dir), "x");
	make_file(text("%s/listed/8/file", world.dir), "x");
	assert_int_equal(omega_plan_make(world.policy, &plan, &error), 0);
	assert_int_equal(omega_tries_make(plan, &witness, &error), 0);
	for (i = 0; i < witness->count; i++) {
		bool is_listed =
		    witness->tries[i].path != NULL &&
		    strstr(witness->tries[i].path, "/listed/") != NULL;

		assert_int_equal(is_listed, i >= witness->fixed);
	}
	/* 7: read, write, attributes; 8: list, its file twice, create,
	 * attributes. The absent ones are of a kind the fake does not hold. */
	assert_int_equal(witness->count - witness->fixed, 3 + 5);
	assert_true(witness->fixed < OMEGA_WITNESS_LISTED);
	omega_witness_free(witness);
	omega_plan_free(plan);
	close_world(&world);
}

/* The same with a plugin as they come: a shared object that says it holds
 * everything, and whose step does nothing. */
static void
test_plugin_that_does_nothing_is_found_out(void **state)
{
	char *file = text("%s/sandbox.conf", scratch_dir());
	const struct omega_sandbox_sources sources = {
	    .conf = {.file = file, .is_explicit = true},
	    .plugindir = plugin_dir()};
	const struct omega_log log = {.fn = NULL};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct world world;

	(void)state;
	make_file(
	    file, "backend = mock-good\nfail_closed = false\nwitness = on\n");
	snprintf(world.dir, sizeof(world.dir), "%s", scratch_dir());
	make_file(text("%s/data/memory.db", world.dir), "secret");
	make_dir(text("%s/workspace", world.dir));
	if (omega_sandbox_object_new(&sources, &log, &world.sandbox, &error) <
	    0)
		fail_msg("%s", error.text);
	assert_int_equal(omega_sandbox_policy_new(
			     world.sandbox, NULL, &world.policy, &error),
	    0);
	assert_int_equal(
	    omega_sandbox_policy_set_data_dir(world.policy, world.dir, &error),
	    0);
	assert_int_equal(start(&world, &error), OMEGA_SANDBOX_E_WITNESS);
	assert_string_equal(error.backend, "mock-good");
	assert_non_null(strstr(error.text, "/data could be read"));
	assert_false(has_run(&world));
	close_world(&world);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_protected_object_is_known_by_identity),
	    cmocka_unit_test(test_empty_mask_is_no_hole),
	    cmocka_unit_test(
		test_content_and_names_are_holes_whatever_the_object),
	    cmocka_unit_test(test_number_used_again_is_another_object),
	    cmocka_unit_test(test_creating_leaves_nothing),
	    cmocka_unit_test(test_attributes),
	    cmocka_unit_test(test_what_is_denied_or_gone_is_held),
	    cmocka_unit_test(test_allowed_that_fails_is_broken),
	    cmocka_unit_test(test_what_could_not_be_tried_is_said),
	    cmocka_unit_test(test_long_lists_are_tried_in_turns),
	    cmocka_unit_test(test_each_promise_that_is_not_kept_is_noticed),
	    cmocka_unit_test(test_metadata_that_can_be_changed_is_noticed),
	    cmocka_unit_test(test_processes_that_can_be_traced_are_noticed),
	    cmocka_unit_test(test_absent_config_that_can_be_made_is_noticed),
	    cmocka_unit_test(test_own_memory_is_noticed_by_pipe),
	    cmocka_unit_test(test_becoming_the_program_is_witnessed),
	    cmocka_unit_test(test_what_is_not_promised_is_not_tried),
	    cmocka_unit_test(test_configuration_and_call_combine),
	    cmocka_unit_test(test_prefix_cannot_be_witnessed),
	    cmocka_unit_test(test_workspace_may_go_between_starts),
	    cmocka_unit_test(test_witness_without_descriptors_stops_the_start),
	    cmocka_unit_test(test_tries_of_a_plan),
	    cmocka_unit_test(test_plugin_that_does_nothing_is_found_out),
	};

	return run_all(tests);
}
