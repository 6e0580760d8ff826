/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-path-bypass.c - ways to name a protected path without saying so:
 * symbolic links, missing parts, "..", slashes, odd names. /proc and /dev,
 * hard links, mounts and folded names have their own programs.
 */

#include "scene.h"

#include <string.h>

static struct home home;

static int
setup(void **state)
{
	(void)state;
	home_make(&home);
	return 0;
}

static void
test_every_case_of_the_scene_holds(void **state)
{
	struct scene scene;
	size_t i;
	size_t wrong = 0;

	(void)state;
	scene_enter(&scene);
	for (i = 0; i < scene.count; i++)
		if (!scene_case_holds(&scene, &scene.cases[i]))
			wrong++;
	scene_leave(&scene);
	assert_int_equal(wrong, 0);
}

/* ---- the lists ---------------------------------------------------------- */

static void
test_system_directories_can_be_read_and_not_written(void **state)
{
	static const char *const dirs[] = {"/System", "/bin", "/sbin",
	    "/usr/bin", "/usr/sbin", "/usr/lib", "/usr/libexec", "/private/etc",
	    "/Library", "/etc", "/boot", "/proc", "/sys", "/dev", "/lib",
	    "/lib32", "/lib64", "/libx32", "/usr/lib32", "/usr/lib64",
	    "/usr/libx32"};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		expect_readable(dirs[i], home.dir);
		expect_readable(text("%s/", dirs[i]), home.dir);
		expect_readable(text("%s/omega-none", dirs[i]), home.dir);
		expect_readable(text("%s/a/b/c", dirs[i]), home.dir);
		expect_free(text("%s-omega/x", dirs[i]), home.dir);
		expect_free(text("%sx", dirs[i]), home.dir);
	}
}

static void
test_neighbours_of_the_lists_are_free(void **state)
{
	static const char *const paths[] = {"/", "/usr", "/usr/local/bin/x",
	    "/usr/share/x", "/opt/x", "/var/lib/x", "/srv/x", "/mnt/x",
	    "/private/tmp/x", "/librarian/x", "/etcetera", "/usr/binary/x",
	    "/tmp/etc/x", "/tmp/bin", "/devices/x", "/prod/x"};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		expect_free(paths[i], home.dir);
}

static void
test_data_and_config_are_taken_by_components(void **state)
{
	(void)state;
	expect_blocked(in_dir(&home, "data"), home.dir);
	expect_blocked(in_dir(&home, "data/x/y/z"), home.dir);
	expect_blocked(in_dir(&home, "config.toml"), home.dir);
	expect_blocked(in_dir(&home, "config.toml/x"), home.dir);
	expect_free(in_dir(&home, "data2/x"), home.dir);
	expect_free(in_dir(&home, "dat"), home.dir);
	expect_free(in_dir(&home, "config.toml2"), home.dir);
	expect_free(in_dir(&home, "config.tom"), home.dir);
	expect_free(in_dir(&home, "skills/data/x"), home.dir);
	expect_free(in_dir(&home, "skills/config.toml"), home.dir);
	expect_free(home.dir, home.dir);
}

static void
test_config_path_is_blocked_for_reading(void **state)
{
	const char *config = home.config_path;

	(void)state;
	expect_verdict(config, home.dir, config, true, false);
	expect_verdict(text("%s/", config), home.dir, config, true, false);
	expect_verdict(text("%s.bak", config), home.dir, config, false, false);
	make_link(config, in_root(&home, "app-link"));
	expect_verdict(
	    in_root(&home, "app-link"), home.dir, config, true, false);
	/* The other way round: the link is what the host was told. */
	config = in_root(&home, "app-link");
	expect_verdict(config, home.dir, config, true, false);
	expect_verdict(home.config_path, home.dir, config, true, false);
	/* None given: none protected. */
	expect_verdict(home.config_path, home.dir, NULL, false, false);
	expect_verdict(home.config_path, home.dir, "", false, false);
}

