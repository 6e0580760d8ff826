/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-path-undecided.c - what cannot be decided is blocked: senseless
 * arguments, too long, a loop, no permission to look, no descriptor left.
 */

#include "scene.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <omega/sandbox.h>

#include "path/place.h"

static struct home home;

static int
setup(void **state)
{
	(void)state;
	home_make(&home);
	return 0;
}

static void
test_path_that_is_none_is_blocked(void **state)
{
	static const char *const paths[] = {NULL, "", " ", "x", "./x", "../x",
	    ".", "..", "~", "~/x", "file:///tmp/x", "C:\\x", "\n/tmp/x"};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		expect_blocked(paths[i], home.dir);
	expect_free("/tmp/x", home.dir);
}

static void
test_data_dir_that_is_none_blocks_every_path(void **state)
{
	static const char *const dirs[] = {
	    NULL, "", "omega", "./omega", "..", "~/.omega"};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		expect_blocked(in_root(&home, "free/plain"), dirs[i]);
		expect_blocked("/", dirs[i]);
		expect_blocked("/etc/passwd", dirs[i]);
		expect_blocked(NULL, dirs[i]);
	}
}

static void
test_config_path_that_is_relative_blocks_every_read(void **state)
{
	static const char *const configs[] = {
	    "app.toml", "./app.toml", "..", "~/app.toml"};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(configs) / sizeof(configs[0]); i++) {
		expect_verdict(in_root(&home, "free/plain"), home.dir,
		    configs[i], true, false);
		expect_verdict("/", home.dir, configs[i], true, false);
	}
	expect_verdict("/", home.dir, NULL, false, false);
	expect_verdict("/", home.dir, "", false, false);
	expect_verdict("/", home.dir, home.config_path, false, false);
}

/* Fill path up with "/n" behind base until it has len bytes. */
static void
fill(char *path, const char *base, size_t len)
{
	size_t i = strlen(base);

	memcpy(path, base, i);
	for (; i < len; i++)
		path[i] = i + 1 < len && path[i - 1] != '/' ? '/' : 'n';
	path[len] = '\0';
}

static void
test_path_longer_than_can_be_opened_is_blocked(void **state)
{
	char path[2 * PATH_MAX];

	(void)state;
	fill(path, in_root(&home, "free"), PATH_MAX - 1);
	expect_free(path, home.dir);
	fill(path, in_root(&home, "free"), PATH_MAX);
	expect_blocked(path, home.dir);
	fill(path, in_root(&home, "free"), sizeof(path) - 1);
	expect_blocked(path, home.dir);
	/* It is the text that counts, not what would be left of it. */
	memset(path, '/', PATH_MAX);
	strcpy(path + PATH_MAX, "tmp");
	expect_blocked(path, home.dir);
	memset(path, '/', PATH_MAX - 4);
	strcpy(path + PATH_MAX - 4, "tmp");
	expect_free(path, home.dir);
}

static void
test_name_longer_than_can_be_opened_is_blocked(void **state)
{
	char name[NAME_MAX + 2];

	(void)state;
	memset(name, 'n', sizeof(name));
	name[NAME_MAX] = '\0';
	expect_free(in_root(&home, name), home.dir);
	expect_free(in_root(&home, text("%s/x", name)), home.dir);
	name[NAME_MAX] = 'n';
	name[NAME_MAX + 1] = '\0';
	expect_blocked(in_root(&home, name), home.dir);
	expect_blocked(in_root(&home, text("%s/x", name)), home.dir);
	expect_blocked(in_root(&home, text("none/%s/x", name)), home.dir);
}

/* Nobody has looked at the text before: not one byte beyond is taken. */
static void
test_name_of_any_length_is_resolved_or_refused(void **state)
{
	struct omega_place place;
	char name[PATH_MAX + 64];

	(void)state;
	make_link(in_root(&home, "free"), in_root(&home, "lnk"));
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(
	    omega_place_find(in_root(&home, text("lnk/none/%s", name)), &place),
	    -ENAMETOOLONG);
	name[3000] = '\0';
	assert_int_equal(
	    omega_place_find(in_root(&home, text("lnk/none/%s", name)), &place),
	    -ENAMETOOLONG);
	assert_int_equal(
	    omega_place_resolve(
		in_root(&home, text("lnk/none/%s", name)), false, &place),
	    -ENAMETOOLONG);
	name[NAME_MAX] = '\0';
	assert_int_equal(
	    omega_place_find(in_root(&home, text("lnk/none/%s", name)), &place),
	    0);
	assert_string_equal(
	    place.text, in_root(&home, text("free/none/%s", name)));
}

