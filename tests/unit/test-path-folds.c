/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-path-folds.c - volumes that take several spellings for one name: a
 * protected path is protected under all of them.
 *
 * The volume is made by support/volume.c; every test mounts one. What holds
 * on ordinary volumes, where other case is another name, is said here too,
 * and in test-path-bypass.c. Guards are test-path-folds-guard.c's.
 */

#include "scene.h"

#include <sys/mount.h>
#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <omega/sandbox.h>

#include "path/guard.h"
#include "path/judge.h"
#include "volume.h"

static char root[PATH_MAX]; /* where the volume is mounted */
static char dir[PATH_MAX]; /* the data directory on it */

static int
setup(void **state)
{
	(void)state;
	strcpy(root, text("%s/volume", scratch_dir()));
	make_dir(root);
	strcpy(dir, text("%s/home/.omega", root));
	return 0;
}

/* In a child: a volume at root, with a data directory or not. */
#define child_start(is_exact)                               \
	do {                                                \
		int started = volume_start(root, is_exact); \
                                                            \
		if (started != 0)                           \
			return started;                     \
	} while (0)

static bool
is_blocked(const char *base, const char *name)
{
	return verdict_is(text("%s/%s", base, name), dir, NULL, true, true);
}

static bool
is_free(const char *base, const char *name)
{
	return verdict_is(text("%s/%s", base, name), dir, NULL, false, false);
}

static int
the_volume_folds(void *arg)
{
	struct stat a;
	struct stat b;

	(void)arg;
	child_start(false);
	make_file(text("%s/Config.toml", root), "");
	child_expect(stat(text("%s/Config.toml", root), &a) == 0);
	child_expect(stat(text("%s/CONFIG.TOML", root), &b) == 0);
	child_expect(a.st_ino == b.st_ino);
	child_expect(stat(text("%s/config.toml. ", root), &b) == 0);
	child_expect(a.st_ino == b.st_ino);
	child_expect(stat(text("%s/config.toml::$DATA", root), &b) == 0);
	child_expect(a.st_ino == b.st_ino);
	child_expect(stat(text("%s/con\xef\xac\x81g.toml", root), &b) == 0);
	child_expect(a.st_ino == b.st_ino);
	child_expect(stat(text("%s/CONFIG~1.TOM", root), &b) == 0);
	child_expect(a.st_ino == b.st_ino);
	child_expect(stat(text("%s/config", root), &b) != 0);
	return 0;
}

static void
test_volume_of_the_tests_folds_names(void **state)
{
	(void)state;
	volume_run(the_volume_folds, NULL);
}

static int
ask_present(void *arg)
{
	(void)arg;
	child_start(false);
	make_file(text("%s/data/memory.db", dir), SECRET);
	make_file(text("%s/config.toml", dir), SECRET);
	make_dir(text("%s/skills", dir));
	child_expect(is_blocked(dir, "data/x"));
	child_expect(is_blocked(dir, "DATA"));
	child_expect(is_blocked(dir, "DATA/memory.db"));
	child_expect(is_blocked(dir, "Data/new"));
	child_expect(is_blocked(dir, "dATA/new/new"));
	child_expect(is_blocked(dir, "Config.toml"));
	child_expect(is_blocked(dir, "CONFIG.TOML"));
	child_expect(is_blocked(dir, "SKILLS/../DATA/x"));
	child_expect(is_blocked(root, "HOME/.omega/data/x"));
	child_expect(is_blocked(root, "home/.OMEGA/config.toml"));
	child_expect(is_blocked(root, "Home/.Omega/Data/x"));
	child_expect(is_free(dir, "SKILLS/x"));
	child_expect(is_free(dir, "DATA/../skills/x"));
	child_expect(is_free(dir, "DATAX/x"));
	child_expect(is_free(root, "HOME/x"));
	return 0;
}

static void
test_other_case_of_what_exists_is_blocked(void **state)
{
	(void)state;
	volume_run(ask_present, NULL);
}

static int
ask_absent(void *arg)
{
	(void)arg;
	child_start(false);
	make_dir(text("%s/skills", dir));
	child_expect(is_blocked(dir, "DATA"));
	child_expect(is_blocked(dir, "DATA/x"));
	child_expect(is_blocked(dir, "Config.toml"));
	child_expect(is_blocked(dir, "CONFIG.TOML"));
	child_expect(is_blocked(root, "HOME/.OMEGA/CONFIG.TOML"));
	child_expect(is_free(dir, "CONFIG"));
	child_expect(is_free(dir, "SKILLS/DATA"));
	return 0;
}

