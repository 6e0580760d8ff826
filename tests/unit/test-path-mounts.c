/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-path-mounts.c - bind mounts: a protected place that is mounted
 * elsewhere is protected there, and a place that is mounted where something
 * is protected is protected at home. And what happens without /proc.
 *
 * Each test works in a mount namespace of its own.
 */

#include "scene.h"

#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <omega/sandbox.h>

#ifndef SYS_openat2
#define SYS_openat2 437
#endif

static struct home home;

static int
setup(void **state)
{
	(void)state;
	home_make(&home);
	make_dir(in_root(&home, "mnt"));
	make_file(in_root(&home, "mnt-file"), "");
	return 0;
}

static bool
bind(const char *from, const char *to)
{
	if (mount(from, to, "none", MS_BIND, NULL) == 0)
		return true;
	printf("# bind %s %s: %s\n", from, to, strerror(errno));
	return false;
}

static bool
mount_new(const char *type, const char *to)
{
	if (mount("none", to, type, 0, NULL) == 0)
		return true;
	printf("# mount %s %s: %s\n", type, to, strerror(errno));
	return false;
}

/* The expectations of scene.h, for children. */
#define child_blocked(path) \
	child_expect(verdict_is(path, home.dir, NULL, true, true))
#define child_free(path) \
	child_expect(verdict_is(path, home.dir, NULL, false, false))

static int
bind_data(void *arg)
{
	(void)arg;
	child_expect(bind(in_dir(&home, "data"), in_root(&home, "mnt")));
	child_blocked(in_root(&home, "mnt"));
	child_blocked(in_root(&home, "mnt/memory.db"));
	child_blocked(in_root(&home, "mnt/deep/er/file"));
	child_blocked(in_root(&home, "mnt/new/new"));
	child_blocked(in_root(&home, "to-mnt/new"));
	child_blocked(in_dir(&home, "data/x"));
	child_free(in_root(&home, "mnt/../free/x"));
	child_free(in_root(&home, "free/plain"));
	return 0;
}

static void
test_bind_mount_of_data_is_blocked(void **state)
{
	(void)state;
	make_link("mnt", in_root(&home, "to-mnt"));
	must_pass_with_mounts(bind_data, NULL);
}

static int
bind_below_data(void *arg)
{
	(void)arg;
	child_expect(bind(in_dir(&home, "data/deep"), in_root(&home, "mnt")));
	child_blocked(in_root(&home, "mnt"));
	child_blocked(in_root(&home, "mnt/er/file"));
	child_blocked(in_root(&home, "mnt/new"));
	child_free(in_root(&home, "free/x"));
	return 0;
}

static void
test_bind_mount_of_a_directory_in_data_is_blocked(void **state)
{
	(void)state;
	must_pass_with_mounts(bind_below_data, NULL);
}

static int
bind_one_file(void *arg)
{
	child_expect(bind(arg, in_root(&home, "mnt-file")));
	child_blocked(in_root(&home, "mnt-file"));
	child_free(in_root(&home, "mnt-file-2"));
	return 0;
}

static void
test_bind_mount_of_one_file_is_blocked(void **state)
{
	char path[PATH_MAX];

	(void)state;
	strcpy(path, in_dir(&home, "data/deep/er/file"));
	must_pass_with_mounts(bind_one_file, path);
	strcpy(path, in_dir(&home, "config.toml"));
	must_pass_with_mounts(bind_one_file, path);
}

static int
bind_config_path(void *arg)
{
	const char *other = in_root(&home, "mnt-file");

	(void)arg;
	child_expect(bind(home.config_path, other));
	child_expect(
	    verdict_is(other, home.dir, home.config_path, true, false));
	child_expect(verdict_is(other, home.dir, NULL, false, false));
	return 0;
}

static void
test_bind_mount_of_config_path_is_blocked_for_reading(void **state)
{
	(void)state;
	must_pass_with_mounts(bind_config_path, NULL);
}

static int
bind_ancestor(void *arg)
{
	(void)arg;
	child_expect(bind(home.root, in_root(&home, "mnt")));
	child_blocked(in_root(&home, "mnt/omega/data"));
	child_blocked(in_root(&home, "mnt/omega/data/new"));
	child_blocked(in_root(&home, "mnt/omega/config.toml"));
	child_free(in_root(&home, "mnt/omega"));
	child_free(in_root(&home, "mnt/omega/skills/x"));
	child_free(in_root(&home, "mnt/free/plain"));
	/* Absent, and so without identity. */
	child_expect(unlink(in_dir(&home, "config.toml")) == 0);
	child_blocked(in_root(&home, "mnt/omega/config.toml"));
	child_free(in_root(&home, "mnt/omega/config.tom"));
	return 0;
}