static void
test_data_dir_or_config_too_long_blocks_every_path(void **state)
{
	char dir[PATH_MAX + 1];

	(void)state;
	/* It fits itself, but "config.toml" behind it does not. */
	fill(dir, in_root(&home, "free"), PATH_MAX - 8);
	expect_blocked(in_root(&home, "free/plain"), dir);
	fill(dir, in_root(&home, "free"), PATH_MAX);
	expect_blocked(in_root(&home, "free/plain"), dir);
	fill(dir, in_root(&home, "free"), PATH_MAX - 16);
	expect_free(in_root(&home, "free/plain"), dir);
	fill(dir, in_root(&home, "free"), PATH_MAX);
	expect_verdict(
	    in_root(&home, "free/plain"), home.dir, dir, true, false);
	fill(dir, in_root(&home, "free"), PATH_MAX - 1);
	expect_verdict(
	    in_root(&home, "free/plain"), home.dir, dir, false, false);
}

static void
test_name_that_grows_too_long_when_resolved_is_blocked(void **state)
{
	char name[NAME_MAX + 1];
	int i;

	(void)state;
	memset(name, 'n', NAME_MAX);
	name[NAME_MAX] = '\0';
	/* Twenty directories of 255 bytes: reached only step by step. */
	assert_int_equal(chdir(in_root(&home, "free")), 0);
	for (i = 0; i < 20; i++) {
		assert_int_equal(mkdir(name, 0755), 0);
		assert_int_equal(chdir(name), 0);
	}
	expect_verdict("/proc/self/cwd/x", home.dir, NULL, true, true);
	for (i = 0; i < 10; i++)
		assert_int_equal(chdir(".."), 0);
	expect_verdict("/proc/self/cwd/x", home.dir, NULL, false, true);
	/* Taken away here: nftw in the harness could not. */
	for (i = 0; i < 10; i++)
		assert_int_equal(chdir(name), 0);
	for (i = 0; i < 20; i++) {
		assert_int_equal(chdir(".."), 0);
		assert_int_equal(rmdir(name), 0);
	}
	assert_int_equal(chdir("/"), 0);
}

static void
test_link_loops_are_blocked(void **state)
{
	(void)state;
	make_link("self", in_root(&home, "self"));
	make_link("b", in_root(&home, "a"));
	make_link("c", in_root(&home, "b"));
	make_link("a", in_root(&home, "c"));
	make_link(".", in_root(&home, "here"));
	expect_blocked(in_root(&home, "self"), home.dir);
	expect_blocked(in_root(&home, "self/x"), home.dir);
	expect_blocked(in_root(&home, "a"), home.dir);
	expect_blocked(in_root(&home, "c/../x"), home.dir);
	expect_free(in_root(&home, "here/here/free/x"), home.dir);
	/* In what is to be protected: then nothing can be said at all. */
	expect_blocked(in_root(&home, "free/plain"), in_root(&home, "self"));
	expect_blocked(in_root(&home, "free/plain"), in_root(&home, "a/x"));
	expect_verdict(in_root(&home, "free/plain"), home.dir,
	    in_root(&home, "a"), true, false);
}

static void
test_dotdot_behind_nothing_in_data_dir_blocks_every_path(void **state)
{
	(void)state;
	expect_blocked(
	    in_root(&home, "free/plain"), in_root(&home, "none/../omega"));
	expect_free(
	    in_root(&home, "free/plain"), in_root(&home, "free/../omega"));
}

/* ---- no permission ------------------------------------------------------ */

static int
ask_without_permission(void *arg)
{
	(void)arg;
	child_expect(
	    verdict_is(in_root(&home, "locked/x"), home.dir, NULL, true, true));
	child_expect(verdict_is(
	    in_root(&home, "locked/x/y"), home.dir, NULL, true, true));
	child_expect(verdict_is(
	    in_root(&home, "to-locked"), home.dir, NULL, true, true));
	child_expect(verdict_is(
	    in_root(&home, "locked/../free"), home.dir, NULL, true, true));
	/* The directory itself can be seen; what is in it cannot. */
	child_expect(
	    verdict_is(in_root(&home, "locked"), home.dir, NULL, false, false));
	child_expect(verdict_is(
	    in_root(&home, "free/plain"), home.dir, NULL, false, false));
	/* In what is to be protected. */
	child_expect(verdict_is(in_root(&home, "free/plain"),
	    in_root(&home, "locked/omega"), NULL, true, true));
	child_expect(verdict_is(in_root(&home, "free/plain"), home.dir,
	    in_root(&home, "locked/app.toml"), true, false));
	return 0;
}

static void
test_place_that_may_not_be_searched_is_blocked(void **state)
{
	(void)state;
	make_file(in_root(&home, "locked/x"), HARMLESS);
	make_link("locked/x", in_root(&home, "to-locked"));
	assert_int_equal(chmod(in_root(&home, "locked"), 0), 0);
	assert_int_equal(in_user_child(ask_without_permission, NULL), 0);
}

static int
ask_about_locked_data(void *arg)
{
	(void)arg;
	child_expect(verdict_is(
	    in_dir(&home, "data/memory.db"), home.dir, NULL, true, true));
	child_expect(verdict_is(
	    in_root(&home, "into/memory.db"), home.dir, NULL, true, true));
	child_expect(verdict_is(
	    in_dir(&home, "workspace/note"), home.dir, NULL, false, false));
	return 0;
}