static void
test_config_path_that_does_not_exist_is_blocked(void **state)
{
	(void)state;
	expect_verdict(in_root(&home, "app/none.toml"), home.dir,
	    in_root(&home, "app/none.toml"), true, false);
	make_link("app/none.toml", in_root(&home, "none-link"));
	expect_verdict(in_root(&home, "none-link"), home.dir,
	    in_root(&home, "app/none.toml"), true, false);
	expect_verdict(in_root(&home, "app/none.toml"), home.dir,
	    in_root(&home, "none-link"), true, false);
	expect_verdict(in_root(&home, "app/other.toml"), home.dir,
	    in_root(&home, "none-link"), false, false);
}

/* ---- spelling ----------------------------------------------------------- */

/* A spelling of the data directory's inside: what is put around its name. */
struct around {
	const char *before;
	const char *after;
};

static void
test_slashes_and_dots_change_nothing(void **state)
{
	static const struct around spellings[] = {{"", "/data/"},
	    {"", "/data///"}, {"", "//data"}, {"", "///data//x"},
	    {"", "/./data"}, {"", "/data/."}, {"", "/data/./x"},
	    {"", "/././data/./."}, {"", "/data/./"}, {"//", "/data"},
	    {"/./", "/data/x"}, {"", "/data/deep/"}, {"", "/config.toml"},
	    {"", "//config.toml"}, {"", "/./config.toml"},
	    {"", "/config.toml/"}, {"", "/config.toml/."}};
	static const struct around harmless[] = {{"", "/skills/"},
	    {"", "//skills//x"}, {"", "/./skills/./."}, {"//", "/skills"},
	    {"", "/workspace/note/"}};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(spellings) / sizeof(spellings[0]); i++)
		expect_blocked(text("%s%s%s", spellings[i].before, home.dir,
				   spellings[i].after),
		    home.dir);
	for (i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++)
		expect_free(text("%s%s%s", harmless[i].before, home.dir,
				harmless[i].after),
		    home.dir);
}

static void
test_dotdot_is_followed_where_it_leads(void **state)
{
	(void)state;
	expect_blocked(in_dir(&home, "skills/../data/x"), home.dir);
	expect_blocked(in_dir(&home, "skills/../config.toml"), home.dir);
	expect_blocked(in_dir(&home, "data/deep/../memory.db"), home.dir);
	expect_blocked(in_dir(&home, "data/../data"), home.dir);
	expect_blocked(in_dir(&home, "data/deep/.."), home.dir);
	expect_readable("/tmp/../etc/passwd", home.dir);
	expect_readable("/../../etc/passwd", home.dir);
	expect_readable(in_root(&home, "../../../../../../etc/x"), home.dir);
}

static void
test_path_that_leaves_a_protected_place_is_judged_by_its_end(void **state)
{
	(void)state;
	expect_free(in_dir(&home, "data/.."), home.dir);
	expect_free(in_dir(&home, "data/../skills/x"), home.dir);
	expect_free(in_dir(&home, "data/deep/../../workspace/x"), home.dir);
	expect_free(text("/etc/..%s/free/x", home.root), home.dir);
	expect_free(text("/usr/bin/../..%s/free/x", home.root), home.dir);
	expect_free("/usr/lib/../local/x", home.dir);
}

static void
test_link_out_of_data_is_judged_by_name_and_by_target(void **state)
{
	(void)state;
	make_link(in_root(&home, "free/sub"), in_dir(&home, "data/out"));
	/* As spelled it is in data, whatever it leads to. */
	expect_blocked(in_dir(&home, "data/out/x"), home.dir);
	expect_blocked(in_dir(&home, "data/out/../x"), home.dir);
	expect_free(in_root(&home, "free/sub/x"), home.dir);
	/* As spelled it leaves; as resolved it is elsewhere too. */
	expect_free(in_dir(&home, "data/out/../../x"), home.dir);
	/* As spelled it leaves, as resolved it is in data. */
	make_link("../data/deep", in_dir(&home, "skills/in"));
	expect_blocked(in_dir(&home, "skills/in/../x"), home.dir);
	expect_free(in_dir(&home, "skills/in/../../x"), home.dir);
}

