/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-git.c - git metadata among what a policy denies:
 * core/policy/{git,gitdenies}.c.
 */

#include "harness.h"

#include <sys/stat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "combined.h"
#include "home.h"
#include "policy/atom-add.h"
#include "policy/git-denies.h"

static void
make_git_world(struct combined_world *world, const char *metadata)
{
	if (combined_open(
		world, text("policy p { git_metadata = %s }", metadata)) != 0 ||
	    combined_policy(world, "p") != 0)
		fail_msg("%s", world->error.text);
}

static void
test_a_git_directory_above(void **state)
{
	struct combined_world world;

	(void)state;
	make_git_world(&world, "deny");
	make_dir(text("%s/.git", world.dir));
	combined_finish(&world);
	assert_int_equal(world.combined.denies.count, 2);
	assert_true(combined_has(&world, &world.combined.denies, "/.git"));
	/* It is not there, and nobody is to make it. */
	assert_true(combined_has(&world, &world.combined.denies, "/job/.git"));
	assert_false(world.combined.denies.list[0].exists);
	combined_close(&world);
}

/* The same places as with deny, but they can be read. */
static void
test_reading_only(void **state)
{
	struct combined_world world;
	size_t i;

	(void)state;
	make_git_world(&world, "read");
	make_dir(text("%s/.git", world.dir));
	make_dir(text("%s/job/.git", world.dir));
	combined_finish(&world);
	assert_int_equal(world.combined.denies.count, 2);
	assert_true(combined_has(&world, &world.combined.denies, "/.git"));
	assert_true(combined_has(&world, &world.combined.denies, "/job/.git"));
	for (i = 0; i < 2; i++)
		assert_int_equal(world.combined.denies.list[i].access,
		    OMEGA_ATOM_CHANGE_BITS);
	combined_close(&world);
}

/* A command can make the nearest one: that takes nothing away. */
static void
test_every_git_directory_above(void **state)
{
	struct combined_world world;

	(void)state;
	make_git_world(&world, "deny");
	make_dir(text("%s/.git", world.dir));
	make_dir(text("%s/main", world.dir));
	make_dir(text("%s/job/.git", world.dir));
	make_file(text("%s/job/.git/commondir", world.dir), "../../main");
	combined_finish(&world);
	assert_int_equal(world.combined.denies.count, 3);
	assert_true(combined_has(&world, &world.combined.denies, "/.git"));
	assert_true(combined_has(&world, &world.combined.denies, "/job/.git"));
	assert_true(combined_has(&world, &world.combined.denies, "/main"));
	combined_close(&world);
}

static void
test_a_git_worktree(void **state)
{
	struct combined_world world;

	(void)state;
	make_git_world(&world, "deny");
	make_dir(text("%s/main/.git/worktrees/w", world.dir));
	make_file(
	    text("%s/main/.git/worktrees/w/commondir", world.dir), "../..\n");
	make_file(text("%s/job/.git", world.dir),
	    "gitdir: ../main/.git/worktrees/w\n");
	combined_finish(&world);
	assert_int_equal(world.combined.denies.count, 3);
	assert_true(combined_has(&world, &world.combined.denies, "/job/.git"));
	assert_true(combined_has(&world, &world.combined.denies, "/main/.git"));
	assert_true(combined_has(
	    &world, &world.combined.denies, "/main/.git/worktrees/w"));
	/* Who asks why is told which file to look at. */
	assert_string_equal(
	    world.combined.denies.list[0].origin, "git metadata");
	assert_string_equal(world.combined.denies.list[1].origin,
	    text("git metadata, by %s/job/.git", world.dir));
	combined_close(&world);
}

/* Git gets no further with it: the file itself is denied, and that is told. */
static void
finish_with_pointer_alone(struct combined_world *world)
{
	combined_finish(world);
	assert_int_equal(world->combined.denies.count, 1);
	assert_true(combined_has(world, &world->combined.denies, "/job/.git"));
	assert_int_equal(world->combined.note_count, 1);
	combined_close(world);
}

static void
test_a_malformed_git_pointer(void **state)
{
	struct combined_world world;

	(void)state;
	make_git_world(&world, "deny");
	make_file(text("%s/job/.git", world.dir), "elsewhere\nor not\n");
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
	struct combined_world world;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		make_git_world(&world, "deny");
		make_file(text("%s/job/.git", world.dir), rows[i].says);
		combined_finish(&world);
		assert_true(combined_has(
		    &world, &world.combined.denies, rows[i].means));
		assert_int_equal(world.combined.note_count, 0);
		combined_close(&world);
	}
}

/* The file of a command must not bring down the process that reads it. */
static void
test_a_git_pointer_with_an_endless_name(void **state)
{
	struct combined_world world;
	char name[3001];

	(void)state;
	memset(name, 'A', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	make_git_world(&world, "deny");
	assert_int_equal(symlink("/tmp", text("%s/job/lnk", world.dir)), 0);
	make_file(text("%s/job/.git", world.dir),
	    text("gitdir: %s/job/lnk/missing/%s", world.dir, name));
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
	struct combined_world world;
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
		make_git_world(&world, "deny");
		make_file(text("%s/job/.git", world.dir), says[i]);
		finish_with_pointer_alone(&world);
	}
}

