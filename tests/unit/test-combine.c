/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-combine.c - layers of a policy, from the text of sections to what they
 * come to together: core/policy/{layer,named,expand,git,combine}.c.
 */

#include "harness.h"

#include <sys/stat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <omega/sandbox-plugin.h>

#include "policy/atom.h"
#include "policy/combine.h"

#define DENIED 0x3f /* READ LIST WRITE CREATE REMOVE RENAME */

struct world {
	char dir[512];
	struct omega_sandbox *sandbox;
	struct omega_sandbox_policy *policy;
	struct omega_combined combined;
	struct omega_sandbox_error error;
};

/* A sandbox configured by this text, in which %D is the scratch directory. */
static int
open_text(struct world *world, const char *conf)
{
	struct omega_sandbox_sources sources = {.plugindir = "/nonexistent"};
	struct omega_log log = {.fn = NULL};
	char content[8192];
	size_t used = 0;

	memset(world, 0, sizeof(*world));
	world->error.size = sizeof(world->error);
	snprintf(world->dir, sizeof(world->dir), "%s", scratch_dir());
	for (; *conf != '\0' && used < sizeof(content) - 600; conf++)
		if (conf[0] == '%' && conf[1] == 'D') {
			used += (size_t)snprintf(content + used,
			    sizeof(content) - used, "%s", world->dir);
			conf++;
		} else {
			content[used++] = *conf;
		}
	content[used] = '\0';
	assert_int_equal(chmod(world->dir, 0755), 0);
	make_file(text("%s/sandbox.conf", world->dir), content);
	make_dir(text("%s/a/b/c", world->dir));
	make_dir(text("%s/work", world->dir));
	make_dir(text("%s/omega", world->dir));
	sources.conf.file = text("%s/sandbox.conf", world->dir);
	sources.conf.is_explicit = true;
	return omega_sandbox_object_new(
	    &sources, &log, &world->sandbox, &world->error);
}

static int
combine(struct world *world, const char *name)
{
	int ret;

	ret = omega_sandbox_policy_new(
	    world->sandbox, name, &world->policy, &world->error);
	if (ret == 0)
		ret = omega_sandbox_policy_set_data_dir(
		    world->policy, text("%s/omega", world->dir), &world->error);
	if (ret == 0)
		ret = omega_sandbox_policy_set_work_dir(
		    world->policy, text("%s/work", world->dir), &world->error);
	return ret;
}

static void
finish(struct world *world)
{
	int ret;

	ret = omega_combine(world->policy, &world->combined, &world->error);
	if (ret != 0)
		fail_msg("%s", world->error.text);
}

static void
close_world(struct world *world)
{
	omega_combine_drop(&world->combined);
	omega_sandbox_policy_unref(world->policy);
	omega_sandbox_unref(world->sandbox);
}

/* The policy "p" of this text, combined. */
static void
make(struct world *world, const char *conf)
{
	if (open_text(world, conf) != 0 || combine(world, "p") != 0)
		fail_msg("%s", world->error.text);
	finish(world);
}

static bool
has_place(const struct world *world, const struct omega_combined_places *places,
    const char *name)
{
	const char *path = text("%s%s", world->dir, name);
	size_t i;

	for (i = 0; i < places->count; i++)
		if (strcmp(places->list[i].text, path) == 0)
			return true;
	return false;
}

static void
set(struct world *world, const char *rule, const char *value)
{
	const char *const values[] = {value, NULL};

	if (omega_sandbox_policy_set(
		world->policy, rule, values, &world->error) != 0)
		fail_msg("%s", world->error.text);
}