static void
test_dotdot_behind_nothing_is_blocked(void **state)
{
	(void)state;
	expect_blocked(in_root(&home, "none/../free/plain"), home.dir);
	expect_blocked(in_root(&home, "none/../omega/data/x"), home.dir);
	expect_blocked(in_root(&home, "free/none/.."), home.dir);
	expect_blocked(in_root(&home, "free/none/../../x"), home.dir);
	expect_blocked(in_root(&home, "free/a/b/../c"), home.dir);
	expect_blocked(in_dir(&home, "data/none/../../skills/x"), home.dir);
	expect_blocked("/omega-none/../etc/passwd", home.dir);
	make_link("none", in_root(&home, "dangles"));
	expect_blocked(in_root(&home, "dangles/../free/plain"), home.dir);
	make_link("free/sub", in_root(&home, "holds"));
	expect_blocked(in_root(&home, "holds/none/../plain"), home.dir);
	expect_free(in_root(&home, "holds/../plain"), home.dir);
	expect_free(in_root(&home, "free/none/./x"), home.dir);
}

static void
test_dotdot_behind_a_file_is_blocked(void **state)
{
	(void)state;
	expect_blocked(in_root(&home, "free/plain/.."), home.dir);
	expect_blocked(in_root(&home, "free/plain/../sub/x"), home.dir);
	expect_free(in_root(&home, "free/plain/x"), home.dir);
}

static void
test_odd_bytes_in_names_are_only_bytes(void **state)
{
	static const char *const names[] = {"new\nline", "tab\there", "\x01",
	    "b\xe4\xdf", "\xff\xfe", "\xc3\xa4", " ", "a b", "\"'\\$(x)`", "~",
	    "...", "..x", "*?[]", "-rf", "C:"};
	char name[NAME_MAX + 1];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *dir = in_root(&home, text("o/%s", names[i]));

		expect_free(dir, home.dir);
		expect_blocked(
		    in_dir(&home, text("data/%s", names[i])), home.dir);
		make_dir(dir);
		expect_free(dir, home.dir);
		expect_free(text("%s/data", dir), home.dir);
		/* The same name for the data directory itself. */
		expect_blocked(text("%s/data/x", dir), dir);
		expect_blocked(text("%s/config.toml", dir), dir);
		expect_free(text("%s/skills/x", dir), dir);
		make_link(text("%s/data", dir),
		    in_root(&home, text("o/link-%zu", i)));
		expect_blocked(in_root(&home, text("o/link-%zu/x", i)), dir);
	}
	memset(name, 'n', NAME_MAX);
	name[NAME_MAX] = '\0';
	expect_free(in_root(&home, name), home.dir);
	expect_blocked(in_dir(&home, text("data/%s", name)), home.dir);
	make_link("omega/data", in_root(&home, name));
	expect_blocked(in_root(&home, text("%s/x", name)), home.dir);
}

static void
test_other_case_is_another_name_on_an_ordinary_volume(void **state)
{
	(void)state;
	expect_free(in_dir(&home, "Data/x"), home.dir);
	expect_free(in_dir(&home, "CONFIG.TOML"), home.dir);
	expect_free(in_root(&home, "OMEGA/data/x"), home.dir);
	expect_free("/ETC/x", home.dir);
	make_file(in_dir(&home, "DATA/x"), HARMLESS);
	expect_free(in_dir(&home, "DATA/x"), home.dir);
	expect_free(in_dir(&home, "DATA/new"), home.dir);
	make_file(in_dir(&home, "Config.toml"), HARMLESS);
	expect_free(in_dir(&home, "Config.toml"), home.dir);
}

/* ---- symbolic links ----------------------------------------------------- */