static void
test_bind_mount_of_an_ancestor_is_seen_through(void **state)
{
	(void)state;
	must_pass_with_mounts(bind_ancestor, NULL);
}

static int
bind_of_bind(void *arg)
{
	(void)arg;
	make_dir(in_root(&home, "mnt-2"));
	child_expect(bind(home.dir, in_root(&home, "mnt")));
	child_expect(bind(in_root(&home, "mnt/data"), in_root(&home, "mnt-2")));
	child_blocked(in_root(&home, "mnt-2/memory.db"));
	child_blocked(in_root(&home, "mnt-2/deep/new"));
	/* The first is gone, the second stays. */
	child_expect(umount(in_root(&home, "mnt")) == 0);
	child_blocked(in_root(&home, "mnt-2/memory.db"));
	child_free(in_root(&home, "mnt/data/x"));
	return 0;
}

static void
test_bind_mount_of_a_bind_mount_is_blocked(void **state)
{
	(void)state;
	must_pass_with_mounts(bind_of_bind, NULL);
}

static int
bind_onto_data(void *arg)
{
	(void)arg;
	child_expect(bind(in_root(&home, "free"), in_dir(&home, "data")));
	child_blocked(in_root(&home, "free"));
	child_blocked(in_root(&home, "free/plain"));
	child_blocked(in_root(&home, "free/new"));
	child_blocked(in_dir(&home, "data/plain"));
	child_free(in_root(&home, "app/x"));
	child_free(in_dir(&home, "skills/x"));
	return 0;
}

static void
test_place_that_is_mounted_as_data_is_blocked_at_home(void **state)
{
	(void)state;
	must_pass_with_mounts(bind_onto_data, NULL);
}

static int
bind_onto_config(void *arg)
{
	(void)arg;
	child_expect(
	    bind(in_root(&home, "free/plain"), in_dir(&home, "config.toml")));
	child_blocked(in_root(&home, "free/plain"));
	child_blocked(in_dir(&home, "config.toml"));
	child_free(in_root(&home, "free/other"));
	return 0;
}

static void
test_file_that_is_mounted_as_config_is_blocked_at_home(void **state)
{
	(void)state;
	must_pass_with_mounts(bind_onto_config, NULL);
}

static int
bind_onto_data_dir(void *arg)
{
	(void)arg;
	make_file(in_root(&home, "free/data/x"), SECRET);
	child_expect(bind(in_root(&home, "free"), home.dir));
	child_blocked(in_root(&home, "free/data/x"));
	child_blocked(in_root(&home, "free/data/new"));
	child_blocked(in_root(&home, "free/config.toml"));
	child_free(in_root(&home, "free/plain"));
	return 0;
}

static void
test_place_that_is_mounted_as_data_dir_is_protected_at_home(void **state)
{
	(void)state;
	must_pass_with_mounts(bind_onto_data_dir, NULL);
}

static int
nested_volume(void *arg)
{
	(void)arg;
	child_expect(mount_new("tmpfs", in_dir(&home, "data/deep")));
	child_expect(bind(in_dir(&home, "data/deep"), in_root(&home, "mnt")));
	make_file(in_dir(&home, "data/deep/x"), SECRET);
	child_blocked(in_dir(&home, "data/deep/x"));
	child_blocked(in_root(&home, "mnt/x"));
	child_blocked(in_root(&home, "mnt/new"));
	child_free(in_root(&home, "free/x"));
	return 0;
}

static void
test_volume_below_data_is_blocked_where_else_it_is_shown(void **state)
{
	(void)state;
	must_pass_with_mounts(nested_volume, NULL);
}

/*
 * A guard looks for this once, when it is made. The functions that work from
 * nothing would have to read the mount table every time, and do not: to them
 * the place is protected by its name below data, and not by its other one.
 */