static void
test_lists_of_one_policy(void **state)
{
	struct world world;

	(void)state;
	make(&world, "policy p { read = { \"%D/a\" } write = { \"{work_dir}\" }"
		     " execute = { \"%D/a/b\" } deny = { \"{data_dir}\" }"
		     " deny_read = { \"%D/a/b/c\" } }");
	assert_true(world.combined.read.is_limited);
	assert_int_equal(world.combined.read.places.count, 3);
	assert_true(has_place(&world, &world.combined.read.places, "/work"));
	assert_true(has_place(&world, &world.combined.read.places, "/a/b"));
	assert_int_equal(world.combined.write.places.count, 1);
	assert_int_equal(world.combined.run.places.count, 1);
	assert_int_equal(world.combined.denies.count, 2);
	assert_int_equal(world.combined.denies.list[0].access, DENIED);
	assert_int_equal(world.combined.denies.list[1].access, 0x3);
	close_world(&world);
}

static void
test_no_lists_limit_nothing(void **state)
{
	struct world world;

	(void)state;
	make(&world, "policy p { description = \"nothing\" }");
	assert_false(world.combined.read.is_limited);
	assert_false(world.combined.write.is_limited);
	assert_false(world.combined.run.is_limited);
	assert_null(world.combined.deny_network);
	close_world(&world);
}

static void
test_an_empty_list_is_one(void **state)
{
	struct world world;

	(void)state;
	make(&world, "policy p { write = {} connect = {} }");
	assert_true(world.combined.write.is_limited);
	assert_int_equal(world.combined.write.places.count, 0);
	assert_true(world.combined.ports[0].is_limited);
	assert_int_equal(world.combined.ports[0].count, 0);
	close_world(&world);
}

static void
test_lists_of_layers_intersect(void **state)
{
	struct world world;

	(void)state;
	if (open_text(&world, "floor = f policy f { write = { \"%D/a\", "
			      "\"%D/work\" } connect = { 80, 443 } }"
			      "policy p { write = { \"%D/a/b\", \"/usr\" } "
			      "connect = { 443, 22 } }") != 0 ||
	    combine(&world, "p") != 0)
		fail_msg("%s", world.error.text);
	set(&world, "write", text("%s", world.dir));
	finish(&world);
	assert_int_equal(world.combined.write.places.count, 1);
	assert_true(has_place(&world, &world.combined.write.places, "/a/b"));
	assert_int_equal(world.combined.ports[0].count, 1);
	assert_int_equal(world.combined.ports[0].list[0], 443);
	close_world(&world);
}

static void
test_extends_adds_lists_and_replaces_values(void **state)
{
	struct world world;

	(void)state;
	make(&world, "policy base { write = { \"%D/a\" } network = deny "
		     "max_memory = 512M } "
		     "policy p { extends = base write = { \"{work_dir}\" } "
		     "network = unix-only }");
	assert_int_equal(world.combined.write.places.count, 2);
	assert_null(world.combined.deny_network);
	assert_non_null(world.combined.only_unix);
	assert_int_equal(
	    world.combined.limits[OMEGA_OPTION_MAX_MEMORY].number, 512 << 20);
	close_world(&world);
}

static void
test_limits_take_the_minimum_and_no_beats_yes(void **state)
{
	struct world world;

	(void)state;
	if (open_text(&world, "floor = f policy f { max_processes = 10 "
			      "signals = false } policy p { max_processes = 20 "
			      "signals = true ptrace = true }") != 0 ||
	    combine(&world, "p") != 0)
		fail_msg("%s", world.error.text);
	finish(&world);
	assert_int_equal(
	    world.combined.limits[OMEGA_OPTION_MAX_PROCESSES].number, 10);
	assert_int_equal(
	    omega_combine_switch(&world.combined, OMEGA_OPTION_SIGNALS),
	    OMEGA_COMBINED_NO);
	assert_int_equal(
	    omega_combine_switch(&world.combined, OMEGA_OPTION_PTRACE),
	    OMEGA_COMBINED_YES);
	assert_int_equal(
	    omega_combine_switch(&world.combined, OMEGA_OPTION_FORK),
	    OMEGA_COMBINED_UNSAID);
	close_world(&world);
}