static void
test_new_file_below_a_linked_directory_is_seen(void **state)
{
	(void)state;
	make_link(in_dir(&home, "data"), in_root(&home, "d"));
	make_link("/etc", in_root(&home, "e"));
	make_link(in_root(&home, "free"), in_root(&home, "f"));
	expect_blocked(in_root(&home, "d/new"), home.dir);
	expect_blocked(in_root(&home, "d/new/new"), home.dir);
	expect_readable(in_root(&home, "e/omega-none"), home.dir);
	expect_free(in_root(&home, "f/new"), home.dir);
}

static void
test_dangling_links_are_followed_to_their_end(void **state)
{
	(void)state;
	make_link(in_dir(&home, "data/none"), in_root(&home, "leaf"));
	make_link("omega/data/none", in_root(&home, "short"));
	make_link("leaf", in_root(&home, "second"));
	make_link("second", in_root(&home, "third"));
	make_link(in_dir(&home, "data/a/b/c"), in_root(&home, "far"));
	make_link("/etc/omega-none", in_root(&home, "etc"));
	make_link("free/none", in_root(&home, "free-leaf"));
	make_link("free-leaf", in_root(&home, "free-second"));
	expect_blocked(in_root(&home, "leaf"), home.dir);
	expect_blocked(in_root(&home, "leaf/"), home.dir);
	expect_blocked(in_root(&home, "leaf/x/y"), home.dir);
	expect_blocked(in_root(&home, "short"), home.dir);
	expect_blocked(in_root(&home, "short/x"), home.dir);
	expect_blocked(in_root(&home, "second"), home.dir);
	expect_blocked(in_root(&home, "third/x"), home.dir);
	expect_blocked(in_root(&home, "far/d"), home.dir);
	expect_readable(in_root(&home, "etc"), home.dir);
	expect_readable(in_root(&home, "etc/x"), home.dir);
	expect_free(in_root(&home, "free-leaf"), home.dir);
	expect_free(in_root(&home, "free-second/x/y"), home.dir);
}

static void
test_dangling_link_inside_a_target_is_followed(void **state)
{
	(void)state;
	/* d leads below e, which leads nowhere yet, but into data. */
	make_link(in_dir(&home, "data/none"), in_root(&home, "e"));
	make_link("e/deeper", in_root(&home, "d"));
	make_link("free/none", in_root(&home, "g"));
	make_link("g/deeper", in_root(&home, "h"));
	expect_blocked(in_root(&home, "d"), home.dir);
	expect_blocked(in_root(&home, "d/x"), home.dir);
	expect_free(in_root(&home, "h/x"), home.dir);
	/* A dangling link that says "..", behind something and nothing. */
	make_link("free/sub/../../omega/data/no", in_root(&home, "up"));
	expect_blocked(in_root(&home, "up"), home.dir);
	make_link("free/sub/../no", in_root(&home, "up-free"));
	expect_free(in_root(&home, "up-free"), home.dir);
	make_link("none/../free/no", in_root(&home, "up-none"));
	expect_blocked(in_root(&home, "up-none"), home.dir);
}

static void
test_long_chains_of_links_are_followed_or_blocked(void **state)
{
	int i;

	(void)state;
	make_link("free", in_root(&home, "c0"));
	make_link("free/none", in_root(&home, "n0"));
	make_link("omega/data/none", in_root(&home, "p0"));
	for (i = 1; i <= 60; i++) {
		make_link(text("c%d", i - 1), in_root(&home, text("c%d", i)));
		make_link(text("n%d", i - 1), in_root(&home, text("n%d", i)));
		make_link(text("p%d", i - 1), in_root(&home, text("p%d", i)));
		expect_blocked(in_root(&home, text("p%d", i)), home.dir);
	}
	expect_free(in_root(&home, "c30/x"), home.dir);
	expect_free(in_root(&home, "n30"), home.dir);
	/* More than the kernel itself would follow. */
	expect_blocked(in_root(&home, "c60/x"), home.dir);
	expect_blocked(in_root(&home, "n60"), home.dir);
}