static void
test_other_case_of_what_is_absent_is_blocked(void **state)
{
	(void)state;
	volume_run(ask_absent, NULL);
}

static int
ask_absent_ancestor(void *arg)
{
	(void)arg;
	child_start(false);
	child_expect(is_blocked(root, "home/.omega/data/x"));
	child_expect(is_blocked(root, "HOME/.omega/data/x"));
	child_expect(is_blocked(root, "HOME/.OMEGA/DATA"));
	child_expect(is_blocked(root, "home/.omega/Config.toml"));
	child_expect(is_free(root, "HOME/.omega/skills"));
	child_expect(is_free(root, "HOME/other"));
	return 0;
}

static void
test_other_case_of_an_absent_ancestor_is_blocked(void **state)
{
	(void)state;
	volume_run(ask_absent_ancestor, NULL);
}

static int
ask_other_spellings(void *arg)
{
	static const char *const spellings[] = {"config.toml.", "config.toml ",
	    "config.toml. .", "config.toml::$DATA", "config.toml:stream",
	    "con\xef\xac\x81g.toml", "CONFIG~1.TOM", "config~1",
	    "DATA./memory.db", "data /new", "data::$INDEX_ALLOCATION/x"};
	size_t i;

	(void)arg;
	child_start(false);
	make_file(text("%s/data/memory.db", dir), SECRET);
	make_file(text("%s/config.toml", dir), SECRET);
	make_dir(text("%s/skills", dir));
	for (i = 0; i < sizeof(spellings) / sizeof(spellings[0]); i++)
		child_expect(is_blocked(dir, spellings[i]));
	child_expect(is_free(dir, "skills./x"));
	child_expect(is_free(dir, "skills/data."));
	child_expect(is_free(dir, "notes~"));
	child_expect(is_free(dir, "b\xc3\xa4r"));
	return 0;
}

static void
test_other_spellings_of_what_exists_are_blocked(void **state)
{
	(void)state;
	volume_run(ask_other_spellings, NULL);
}

static int
ask_other_spellings_absent(void *arg)
{
	(void)arg;
	child_start(false);
	make_dir(dir);
	child_expect(is_blocked(dir, "config.toml."));
	child_expect(is_blocked(dir, "con\xef\xac\x81g.toml"));
	child_expect(is_blocked(dir, "CONFIG~1.TOM"));
	child_expect(is_blocked(dir, "data /x"));
	child_expect(is_free(dir, "plain"));
	return 0;
}

static void
test_other_spellings_of_what_is_absent_are_blocked(void **state)
{
	(void)state;
	volume_run(ask_other_spellings_absent, NULL);
}

static int
ask_other_way_round(void *arg)
{
	static const char *const dirs[] = {
	    "HOME/.OMEGA", "home./.omega", "Home/.Omega/"};
	size_t i;

	(void)arg;
	child_start(false);
	make_file(text("%s/Data/memory.db", dir), SECRET);
	make_file(text("%s/CONFIG.toml", dir), SECRET);
	/* What is protected is spelled otherwise than it is on the volume. */
	child_expect(is_blocked(dir, "Data/memory.db"));
	child_expect(is_blocked(dir, "CONFIG.toml"));
	for (i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		const char *told = text("%s/%s", root, dirs[i]);

		child_expect(
		    verdict_is(text("%s/data/x", dir), told, NULL, true, true));
		child_expect(verdict_is(
		    text("%s/config.toml", dir), told, NULL, true, true));
		child_expect(verdict_is(
		    text("%s/skills/x", dir), told, NULL, false, false));
	}
	return 0;
}

static void
test_data_dir_spelled_otherwise_is_protected(void **state)
{
	(void)state;
	volume_run(ask_other_way_round, NULL);
}

static int
ask_config_path(void *arg)
{
	const char *config = text("%s/app/App.toml", root);

	(void)arg;
	child_start(false);
	make_file(config, SECRET);
	make_dir(dir);
	child_expect(verdict_is(
	    text("%s/APP/app.TOML", root), dir, config, true, false));
	child_expect(verdict_is(
	    text("%s/app/app.toml", root), dir, config, true, false));
	child_expect(verdict_is(
	    text("%s/app/other.toml", root), dir, config, false, false));
	return 0;
}