static void
test_groups_and_absent_grants(void **state)
{
	struct world world;

	(void)state;
	make(&world, "group g { paths = { \"%D/a\", \"{work_dir}/none\" } } "
		     "policy p { deny = { \"@g\" } read = { \"%D/gone\" } }");
	assert_int_equal(world.combined.denies.count, 2);
	assert_false(world.combined.denies.list[1].exists);
	assert_int_equal(world.combined.read.places.count, 0);
	assert_int_equal(world.combined.note_count, 1);
	assert_non_null(strstr(world.combined.notes[0], "gone"));
	close_world(&world);
}

static void
make_git_world(struct world *world)
{
	if (open_text(world, "policy p { git_metadata = deny }") != 0 ||
	    combine(world, "p") != 0)
		fail_msg("%s", world->error.text);
}

static void
test_a_git_directory_above(void **state)
{
	struct world world;

	(void)state;
	make_git_world(&world);
	make_dir(text("%s/.git", world.dir));
	finish(&world);
	assert_int_equal(world.combined.denies.count, 2);
	assert_true(has_place(&world, &world.combined.denies, "/.git"));
	/* It is not there, and nobody is to make it. */
	assert_true(has_place(&world, &world.combined.denies, "/work/.git"));
	assert_false(world.combined.denies.list[0].exists);
	close_world(&world);
}

/* A command can make the nearest one: that takes nothing away. */
static void
test_every_git_directory_above(void **state)
{
	struct world world;

	(void)state;
	make_git_world(&world);
	make_dir(text("%s/.git", world.dir));
	make_dir(text("%s/main", world.dir));
	make_dir(text("%s/work/.git", world.dir));
	make_file(text("%s/work/.git/commondir", world.dir), "../../main");
	finish(&world);
	assert_int_equal(world.combined.denies.count, 3);
	assert_true(has_place(&world, &world.combined.denies, "/.git"));
	assert_true(has_place(&world, &world.combined.denies, "/work/.git"));
	assert_true(has_place(&world, &world.combined.denies, "/main"));
	close_world(&world);
}

static void
test_a_git_worktree(void **state)
{
	struct world world;

	(void)state;
	make_git_world(&world);
	make_dir(text("%s/main/.git/worktrees/w", world.dir));
	make_file(
	    text("%s/main/.git/worktrees/w/commondir", world.dir), "../..\n");
	make_file(text("%s/work/.git", world.dir),
	    "gitdir: ../main/.git/worktrees/w\n");
	finish(&world);
	assert_int_equal(world.combined.denies.count, 3);
	assert_true(has_place(&world, &world.combined.denies, "/work/.git"));
	assert_true(has_place(&world, &world.combined.denies, "/main/.git"));
	assert_true(has_place(
	    &world, &world.combined.denies, "/main/.git/worktrees/w"));
	/* Who asks why is told which file to look at. */
	assert_string_equal(
	    world.combined.denies.list[0].origin, "git metadata");
	assert_string_equal(world.combined.denies.list[1].origin,
	    text("git metadata, by %s/work/.git", world.dir));
	close_world(&world);
}

/* Git gets no further with it: the file itself is denied, and that is told. */
static void
finish_with_pointer_alone(struct world *world)
{
	finish(world);
	assert_int_equal(world->combined.denies.count, 1);
	assert_true(has_place(world, &world->combined.denies, "/work/.git"));
	assert_int_equal(world->combined.note_count, 1);
	close_world(world);
}

static void
test_a_malformed_git_pointer(void **state)
{
	struct world world;

	(void)state;
	make_git_world(&world);
	make_file(text("%s/work/.git", world.dir), "elsewhere\nor not\n");
	finish_with_pointer_alone(&world);
}