static void
test_a_git_link_that_cannot_be_followed(void **state)
{
	static const char *const leads[] = {".git", "/usr", "..", "."};
	struct combined_world world;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(leads) / sizeof(leads[0]); i++) {
		make_git_world(&world, "deny");
		make_link(leads[i], text("%s/job/.git", world.dir));
		combined_finish(&world);
		assert_int_equal(world.combined.denies.count, 1);
		assert_true(
		    combined_has(&world, &world.combined.denies, "/job/.git"));
		combined_close(&world);
	}
}

/* As git does: what a stranger says above us is not believed. */
static void
test_a_strangers_git_is_not_followed(void **state)
{
	struct combined_world world;

	(void)state;
	if (getuid() != 0)
		skip_because("only root can give files away");
	make_git_world(&world, "deny");
	make_dir(text("%s/real/.git", world.dir));
	make_file(text("%s/real/.git/commondir", world.dir), "../../common");
	make_file(text("%s/.git", world.dir),
	    text("gitdir: %s/real/.git\n", world.dir));
	make_file(text("%s/job/.git", world.dir),
	    text("gitdir: %s/real/.git\n", world.dir));
	assert_int_equal(
	    chown(text("%s/.git", world.dir), SPARE_UID, SPARE_UID), 0);
	assert_int_equal(
	    chown(text("%s/job/.git", world.dir), SPARE_UID, SPARE_UID), 0);
	combined_finish(&world);
	assert_int_equal(world.combined.denies.count, 2);
	assert_true(combined_has(&world, &world.combined.denies, "/.git"));
	assert_true(combined_has(&world, &world.combined.denies, "/job/.git"));
	combined_close(&world);
	/* Ours leads to what is a stranger's: that far. */
	make_git_world(&world, "deny");
	make_dir(text("%s/real", world.dir));
	make_file(text("%s/real/commondir", world.dir), "../common");
	make_file(text("%s/job/.git", world.dir),
	    text("gitdir: %s/real\n", world.dir));
	assert_int_equal(
	    chown(text("%s/real", world.dir), SPARE_UID, SPARE_UID), 0);
	finish_with_pointer_alone(&world);
}

/* What git obeys cannot be changed, here and below, absent or not. */
static void
test_git_is_kept(void **state)
{
	static const char *const kept[] = {"/job/.git/config",
	    "/job/.git/config.worktree", "/job/.git/commondir",
	    "/job/.git/hooks", "/job/.git/info", "/job/.git/modules",
	    "/job/.git/worktrees", "/job/.git/objects/info/alternates",
	    "/job/a/b/.git/config", "/job/a/b/.git/commondir",
	    "/job/module/.git", "/job/.git/modules/m/config", NULL};
	struct combined_world world;
	struct stat st;
	size_t i;

	(void)state;
	make_git_world(&world, "keep");
	make_dir(text("%s/job/.git/objects", world.dir));
	make_dir(text("%s/job/a/b/.git/objects", world.dir));
	make_dir(text("%s/job/.git/modules/m/objects", world.dir));
	make_file(text("%s/job/module/.git", world.dir),
	    "gitdir: ../.git/modules/m\n");
	combined_finish(&world);
	for (i = 0; kept[i] != NULL; i++)
		if (!combined_has(&world, &world.combined.denies, kept[i]))
			fail_msg("%s", kept[i]);
	assert_false(combined_has(&world, &world.combined.denies, "/job/.git"));
	for (i = 0; i < world.combined.denies.count; i++)
		assert_int_equal(world.combined.denies.list[i].access,
		    OMEGA_ATOM_CHANGE_BITS);
	/* Nothing is made for who only asks. */
	assert_int_not_equal(
	    lstat(text("%s/job/.git/commondir", world.dir), &st), 0);
	omega_combine_make_git(world.policy);
	for (i = 0; kept[i] != NULL; i++)
		if (lstat(text("%s%s", world.dir, kept[i]), &st) != 0)
			fail_msg("%s", kept[i]);
	/* And what is there now leads nowhere else. */
	omega_combine_drop(&world.combined);
	combined_finish(&world);
	for (i = 0; i < world.combined.denies.count; i++)
		assert_true(world.combined.denies.list[i].exists);
	combined_close(&world);
}

static bool
has_note(const struct combined_world *world, const char *words)
{
	size_t i;

	for (i = 0; i < world->combined.note_count; i++)
		if (strstr(world->combined.notes[i], words) != NULL)
			return true;
	return false;
}

/* What a repository below leads to outside of the work directory is left
 * alone; in it, what is absent is made. */