static void
test_other_case_of_config_path_is_blocked(void **state)
{
	(void)state;
	volume_run(ask_config_path, NULL);
}

static int
ask_by_link(void *arg)
{
	const char *outside = arg;

	child_start(false);
	make_file(text("%s/data/memory.db", dir), SECRET);
	make_dir(text("%s/skills", dir));
	child_expect(is_blocked(outside, "to-data/x"));
	child_expect(is_blocked(outside, "to-data/memory.db"));
	child_expect(is_blocked(outside, "to-config"));
	child_expect(is_free(outside, "to-skills/x"));
	return 0;
}

static void
test_link_to_another_case_is_blocked(void **state)
{
	char outside[PATH_MAX];

	(void)state;
	strcpy(outside, scratch_dir());
	make_link(text("%s/DATA", dir), text("%s/to-data", outside));
	make_link(text("%s/Config.toml", dir), text("%s/to-config", outside));
	make_link(text("%s/SKILLS", dir), text("%s/to-skills", outside));
	volume_run(ask_by_link, outside);
}

static int
ask_by_mount(void *arg)
{
	const char *outside = arg;

	child_start(false);
	make_file(text("%s/data/memory.db", dir), SECRET);
	make_dir(text("%s/skills", dir));
	child_expect(mount(dir, outside, "none", MS_BIND, NULL) == 0);
	child_expect(is_blocked(outside, "data/x"));
	child_expect(is_blocked(outside, "DATA/memory.db"));
	child_expect(is_blocked(outside, "DATA/new"));
	child_expect(is_blocked(outside, "Config.toml"));
	child_expect(is_free(outside, "SKILLS/x"));
	return 0;
}

static int
ask_by_renamed_mount(void *arg)
{
	const char *outside = arg;
	struct stat st;

	child_start(false);
	make_file(text("%s/data/memory.db", dir), SECRET);
	make_dir(text("%s/skills", dir));
	child_expect(
	    mount(text("%s/data", dir), outside, "none", MS_BIND, NULL) == 0);
	/* The mount table says how the name was spelled last. */
	child_expect(stat(text("%s/DATA", dir), &st) == 0);
	child_expect(is_blocked(outside, "memory.db"));
	child_expect(stat(text("%s/data. .", dir), &st) == 0);
	child_expect(is_blocked(outside, "memory.db"));
	child_expect(is_blocked(outside, "new"));
	return 0;
}

static void
test_bind_mount_of_data_spelled_otherwise_is_blocked(void **state)
{
	char outside[PATH_MAX];

	(void)state;
	strcpy(outside, scratch_dir());
	volume_run(ask_by_renamed_mount, outside);
}

/*
 * A path is judged after it was looked up, and another look at the same
 * directory may change its spelling in the mount table in between.
 */
static int
ask_while_renamed(void *arg)
{
	const char *outside = arg;
	struct omega_sandbox_guard *guard = NULL;
	struct omega_finding finding;
	struct omega_place place;
	struct stat st;

	child_start(false);
	make_file(text("%s/data/memory.db", dir), SECRET);
	make_file(text("%s/skills/x", dir), HARMLESS);
	child_expect(mount(dir, outside, "none", MS_BIND, NULL) == 0);
	child_expect(omega_sandbox_guard_new(outside, NULL, &guard, NULL) == 0);
	child_expect(
	    omega_place_look(text("%s/HOME/.OMEGA/data/x", root), &place) == 0);
	child_expect(stat(dir, &st) == 0);
	child_expect(omega_judge_place(
	    &guard->rules, OMEGA_SANDBOX_READ, &place, false, &finding));
	child_expect(omega_place_look(
			 text("%s/HOME/.OMEGA/skills/x", root), &place) == 0);
	child_expect(stat(dir, &st) == 0);
	child_expect(!omega_judge_place(
	    &guard->rules, OMEGA_SANDBOX_READ, &place, false, &finding));
	omega_sandbox_guard_free(guard);
	return 0;
}