static void
test_linked_data_dir_is_protected_at_both_ends(void **state)
{
	const char *dir;

	(void)state;
	make_link("omega", in_root(&home, "linked"));
	dir = in_root(&home, "linked");
	expect_blocked(in_dir(&home, "data/x"), dir);
	expect_blocked(in_dir(&home, "config.toml"), dir);
	expect_blocked(text("%s/data/x", dir), dir);
	expect_blocked(text("%s/config.toml", dir), dir);
	expect_blocked(text("%s/./data//", dir), dir);
	expect_free(in_dir(&home, "skills/x"), dir);
	expect_free(text("%s/skills/x", dir), dir);
	/* A third name, of which the library was told nothing. */
	make_link("linked", in_root(&home, "third"));
	expect_blocked(in_root(&home, "third/data/x"), dir);
	expect_free(in_root(&home, "third/skills/x"), dir);
}

static void
test_linked_data_dir_with_a_missing_tail_is_protected(void **state)
{
	const char *dir;

	(void)state;
	make_link("free/sub", in_root(&home, "l"));
	dir = in_root(&home, "l/none/omega");
	expect_blocked(in_root(&home, "free/sub/none/omega/data/x"), dir);
	expect_blocked(in_root(&home, "free/sub/none/omega/config.toml"), dir);
	expect_blocked(in_root(&home, "l/none/omega/data"), dir);
	expect_free(in_root(&home, "free/sub/none/omega/skills"), dir);
	expect_free(in_root(&home, "free/sub/none/data"), dir);
	/* The whole of it a dangling link. */
	make_link("free/sub/later", in_root(&home, "dangling"));
	dir = in_root(&home, "dangling");
	expect_blocked(in_root(&home, "free/sub/later/data/x"), dir);
	expect_blocked(in_root(&home, "dangling/config.toml"), dir);
	expect_free(in_root(&home, "free/sub/later/x"), dir);
}

static void
test_missing_data_dir_is_protected(void **state)
{
	const char *dir = in_root(&home, "not/yet");

	(void)state;
	expect_blocked(text("%s/data", dir), dir);
	expect_blocked(text("%s/data/x", dir), dir);
	expect_blocked(text("%s/config.toml", dir), dir);
	expect_free(text("%s/skills", dir), dir);
	expect_free(dir, dir);
	make_link("not", in_root(&home, "l"));
	expect_blocked(in_root(&home, "l/yet/data/x"), dir);
	expect_free(in_root(&home, "l/yet/skills"), dir);
}

static void
test_data_and_config_may_be_links_themselves(void **state)
{
	const char *dir = in_root(&home, "second");

	(void)state;
	make_dir(dir);
	make_link(in_root(&home, "free/sub"), in_root(&home, "second/data"));
	make_link("../app/app.toml", in_root(&home, "second/config.toml"));
	expect_blocked(in_root(&home, "second/data/x"), dir);
	expect_blocked(in_root(&home, "free/sub"), dir);
	expect_blocked(in_root(&home, "free/sub/x"), dir);
	expect_blocked(in_root(&home, "second/config.toml"), dir);
	expect_blocked(home.config_path, dir);
	expect_free(in_root(&home, "free/plain"), dir);
	expect_free(in_root(&home, "app/other"), dir);
	/* A chain, by way of another link to the target. */
	make_link("free/sub", in_root(&home, "way"));
	expect_blocked(in_root(&home, "way/x"), dir);
}

static void
test_dangling_data_and_config_are_protected_at_both_ends(void **state)
{
	const char *dir = in_root(&home, "second");

	(void)state;
	make_dir(dir);
	make_link(in_root(&home, "free/later"), in_root(&home, "second/data"));
	make_link("../app/later.toml", in_root(&home, "second/config.toml"));
	expect_blocked(in_root(&home, "second/data/x"), dir);
	expect_blocked(in_root(&home, "free/later/x"), dir);
	expect_blocked(in_root(&home, "second/config.toml"), dir);
	expect_blocked(in_root(&home, "app/later.toml"), dir);
	expect_free(in_root(&home, "free/sooner"), dir);
	expect_free(in_root(&home, "app/later"), dir);
}