/* As git reads it, whatever ends the line or stands in it. */
static void
test_a_git_pointer_is_read_as_git_does(void **state)
{
	static const struct {
		const char *says;
		const char *means;
	} rows[] = {
	    {"gitdir: ../real\r\n", "/real"},
	    {"gitdir: ../real\n\n\r\n", "/real"},
	    {"gitdir: ../re\nal", "/re\nal"},
	    {"gitdir: ../real/", "/real"},
	};
	struct world world;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		make_git_world(&world);
		make_file(text("%s/work/.git", world.dir), rows[i].says);
		finish(&world);
		assert_true(
		    has_place(&world, &world.combined.denies, rows[i].means));
		assert_int_equal(world.combined.note_count, 0);
		close_world(&world);
	}
}

/* The file of a command must not bring down the process that reads it. */
static void
test_a_git_pointer_with_an_endless_name(void **state)
{
	struct world world;
	char name[3001];

	(void)state;
	memset(name, 'A', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	make_git_world(&world);
	assert_int_equal(symlink("/tmp", text("%s/work/lnk", world.dir)), 0);
	make_file(text("%s/work/.git", world.dir),
	    text("gitdir: %s/work/lnk/missing/%s", world.dir, name));
	finish_with_pointer_alone(&world);
}

/* Whoever can write the work directory can write this: no reason to refuse. */
static void
test_a_git_pointer_that_cannot_be_followed(void **state)
{
	char large[5000];
	char deep[4092];
	/* The last ones would take away what every command needs. */
	const char *const says[] = {"gitdir: gone/../x", large, deep,
	    "gitdir: /", "gitdir: .", "gitdir: ..", "gitdir: /usr",
	    "gitdir: /bin/sh", "gitdir: /proc/self/root"};
	struct world world;
	size_t i;

	(void)state;
	memset(large, '\n', sizeof(large) - 1);
	large[sizeof(large) - 1] = '\0';
	memcpy(large, "gitdir: /x", 10);
	for (i = 0; i < sizeof(deep) - 1; i++)
		deep[i] = i % 100 == 0 ? '/' : 'd';
	deep[sizeof(deep) - 1] = '\0';
	memcpy(deep, "gitdir: ", 8);
	for (i = 0; i < sizeof(says) / sizeof(says[0]); i++) {
		make_git_world(&world);
		make_file(text("%s/work/.git", world.dir), says[i]);
		finish_with_pointer_alone(&world);
	}
}

static void
test_a_git_link_that_cannot_be_followed(void **state)
{
	static const char *const leads[] = {".git", "/usr", "..", "."};
	struct world world;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(leads) / sizeof(leads[0]); i++) {
		make_git_world(&world);
		make_link(leads[i], text("%s/work/.git", world.dir));
		finish(&world);
		assert_int_equal(world.combined.denies.count, 1);
		assert_true(
		    has_place(&world, &world.combined.denies, "/work/.git"));
		close_world(&world);
	}
}

/* As git does: what a stranger says above us is not believed. */
static void
test_a_strangers_git_is_not_followed(void **state)
{
	struct world world;

	(void)state;
	if (getuid() != 0)
		skip_because("only root can give files away");
	make_git_world(&world);
	make_dir(text("%s/real/.git", world.dir));
	make_file(text("%s/real/.git/commondir", world.dir), "../../common");
	make_file(text("%s/.git", world.dir),
	    text("gitdir: %s/real/.git\n", world.dir));
	make_file(text("%s/work/.git", world.dir),
	    text("gitdir: %s/real/.git\n", world.dir));
	assert_int_equal(
	    chown(text("%s/.git", world.dir), SPARE_UID, SPARE_UID), 0);
	assert_int_equal(
	    chown(text("%s/work/.git", world.dir), SPARE_UID, SPARE_UID), 0);
	finish(&world);
	assert_int_equal(world.combined.denies.count, 2);
	assert_true(has_place(&world, &world.combined.denies, "/.git"));
	assert_true(has_place(&world, &world.combined.denies, "/work/.git"));
	close_world(&world);
	/* Ours leads to what is a stranger's: that far. */
	make_git_world(&world);
	make_dir(text("%s/real", world.dir));
	make_file(text("%s/real/commondir", world.dir), "../common");
	make_file(text("%s/work/.git", world.dir),
	    text("gitdir: %s/real\n", world.dir));
	assert_int_equal(
	    chown(text("%s/real", world.dir), SPARE_UID, SPARE_UID), 0);
	finish_with_pointer_alone(&world);
}