static void
test_mount_table_may_spell_a_name_otherwise(void **state)
{
	char outside[PATH_MAX];

	(void)state;
	strcpy(outside, scratch_dir());
	volume_run(ask_while_renamed, outside);
}

static void
test_other_case_on_a_bind_mount_is_blocked(void **state)
{
	char outside[PATH_MAX];

	(void)state;
	strcpy(outside, scratch_dir());
	volume_run(ask_by_mount, outside);
}

static int
ask_exact(void *arg)
{
	(void)arg;
	child_start(true);
	make_file(text("%s/data/memory.db", dir), SECRET);
	make_file(text("%s/config.toml", dir), SECRET);
	make_file(text("%s/DATA/x", dir), HARMLESS);
	make_file(text("%s/Config.toml", dir), HARMLESS);
	child_expect(is_free(dir, "DATA/x"));
	child_expect(is_free(dir, "DATA/new"));
	child_expect(is_free(dir, "Config.toml"));
	child_expect(is_free(dir, "b\xc3\xa4r"));
	child_expect(is_blocked(dir, "data/x"));
	child_expect(is_blocked(dir, "config.toml"));
	/* Missing, but what it would be is there under its own name. */
	child_expect(is_free(dir, "CONFIG.TOML"));
	return 0;
}

static void
test_other_case_is_another_name_where_the_volume_says_so(void **state)
{
	(void)state;
	volume_run(ask_exact, NULL);
}

#define CANNOT_OVERLAY 78

static int
ask_overlay(void *arg)
{
	(void)arg;
	child_expect(mount("none", root, "tmpfs", 0, NULL) == 0);
	make_dir(text("%s/lower", root));
	make_dir(text("%s/upper", root));
	make_dir(text("%s/work", root));
	make_dir(text("%s/merged", root));
	if (mount("none", text("%s/merged", root), "overlay", 0,
		text("lowerdir=%s/lower,upperdir=%s/upper,workdir=%s/work",
		    root, root, root)) != 0)
		return CANNOT_OVERLAY;
	strcpy(dir, text("%s/merged/omega", root));
	make_dir(dir);
	/* Absent, so that only the volume itself can tell. */
	child_expect(is_free(dir, "Config.toml"));
	child_expect(is_free(dir, "DATA/x"));
	child_expect(is_free(dir, "b\xc3\xa4r~"));
	child_expect(is_blocked(dir, "config.toml"));
	child_expect(is_blocked(dir, "data/x"));
	return 0;
}

static void
test_other_case_is_another_name_in_a_container(void **state)
{
	int status = in_mount_child(ask_overlay, NULL);

	(void)state;
	if (status == CANNOT_MOUNT || status == CANNOT_OVERLAY)
		skip_because("overlayfs may not be mounted here");
	assert_int_equal(status, 0);
}

static int
ask_kernel(void *arg)
{
	(void)arg;
	child_start(false);
	child_expect(omega_kernel_folds_names(root));
	child_expect(omega_kernel_folds_names("/omega-none"));
	child_expect(!omega_kernel_folds_names("/proc"));
	return 0;
}

static void
test_volume_that_cannot_be_asked_counts_as_folding(void **state)
{
	(void)state;
	volume_run(ask_kernel, NULL);
}

#define fresh(test) cmocka_unit_test_setup(test, setup)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    fresh(test_volume_of_the_tests_folds_names),
	    fresh(test_other_case_of_what_exists_is_blocked),
	    fresh(test_other_case_of_what_is_absent_is_blocked),
	    fresh(test_other_case_of_an_absent_ancestor_is_blocked),
	    fresh(test_other_spellings_of_what_exists_are_blocked),
	    fresh(test_other_spellings_of_what_is_absent_are_blocked),
	    fresh(test_data_dir_spelled_otherwise_is_protected),
	    fresh(test_other_case_of_config_path_is_blocked),
	    fresh(test_link_to_another_case_is_blocked),
	    fresh(test_other_case_on_a_bind_mount_is_blocked),
	    fresh(test_bind_mount_of_data_spelled_otherwise_is_blocked),
	    fresh(test_mount_table_may_spell_a_name_otherwise),
	    fresh(test_other_case_is_another_name_where_the_volume_says_so),
	    fresh(test_other_case_is_another_name_in_a_container),
	    fresh(test_volume_that_cannot_be_asked_counts_as_folding),
	};

	return run_all(tests);
}