static void
test_locked_data_directory_is_no_reason_to_block_the_rest(void **state)
{
	(void)state;
	make_link("omega/data", in_root(&home, "into"));
	assert_int_equal(chmod(in_dir(&home, "data"), 0), 0);
	assert_int_equal(in_user_child(ask_about_locked_data, NULL), 0);
}

/* The same file by two names, and a data directory as it may be. */
static int
ask_about_two_names(void *arg)
{
	bool is_blocked = *(const bool *)arg;
	struct omega_sandbox_guard *guard = NULL;

	/* Of the data nobody can be sure. */
	child_expect(
	    verdict_is(in_root(&home, "two"), home.dir, NULL, true, true));
	child_expect(omega_sandbox_guard_new(
			 in_root(&home, "none"), NULL, &guard, NULL) == 0);
	child_expect(omega_sandbox_guard_block(guard, OMEGA_SANDBOX_READ,
			 in_dir(&home, "data"), "file", 7, NULL) == 0);
	child_expect(omega_sandbox_guard_is_blocked(guard, OMEGA_SANDBOX_READ,
			 in_root(&home, "two"), NULL) == is_blocked);
	omega_sandbox_guard_free(guard);
	return 0;
}

static void
test_links_are_not_looked_for_where_nobody_of_us_gets(void **state)
{
	static const struct {
		uid_t owner;
		mode_t mode;
		bool is_blocked;
	} cases[] = {
	    {0, 0700, false}, /* who cannot get in has linked nothing */
	    {0, 0744, false}, {0, 0711, true}, /* what is in it can be named */
	    {61951, 0, true}, /* and closed by who has linked */
	};
	size_t i;

	(void)state;
	if (geteuid() != 0)
		skip_because("only root has directories that are closed to us");
	make_hard_link(in_root(&home, "free/plain"), in_root(&home, "two"));
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool is_blocked = cases[i].is_blocked;

		assert_int_equal(
		    chown(in_dir(&home, "data"), cases[i].owner, 0), 0);
		assert_int_equal(
		    chmod(in_dir(&home, "data"), cases[i].mode), 0);
		assert_int_equal(
		    in_user_child(ask_about_two_names, &is_blocked), 0);
	}
}

/* ---- no descriptor left ------------------------------------------------- */

/* Leave room for so many descriptors and ask about the whole scene. */
static int
ask_with_descriptors(struct scene *scene, int room)
{
	struct rlimit limit;
	int next = dup(STDERR_FILENO);
	size_t i;
	bool right = true;

	close(next);
	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = (rlim_t)(next + room);
	if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
		return 2;
	for (i = 0; i < scene->count; i++) {
		const struct scene_case *one = &scene->cases[i];
		bool read_blocked = omega_sandbox_is_read_blocked(
		    one->path, scene->home.dir, scene->home.config_path);
		bool write_blocked =
		    omega_sandbox_is_write_blocked(one->path, scene->home.dir);

		if ((one->read_blocked && !read_blocked) ||
		    (one->write_blocked && !write_blocked) ||
		    (room == 0 && (!read_blocked || !write_blocked)) ||
		    (room > 20 && (read_blocked != one->read_blocked ||
				      write_blocked != one->write_blocked))) {
			printf("# room for %d: %s\n", room, one->what);
			fflush(stdout);
			right = false;
		}
	}
	return right ? 0 : 1;
}

struct shortage {
	struct scene scene;
	int room;
};

static int
run_short(void *arg)
{
	struct shortage *shortage = arg;

	return ask_with_descriptors(&shortage->scene, shortage->room);
}

static void
test_protected_stays_blocked_when_descriptors_run_out(void **state)
{
	static const int rooms[] = {0, 1, 2, 3, 4, 5, 32};
	struct shortage shortage;
	size_t i;

	(void)state;
	scene_enter(&shortage.scene);
	for (i = 0; i < sizeof(rooms) / sizeof(rooms[0]); i++) {
		shortage.room = rooms[i];
		assert_int_equal(in_child(run_short, &shortage), 0);
	}
	scene_leave(&shortage.scene);
}

#define fresh(test) cmocka_unit_test_setup(test, setup)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    fresh(test_path_that_is_none_is_blocked),
	    fresh(test_data_dir_that_is_none_blocks_every_path),
	    fresh(test_config_path_that_is_relative_blocks_every_read),
	    fresh(test_path_longer_than_can_be_opened_is_blocked),
	    fresh(test_name_longer_than_can_be_opened_is_blocked),
	    fresh(test_name_of_any_length_is_resolved_or_refused),
	    fresh(test_data_dir_or_config_too_long_blocks_every_path),
	    fresh(test_name_that_grows_too_long_when_resolved_is_blocked),
	    fresh(test_link_loops_are_blocked),
	    fresh(test_dotdot_behind_nothing_in_data_dir_blocks_every_path),
	    fresh(test_place_that_may_not_be_searched_is_blocked),
	    fresh(test_locked_data_directory_is_no_reason_to_block_the_rest),
	    fresh(test_links_are_not_looked_for_where_nobody_of_us_gets),
	    fresh(test_protected_stays_blocked_when_descriptors_run_out),
	};

	return run_all(tests);
}