/* The strictest of all layers, said or implied. */
static void
test_unix_sockets(void **state)
{
	static const struct {
		const char *conf;
		uint32_t expected;
	} rows[] = {
	    {"policy p { }", OMEGA_SANDBOX_UNIX_ALL},
	    {"policy p { network = unix-only }", OMEGA_SANDBOX_UNIX_ALL},
	    {"policy p { network = deny }", OMEGA_SANDBOX_UNIX_OWN},
	    {"policy p { network = deny unix_sockets = all }",
		OMEGA_SANDBOX_UNIX_ALL},
	    {"policy p { unix_sockets = none }", OMEGA_SANDBOX_UNIX_NONE},
	    {"policy q { network = deny } "
	     "policy p { extends = q unix_sockets = all }",
		OMEGA_SANDBOX_UNIX_ALL},
	    {"floor = f policy f { unix_sockets = none } "
	     "policy p { network = deny unix_sockets = all }",
		OMEGA_SANDBOX_UNIX_NONE},
	    {"floor = f policy f { network = deny } "
	     "policy p { unix_sockets = all }",
		OMEGA_SANDBOX_UNIX_OWN},
	};
	struct world world;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		make(&world, rows[i].conf);
		if (world.combined.unix_sockets.number != rows[i].expected)
			fail_msg("%s: %u", rows[i].conf,
			    (unsigned)world.combined.unix_sockets.number);
		close_world(&world);
	}
	/* A host narrows, and does not widen. */
	if (open_text(&world, "policy p { network = deny }") != 0 ||
	    combine(&world, "p") != 0)
		fail_msg("%s", world.error.text);
	set(&world, "unix_sockets", "all");
	finish(&world);
	assert_int_equal(
	    world.combined.unix_sockets.number, OMEGA_SANDBOX_UNIX_OWN);
	close_world(&world);
}

/* The farthest from the caller, of all layers. */
static void
test_session(void **state)
{
	static const struct {
		const char *conf;
		enum omega_sandbox_session expected;
	} rows[] = {
	    {"policy p { }", OMEGA_SANDBOX_SESSION_NEW},
	    {"policy p { session = keep }", OMEGA_SANDBOX_SESSION_KEEP},
	    {"policy p { session = pty }", OMEGA_SANDBOX_SESSION_PTY},
	    {"floor = f policy f { session = new } "
	     "policy p { session = keep }",
		OMEGA_SANDBOX_SESSION_NEW},
	    {"floor = f policy f { session = pty } "
	     "policy p { session = new }",
		OMEGA_SANDBOX_SESSION_PTY},
	};
	struct world world;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		make(&world, rows[i].conf);
		if (omega_sandbox_policy_get_session(world.policy) !=
		    rows[i].expected)
			fail_msg("%s", rows[i].conf);
		close_world(&world);
	}
}