static int
bind_into_data(void *arg)
{
	struct omega_sandbox_guard *guard = NULL;
	unsigned access = OMEGA_SANDBOX_READ | OMEGA_SANDBOX_WRITE;

	(void)arg;
	child_expect(bind(in_root(&home, "free"), in_dir(&home, "data/deep")));
	child_blocked(in_dir(&home, "data/deep/plain"));
	child_expect(
	    omega_sandbox_guard_new(home.dir, NULL, &guard, NULL) == 0);
	child_expect(omega_sandbox_guard_is_blocked(
	    guard, access, in_root(&home, "free/plain"), NULL));
	child_expect(omega_sandbox_guard_is_blocked(
	    guard, access, in_root(&home, "free/new"), NULL));
	child_expect(!omega_sandbox_guard_is_blocked(
	    guard, access, in_root(&home, "app/x"), NULL));
	omega_sandbox_guard_free(guard);
	/* The same for an administrator's rule, added later. */
	child_expect(umount(in_dir(&home, "data/deep")) == 0);
	child_expect(
	    omega_sandbox_guard_new(home.dir, NULL, &guard, NULL) == 0);
	child_expect(!omega_sandbox_guard_is_blocked(
	    guard, access, in_root(&home, "free/plain"), NULL));
	child_expect(bind(in_root(&home, "free"), in_root(&home, "mnt")));
	child_expect(omega_sandbox_guard_block(
			 guard, access, home.dir, NULL, 0, NULL) == 0);
	child_expect(!omega_sandbox_guard_is_blocked(
	    guard, access, in_root(&home, "free/plain"), NULL));
	child_expect(bind(in_root(&home, "free"), in_dir(&home, "skills")));
	child_expect(omega_sandbox_guard_block(
			 guard, access, home.dir, NULL, 0, NULL) == 0);
	child_expect(omega_sandbox_guard_is_blocked(
	    guard, access, in_root(&home, "free/plain"), NULL));
	omega_sandbox_guard_free(guard);
	return 0;
}

static void
test_place_that_is_mounted_below_data_is_blocked_at_home(void **state)
{
	(void)state;
	must_pass_with_mounts(bind_into_data, NULL);
}

static int
data_on_its_own_volume(void *arg)
{
	(void)arg;
	child_expect(mount_new("tmpfs", in_dir(&home, "data")));
	make_file(in_dir(&home, "data/sub/x"), SECRET);
	child_blocked(in_dir(&home, "data/sub/x"));
	child_expect(bind(in_dir(&home, "data/sub"), in_root(&home, "mnt")));
	child_blocked(in_root(&home, "mnt/x"));
	child_free(in_root(&home, "free/x"));
	/* Another volume of the same type is another volume. */
	child_expect(mount_new("tmpfs", in_root(&home, "app")));
	child_expect(mkdir(in_root(&home, "app/sub"), 0755) == 0);
	child_free(in_root(&home, "app/sub/x"));
	return 0;
}

static void
test_data_on_its_own_volume_is_seen_through_its_mounts(void **state)
{
	(void)state;
	must_pass_with_mounts(data_on_its_own_volume, NULL);
}

static int
odd_mount_points(void *arg)
{
	static const char *const names[] = {"a b", "tab\there", "new\nline",
	    "back\\slash", "back\\040slash", "ha#sh"};
	size_t i;

	(void)arg;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *point = in_root(&home, names[i]);

		make_dir(point);
		child_expect(bind(in_dir(&home, "data"), point));
		child_blocked(text("%s/memory.db", point));
		child_expect(umount(point) == 0);
		child_expect(bind(in_root(&home, "free"), point));
		child_free(text("%s/plain", point));
		child_expect(umount(point) == 0);
	}
	return 0;
}

static void
test_mount_points_with_odd_names_are_understood(void **state)
{
	(void)state;
	must_pass_with_mounts(odd_mount_points, NULL);
}

static int
odd_data_dir(void *arg)
{
	static const char *const names[] = {
	    "my agent", "new\nline", "back\\040slash", "tab\t"};
	size_t i;

	(void)arg;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *dir = in_root(&home, names[i]);
		const char *point = in_root(&home, "mnt");

		make_file(text("%s/data/x", dir), SECRET);
		child_expect(bind(dir, point));
		child_expect(verdict_is(
		    text("%s/data/x", point), dir, NULL, true, true));
		child_expect(verdict_is(
		    text("%s/other", point), dir, NULL, false, false));
		child_expect(umount(point) == 0);
	}
	return 0;
}

static void
test_bind_mount_of_an_odd_data_dir_is_seen_through(void **state)
{
	(void)state;
	must_pass_with_mounts(odd_data_dir, NULL);
}

static int
many_mounts(void *arg)
{
	int i;

	(void)arg;
	for (i = 0; i < 200; i++) {
		make_dir(in_root(&home, text("many/%d", i)));
		child_expect(bind(
		    i == 170 ? in_dir(&home, "data") : in_root(&home, "free"),
		    in_root(&home, text("many/%d", i))));
	}
	for (i = 0; i < 200; i++) {
		const char *path = in_root(&home, text("many/%d/x", i));

		if (i == 170)
			child_blocked(path);
		else
			child_free(path);
	}
	return 0;
}

static void
test_one_of_many_mounts_is_found(void **state)
{
	(void)state;
	must_pass_with_mounts(many_mounts, NULL);
}