static void
test_git_settings_lead_no_further(void **state)
{
	static const char *const outside[] = {
	    "/a", "/a/b", "/a/b/c/config.worktree", NULL};
	static const char *const made[] = {
	    "/job/no/file", "/job/nested/no/hooks", NULL};
	struct combined_world world;
	struct stat st;
	size_t i;

	(void)state;
	make_git_world(&world, "keep");
	make_dir(text("%s/job/nested/.git/objects", world.dir));
	make_file(text("%s/job/nested/.git/config", world.dir),
	    text("[core]\nhooksPath = no/hooks\nhooksPath = %s/a\n"
		 "[include]\npath = ../../no/file\n",
		world.dir));
	assert_int_equal(symlink("../../../a/b",
			     text("%s/job/nested/.git/hooks", world.dir)),
	    0);
	make_file(
	    text("%s/job/pointer/.git", world.dir), "gitdir: ../../a/b/c\n");
	combined_finish(&world);
	for (i = 0; i < world.combined.denies.count; i++) {
		const struct omega_combined_place *deny =
		    &world.combined.denies.list[i];
		size_t k;

		for (k = 0; outside[k] != NULL; k++)
			if (deny->access != 0 &&
			    strcmp(deny->text,
				text("%s%s", world.dir, outside[k])) == 0)
				fail_msg("%s", deny->text);
	}
	/* But the link stays. */
	assert_true(combined_has(&world, &world.combined.denies, "/a/b"));
	assert_true(has_note(
	    &world, text("nested/.git/config leads to %s/a,", world.dir)));
	omega_combine_make_git(world.policy);
	for (i = 0; made[i] != NULL; i++) {
		if (!combined_has(&world, &world.combined.denies, made[i]) ||
		    lstat(text("%s%s", world.dir, made[i]), &st) != 0)
			fail_msg("%s", made[i]);
		assert_int_equal(!S_ISDIR(st.st_mode), i == 0);
	}
	assert_int_not_equal(
	    lstat(text("%s/a/b/c/config.worktree", world.dir), &st), 0);
	combined_close(&world);
}

/* Settings of the user lead into the work directory, and every work tree has
 * the hooks that are named by a relative path. */
static void
test_git_settings_of_the_user(void **state)
{
	static const char *const held[] = {"/job/own/here", "/job/own/second",
	    "/job/own/hooks", "/job/.own", "/job/nested/.own", NULL};
	struct combined_world world;
	size_t i;

	(void)state;
	make_git_world(&world, "keep");
	home_set(text("%s/a", world.dir));
	make_dir(text("%s/job/.git/objects", world.dir));
	make_dir(text("%s/job/nested/.git/objects", world.dir));
	make_file(text("%s/a/.gitconfig", world.dir),
	    "[core]\nhooksPath = .own\n[include]\npath = ~/b/more\n");
	make_file(text("%s/a/b/more", world.dir),
	    "[include]\npath = ../../job/own/here\n");
	make_file(
	    text("%s/job/own/here", world.dir), "[include]\npath = second\n");
	make_file(text("%s/a/.config/git/config", world.dir),
	    text("[core]\nhooksPath = %s/job/own/hooks\n", world.dir));
	combined_finish(&world);
	for (i = 0; held[i] != NULL; i++)
		if (!combined_has(&world, &world.combined.denies, held[i]))
			fail_msg("%s", held[i]);
	/* Elsewhere is no news. */
	assert_false(combined_has(&world, &world.combined.denies, "/a/b/more"));
	assert_false(has_note(&world, "/a/.gitconfig"));
	/* Who has no home has no settings. */
	omega_combine_drop(&world.combined);
	home_set(NULL);
	combined_finish(&world);
	assert_false(combined_has(&world, &world.combined.denies, "/job/.own"));
	combined_close(&world);
}

/* Nothing is made through a link that comes in between. */
static void
test_git_makes_nothing_through_links(void **state)
{
	struct combined_world world;
	struct stat st;

	(void)state;
	make_git_world(&world, "keep");
	make_dir(text("%s/job/.git/objects", world.dir));
	make_file(text("%s/job/.git/config", world.dir),
	    "[include]\npath = ../no/file\n");
	combined_finish(&world);
	assert_int_equal(symlink("../a", text("%s/job/no", world.dir)), 0);
	omega_git_denies_make(&world.combined);
	assert_int_not_equal(lstat(text("%s/a/file", world.dir), &st), 0);
	combined_close(&world);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_git_directory_above),
    cmocka_unit_test(test_a_git_worktree),
    cmocka_unit_test(test_reading_only),
    cmocka_unit_test(test_every_git_directory_above),
    cmocka_unit_test(test_a_malformed_git_pointer),
    cmocka_unit_test(test_a_git_pointer_is_read_as_git_does),
    cmocka_unit_test(test_a_git_pointer_with_an_endless_name),
    cmocka_unit_test(test_a_git_pointer_that_cannot_be_followed),
    cmocka_unit_test(test_a_git_link_that_cannot_be_followed),
    cmocka_unit_test(test_a_strangers_git_is_not_followed),
    cmocka_unit_test(test_git_is_kept),
    cmocka_unit_test(test_git_settings_lead_no_further),
    cmocka_unit_test(test_git_settings_of_the_user),
    cmocka_unit_test(test_git_makes_nothing_through_links),
};

int
main(void)
{
	return run_all(tests);
}