/* What git obeys cannot be changed, here and below, absent or not. */
static void
test_git_is_kept(void **state)
{
	static const char *const kept[] = {"/work/.git/config",
	    "/work/.git/config.worktree", "/work/.git/commondir",
	    "/work/.git/hooks", "/work/.git/info", "/work/.git/modules",
	    "/work/.git/worktrees", "/work/.git/objects/info/alternates",
	    "/work/a/b/.git/config", "/work/a/b/.git/commondir",
	    "/work/module/.git", "/work/.git/modules/m/config", NULL};
	struct world world;
	struct stat st;
	size_t i;

	(void)state;
	if (open_text(&world, "policy p { git_metadata = keep }") != 0 ||
	    combine(&world, "p") != 0)
		fail_msg("%s", world.error.text);
	make_dir(text("%s/work/.git/objects", world.dir));
	make_dir(text("%s/work/a/b/.git/objects", world.dir));
	make_dir(text("%s/work/.git/modules/m/objects", world.dir));
	make_file(text("%s/work/module/.git", world.dir),
	    "gitdir: ../.git/modules/m\n");
	finish(&world);
	for (i = 0; kept[i] != NULL; i++)
		if (!has_place(&world, &world.combined.denies, kept[i]))
			fail_msg("%s", kept[i]);
	assert_false(has_place(&world, &world.combined.denies, "/work/.git"));
	for (i = 0; i < world.combined.denies.count; i++)
		assert_int_equal(world.combined.denies.list[i].access,
		    OMEGA_ATOM_CHANGE_BITS);
	/* Nothing is made for who only asks. */
	assert_int_not_equal(
	    lstat(text("%s/work/.git/commondir", world.dir), &st), 0);
	omega_combine_make_git(world.policy);
	for (i = 0; kept[i] != NULL; i++)
		if (lstat(text("%s%s", world.dir, kept[i]), &st) != 0)
			fail_msg("%s", kept[i]);
	/* And what is there now leads nowhere else. */
	omega_combine_drop(&world.combined);
	finish(&world);
	for (i = 0; i < world.combined.denies.count; i++)
		assert_true(world.combined.denies.list[i].exists);
	close_world(&world);
}

static void
test_a_refused_rule_changes_nothing(void **state)
{
	const char *const relative[] = {"not/absolute", NULL};
	const char *const port[] = {"443", NULL};
	struct world world;

	(void)state;
	if (open_text(&world, "policy p { }") != 0 || combine(&world, "p") != 0)
		fail_msg("%s", world.error.text);
	set(&world, "network", "deny");
	assert_int_equal(omega_sandbox_policy_set(
			     world.policy, "write", relative, &world.error),
	    OMEGA_SANDBOX_E_INVALID_POLICY);
	assert_int_equal(omega_sandbox_policy_set(
			     world.policy, "connect", port, &world.error),
	    OMEGA_SANDBOX_E_INVALID_POLICY);
	assert_int_equal(
	    omega_sandbox_policy_set(world.policy, "wirte", port, &world.error),
	    OMEGA_SANDBOX_E_INVALID_POLICY);
	assert_non_null(strstr(world.error.text, "did you mean 'write'?"));
	finish(&world);
	assert_false(world.combined.write.is_limited);
	assert_non_null(world.combined.deny_network);
	close_world(&world);
}

/* Texts that are refused, and with which words. */
static const struct {
	const char *conf;
	const char *words;
} bad[] = {
    {"policy p { extends = q }", "there is no policy 'q'"},
    {"policy p { extends = p }", "in a circle"},
    {"policy p { extends = q } policy q { extends = p }", "in a circle"},
    {"policy p { write = \"/a\" }", "write takes a list"},
    {"policy p { write = { \"/a*\" } }", "has a pattern in it"},
    {"policy p { write = { \"a\" } }", "is not an absolute path"},
    {"policy p { write = { \"@none\" } }", "there is no group '@none'"},
    {"policy p { network = maybe }", "network is allow, unix-only or deny"},
    {"policy p { unix_sockets = some }", "unix_sockets is all, own or none"},
    {"policy p { session = old }", "session is keep, new or pty"},
    {"policy p { connect = { \"example.org:443\" } }",
	"names a host or an address"},
    {"policy p { connect = { 0 } }", "is not a port"},
    {"policy p { connect = { 65536 } }", "is not a port"},
    {"policy p { bind = { -1 } }", "is not a port"},
    {"policy p { max_memory = 0 }", "is zero or too large"},
    {"policy p { max_memory = 12Q }", "such as 512M"},
    {"policy p { max_memory = 99999999999G }", "is zero or too large"},
    {"policy p { max_cpu_seconds = -3 }", "such as 30s"},
    {"policy p { fork = maybe }", "fork is true or false"},
    {"policy p { read_all = true read = { \"/usr\" } }",
	"the list read contradicts read_all = true"},
    {"policy p { network = deny connect = { 443 } }",
	"the list connect contradicts network = deny"},
    {"policy p { env_set = { \"A=1\", \"A=2\" } }", "'A' is set twice"},
    {"policy p { colour = red }", "unknown rule 'colour'"},
    {"policy p { } policy p { }", "has two sections"},
    {"group g { }", "has no paths"},
    {"group g { paths = { \"@h\" } }", "cannot have a group in it"},
    {"tier t { policy = none }", "there is no policy 'none'"},
    {"tier t { sandbox = maybe }", "is true or false"},
    {"tier t { colour = red }", "unknown option 'colour' in a tier"},
    {"floor = none", "floor: there is no policy 'none'"},
    {"policy = p", "policy sections begin with a name"},
};