/* ---- data_dir as written ------------------------------------------------ */

static void
test_data_dir_may_be_the_root(void **state)
{
	(void)state;
	expect_blocked("/data", "/");
	expect_blocked("/data/x", "/");
	expect_blocked("/config.toml", "/");
	expect_blocked("//config.toml", "///");
	expect_blocked("/data/x", "/./");
	expect_blocked("/data/x", "/..");
	expect_free("/database", "/");
	expect_free("/", "/");
	expect_free(in_root(&home, "free/data"), "/");
}

static void
test_data_dir_spelling_does_not_matter(void **state)
{
	static const struct around spellings[] = {{"", "/"}, {"", "///"},
	    {"//", ""}, {"", "/."}, {"", "/./"}, {"", "/skills/.."},
	    {"", "/data/../"}};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(spellings) / sizeof(spellings[0]); i++) {
		const char *dir = text("%s%s%s", spellings[i].before, home.dir,
		    spellings[i].after);

		expect_blocked(in_dir(&home, "data/x"), dir);
		expect_blocked(in_dir(&home, "config.toml"), dir);
		expect_blocked(text("%s/data", dir), dir);
		expect_free(in_dir(&home, "skills/x"), dir);
	}
}

static void
test_data_dir_may_contain_blanks_and_newlines(void **state)
{
	static const char *const names[] = {
	    "my agent", " ", "two\nlines", "end ", "tab\t", "back\\040slash"};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *dir = in_root(&home, names[i]);

		expect_blocked(text("%s/data/x", dir), dir);
		expect_free(text("%s/other/x", dir), dir);
		make_file(text("%s/data/x", dir), SECRET);
		expect_blocked(text("%s/data/x", dir), dir);
		expect_blocked(text("%s/config.toml", dir), dir);
		expect_free(text("%s/other/x", dir), dir);
	}
}

#define fresh(test) cmocka_unit_test_setup(test, setup)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    fresh(test_every_case_of_the_scene_holds),
	    fresh(test_system_directories_can_be_read_and_not_written),
	    fresh(test_neighbours_of_the_lists_are_free),
	    fresh(test_data_and_config_are_taken_by_components),
	    fresh(test_config_path_is_blocked_for_reading),
	    fresh(test_config_path_that_does_not_exist_is_blocked),
	    fresh(test_slashes_and_dots_change_nothing),
	    fresh(test_dotdot_is_followed_where_it_leads),
	    fresh(test_path_that_leaves_a_protected_place_is_judged_by_its_end),
	    fresh(test_link_out_of_data_is_judged_by_name_and_by_target),
	    fresh(test_dotdot_behind_nothing_is_blocked),
	    fresh(test_dotdot_behind_a_file_is_blocked),
	    fresh(test_odd_bytes_in_names_are_only_bytes),
	    fresh(test_other_case_is_another_name_on_an_ordinary_volume),
	    fresh(test_new_file_below_a_linked_directory_is_seen),
	    fresh(test_dangling_links_are_followed_to_their_end),
	    fresh(test_dangling_link_inside_a_target_is_followed),
	    fresh(test_long_chains_of_links_are_followed_or_blocked),
	    fresh(test_linked_data_dir_is_protected_at_both_ends),
	    fresh(test_linked_data_dir_with_a_missing_tail_is_protected),
	    fresh(test_missing_data_dir_is_protected),
	    fresh(test_data_and_config_may_be_links_themselves),
	    fresh(test_dangling_data_and_config_are_protected_at_both_ends),
	    fresh(test_data_dir_may_be_the_root),
	    fresh(test_data_dir_spelling_does_not_matter),
	    fresh(test_data_dir_may_contain_blanks_and_newlines),
	};

	return run_all(tests);
}