static int
stacked(void *arg)
{
	(void)arg;
	/* Two on one point: what is seen is the upper one. */
	child_expect(bind(in_dir(&home, "data"), in_root(&home, "mnt")));
	child_expect(bind(in_root(&home, "free"), in_root(&home, "mnt")));
	child_free(in_root(&home, "mnt/plain"));
	child_expect(umount(in_root(&home, "mnt")) == 0);
	child_blocked(in_root(&home, "mnt/memory.db"));
	return 0;
}

static void
test_mount_over_a_mount_is_what_counts(void **state)
{
	(void)state;
	must_pass_with_mounts(stacked, NULL);
}

static int
system_elsewhere(void *arg)
{
	(void)arg;
	child_expect(bind("/usr/bin", in_root(&home, "mnt")));
	child_expect(verdict_is(
	    in_root(&home, "mnt/omega-none"), home.dir, NULL, false, true));
	return 0;
}

static void
test_bind_mount_of_a_system_directory_is_not_written(void **state)
{
	(void)state;
	must_pass_with_mounts(system_elsewhere, NULL);
}

/* ---- without /proc ------------------------------------------------------ */

static int
ask_without_proc(void *arg)
{
	struct scene *scene = arg;
	bool right = true;
	size_t i;

	/* Nothing at all, where /proc was. */
	child_expect(mount_new("tmpfs", "/proc"));
	for (i = 0; i < scene->count; i++) {
		const struct scene_case *one = &scene->cases[i];
		bool read_blocked = omega_sandbox_is_read_blocked(
		    one->path, scene->home.dir, scene->home.config_path);
		bool write_blocked =
		    omega_sandbox_is_write_blocked(one->path, scene->home.dir);

		if (strncmp(one->what, "proc", 4) == 0 ||
		    strncmp(one->what, "dev fd", 6) == 0)
			continue; /* names that lead nowhere now */
		if ((one->read_blocked && !read_blocked) ||
		    (one->write_blocked && !write_blocked)) {
			printf("# allowed without /proc: %s\n", one->what);
			fflush(stdout);
			right = false;
		}
	}
	/* Plain paths need no /proc. */
	child_expect(verdict_is(in_dir(&scene->home, "workspace/note"),
	    scene->home.dir, NULL, false, false));
	return right ? 0 : 1;
}

static void
test_protected_stays_blocked_without_proc(void **state)
{
	struct scene scene;
	int status;

	(void)state;
	scene_enter(&scene);
	status = in_mount_child(ask_without_proc, &scene);
	scene_leave(&scene);
	if (status == CANNOT_MOUNT)
		skip_because("no mount namespace may be made here");
	assert_int_equal(status, 0);
}

static int
bind_without_proc(void *arg)
{
	(void)arg;
	child_expect(bind(in_dir(&home, "data"), in_root(&home, "mnt")));
	child_expect(mount_new("tmpfs", "/proc"));
	child_blocked(in_root(&home, "mnt/memory.db"));
	child_blocked(in_root(&home, "mnt/new"));
	return 0;
}

static void
test_bind_mount_stays_blocked_without_proc(void **state)
{
	(void)state;
	must_pass_with_mounts(bind_without_proc, NULL);
}

#define fresh(test) cmocka_unit_test_setup(test, setup)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    fresh(test_bind_mount_of_data_is_blocked),
	    fresh(test_bind_mount_of_a_directory_in_data_is_blocked),
	    fresh(test_bind_mount_of_one_file_is_blocked),
	    fresh(test_bind_mount_of_config_path_is_blocked_for_reading),
	    fresh(test_bind_mount_of_an_ancestor_is_seen_through),
	    fresh(test_bind_mount_of_a_bind_mount_is_blocked),
	    fresh(test_place_that_is_mounted_as_data_is_blocked_at_home),
	    fresh(test_file_that_is_mounted_as_config_is_blocked_at_home),
	    fresh(test_place_that_is_mounted_as_data_dir_is_protected_at_home),
	    fresh(test_volume_below_data_is_blocked_where_else_it_is_shown),
	    fresh(test_place_that_is_mounted_below_data_is_blocked_at_home),
	    fresh(test_data_on_its_own_volume_is_seen_through_its_mounts),
	    fresh(test_mount_points_with_odd_names_are_understood),
	    fresh(test_bind_mount_of_an_odd_data_dir_is_seen_through),
	    fresh(test_one_of_many_mounts_is_found),
	    fresh(test_mount_over_a_mount_is_what_counts),
	    fresh(test_bind_mount_of_a_system_directory_is_not_written),
	    fresh(test_protected_stays_blocked_without_proc),
	    fresh(test_bind_mount_stays_blocked_without_proc),
	};

	return run_all(tests);
}