static void
test_bad_texts(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct world world;

		assert_int_equal(
		    open_text(&world, bad[i].conf), OMEGA_SANDBOX_E_CONFIG);
		if (strstr(world.error.text, bad[i].words) == NULL)
			fail_msg("%s: %s", bad[i].conf, world.error.text);
	}
}

static void
test_tiers(void **state)
{
	struct omega_sandbox_tier tier = OMEGA_SANDBOX_TIER_INIT;
	struct world world;

	(void)state;
	if (open_text(&world, "policy strict { } tier untrusted { policy = "
			      "strict } tier local { sandbox = false }") != 0)
		fail_msg("%s", world.error.text);
	assert_int_equal(omega_sandbox_get_tier(
			     world.sandbox, "untrusted", &tier, &world.error),
	    0);
	assert_int_equal(tier.is_sandboxed, 1);
	assert_string_equal(tier.policy, "strict");
	assert_int_equal(
	    omega_sandbox_get_tier(world.sandbox, "local", &tier, &world.error),
	    0);
	assert_int_equal(tier.is_sandboxed, 0);
	assert_string_equal(tier.policy, "default");
	assert_int_equal(
	    omega_sandbox_get_tier(world.sandbox, "none", &tier, &world.error),
	    OMEGA_SANDBOX_E_NOT_FOUND);
	close_world(&world);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_lists_of_one_policy),
    cmocka_unit_test(test_no_lists_limit_nothing),
    cmocka_unit_test(test_an_empty_list_is_one),
    cmocka_unit_test(test_lists_of_layers_intersect),
    cmocka_unit_test(test_extends_adds_lists_and_replaces_values),
    cmocka_unit_test(test_limits_take_the_minimum_and_no_beats_yes),
    cmocka_unit_test(test_groups_and_absent_grants),
    cmocka_unit_test(test_a_git_directory_above),
    cmocka_unit_test(test_a_git_worktree),
    cmocka_unit_test(test_every_git_directory_above),
    cmocka_unit_test(test_a_malformed_git_pointer),
    cmocka_unit_test(test_a_git_pointer_is_read_as_git_does),
    cmocka_unit_test(test_a_git_pointer_with_an_endless_name),
    cmocka_unit_test(test_a_git_pointer_that_cannot_be_followed),
    cmocka_unit_test(test_a_git_link_that_cannot_be_followed),
    cmocka_unit_test(test_a_strangers_git_is_not_followed),
    cmocka_unit_test(test_unix_sockets),
    cmocka_unit_test(test_session),
    cmocka_unit_test(test_git_is_kept),
    cmocka_unit_test(test_a_refused_rule_changes_nothing),
    cmocka_unit_test(test_bad_texts),
    cmocka_unit_test(test_tiers),
};

int
main(void)
{
	return run_all(tests);
}
