/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-namespace-lists.c - a list of what may be changed as the namespace
 * backend holds it, as root and as an ordinary user: every change outside the
 * list fails with its own error, every one inside it works, and each is shown
 * to work without the sandbox.
 */

#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "changes.h"
#include "harness.h"
#include "world.h"

/* Everything below runs in a child: as root, then as a user. */
#define TWICE(name)                                                \
	static void test_##name(void **state)                      \
	{                                                          \
		char base[PATH_MAX];                               \
		(void)state;                                       \
		snprintf(base, sizeof(base), "%s", scratch_dir()); \
		if (geteuid() == 0)                                \
			assert_int_equal(in_child(name, base), 0); \
		snprintf(base, sizeof(base), "%s", scratch_dir()); \
		assert_int_equal(in_user_child(name, base), 0);    \
	}

#define CHANGES                                                 \
	(OMEGA_SANDBOX_ATOM_WRITE | OMEGA_SANDBOX_ATOM_CREATE | \
	    OMEGA_SANDBOX_ATOM_REMOVE | OMEGA_SANDBOX_ATOM_RENAME)

static int
run_change(struct driver *driver, const char *name, const char *tree,
    const char *other)
{
	static char word[] = "change";
	static char program[PATH_MAX];
	char *argv[] = {program, word, (char *)(uintptr_t)name,
	    (char *)(uintptr_t)tree, (char *)(uintptr_t)other, NULL};

	if (realpath("/proc/self/exe", program) == NULL)
		return errno;
	return driver_run(driver, argv);
}

static int
run_shell(struct driver *driver, const char *script, const char *arg)
{
	static char sh[] = "/bin/sh";
	static char c[] = "-c";
	char *argv[] = {
	    sh, c, (char *)(uintptr_t)script, sh, (char *)(uintptr_t)arg, NULL};

	return driver_run(driver, argv);
}

static int
prepare(struct driver *driver)
{
	int ret = driver_prepare(driver);

	if (ret < 0)
		fprintf(stderr, "# prepare: %s: %s\n", strerror(-ret),
		    driver->explanation);
	return ret;
}

/* Every change of a tree: each as it must come out. */
static int
change_all(
    struct driver *driver, const char *tree, const char *other, int is_open)
{
	struct driver nothing = {.plugin = NULL};
	const struct change *at;
	int faults = 0;

	for (at = changes; at->name != NULL; at++) {
		/* Within one tree no mount is in between. */
		int closed = strcmp(tree, other) == 0 ? EROFS : at->error;
		int expected = is_open ? 0 : closed;
		int status;

		if (changes_make_tree(tree) != 0 ||
		    changes_make_tree(other) != 0)
			return faults + 1;
		status = run_change(&nothing, at->name, tree, other);
		if (status == ENOTSUP) {
			printf("# %s: cannot be shown here\n", at->name);
			continue;
		}
		CHECK(faults, status == 0, "%s without: %s", at->name,
		    strerror(status));
		if (changes_make_tree(tree) != 0 ||
		    changes_make_tree(other) != 0)
			return faults + 1;
		status = run_change(driver, at->name, tree, other);
		CHECK(faults, status == expected, "%s in %s: %s", at->name,
		    tree, strerror(status));
	}
	return faults;
}

struct trees {
	char closed[PATH_MAX];
	char open[PATH_MAX];
	char denied[PATH_MAX]; /* in the open one */
};

static void
begin(struct driver *driver, struct world *world, struct trees *trees,
    const char *base)
{
	driver_open(driver, "namespace");
	world_make(world, base, ".omega");
	snprintf(
	    trees->closed, PATH_MAX, "%.*s/closed", PATH_MAX - 16, world->home);
	snprintf(
	    trees->open, PATH_MAX, "%.*s/open", PATH_MAX - 16, world->home);
	snprintf(
	    trees->denied, PATH_MAX, "%.*s/denied", PATH_MAX - 16, trees->open);
	changes_make_tree(trees->closed);
	changes_make_tree(trees->open);
	driver_default_policy(driver, world->dir);
	driver_limit_changes(driver);
	driver_grant_changes(driver, trees->open);
}

static int
changes_of_all_kinds(void *base)
{
	const struct omega_sandbox_state *state;
	struct driver driver;
	struct world world;
	struct trees trees;
	int faults = 0;

	begin(&driver, &world, &trees, base);
	if (prepare(&driver) < 0)
		return 1;
	state = driver_state(&driver, OMEGA_SANDBOX_ATOM_ELSEWHERE, NULL);
	CHECK(faults, state->held == CHANGES, "%s", state->why);
	faults += change_all(&driver, trees.closed, trees.open, 0);
	faults += change_all(&driver, trees.open, trees.open, 1);
	CHECK(faults, world_is_whole(&world), "the data changed");
	driver_close(&driver);
	world_end(&world);
	return faults;
}

/* A place denied inside a grant, and a grant inside a place denied. */
static int
denied_inside(void *base)
{
	struct driver driver;
	struct world world;
	struct trees trees;
	char path[2 * PATH_MAX];
	int faults = 0;

	begin(&driver, &world, &trees, base);
	snprintf(path, sizeof(path), "%s/inner", trees.denied);
	mkdir(trees.denied, 0755);
	mkdir(path, 0755);
	driver_deny(&driver, trees.denied);
	driver_grant_changes(&driver, path);
	if (prepare(&driver) < 0)
		return 1;
	CHECK(faults, run_shell(&driver, "! ls \"$1\"", trees.denied) == 0,
	    "listed");
	CHECK(faults, run_shell(&driver, "! touch \"$1/x\"", path) == 0,
	    "a grant opened what is denied");
	CHECK(faults,
	    run_shell(&driver, "! mv \"$1\" \"$1.away\"", trees.denied) == 0,
	    "moved");
	CHECK(faults, run_shell(&driver, "touch \"$1/x\"", trees.open) == 0,
	    "the rest of the grant");
	driver_close(&driver);
	world_end(&world);
	return faults;
}

/* Files, nested grants, a piece of the data directory, other file systems. */
static int
grants_of_all_kinds(void *base)
{
	struct driver nothing = {.plugin = NULL};
	struct driver driver;
	struct world world;
	struct trees trees;
	char file[2 * PATH_MAX];
	char nested[2 * PATH_MAX];
	char workspace[2 * PATH_MAX];
	char shared[64] = "/dev/shm/omega-test-XXXXXX";
	int has_shared;
	int faults = 0;
	int round;

	for (round = 0; round < 2; round++) {
		begin(&driver, &world, &trees, base);
		if (round == 1)
			driver_set(&driver, "data_dir_mode", "shield");
		snprintf(file, sizeof(file), "%s/file", trees.closed);
		snprintf(nested, sizeof(nested), "%s/dir", trees.open);
		snprintf(
		    workspace, sizeof(workspace), "%s/workspace", world.dir);
		strcpy(shared + strlen(shared) - 6, "XXXXXX");
		has_shared = mkdtemp(shared) != NULL;
		driver_grant_changes(&driver, file);
		driver_grant_changes(&driver, nested);
		if (has_shared)
			driver_grant_changes(&driver, shared);
		if (round == 1)
			driver_grant_changes(&driver, workspace);
		if (prepare(&driver) < 0)
			return 1;
		CHECK(faults, run_shell(&driver, "echo x >\"$1\"", file) == 0,
		    "a file");
		CHECK(faults, run_shell(&driver, "! rm -f \"$1\"", file) == 0,
		    "a file removed");
		CHECK(faults,
		    run_shell(
			&driver, "mv \"$1/file\" \"$1/../moved\"", nested) == 0,
		    "out of a nested one");
		CHECK(faults,
		    !has_shared ||
			run_shell(&driver, "touch \"$1/x\"", shared) == 0,
		    "shared memory");
		CHECK(faults,
		    run_shell(&nothing,
			"touch /dev/shm/omega-t.$$ && "
			"rm /dev/shm/omega-t.$$",
			"") == 0,
		    "outside: shared memory");
		CHECK(faults,
		    run_shell(&driver, "! touch /dev/shm/omega-t.$$", "") == 0,
		    "shared memory that is not granted");
		/* Only where it is granted. */
		CHECK(faults,
		    (run_shell(&driver, "touch \"$1/x\"", workspace) == 0) ==
			(round == 1),
		    "workspace");
		CHECK(faults, world_is_whole(&world), "the data changed");
		if (has_shared) {
			unlink(text("%s/x", shared));
			rmdir(shared);
		}
		driver_close(&driver);
		world_end(&world);
	}
	return faults;
}

/* What every program needs, with nothing granted at all. */
static int
nothing_granted(void *base)
{
	struct driver driver;
	struct world world;
	struct trees trees;
	int faults = 0;

	begin(&driver, &world, &trees, base);
	close(driver.grants[0].fd);
	driver.grant_count = 0;
	if (prepare(&driver) < 0)
		return 1;
	faults += change_all(&driver, trees.closed, trees.closed, 0);
	CHECK(faults,
	    run_shell(&driver,
		"echo x >/dev/null && head -c 1 /dev/urandom >/dev/null && "
		": <>/dev/ptmx",
		"") == 0,
	    "devices");
	/* The documents say that these stay open. */
	CHECK(faults,
	    run_shell(&driver, "echo x 1<>\"$1/fifo\"", trees.closed) == 0,
	    "a fifo");
	CHECK(faults, run_shell(&driver, "! touch /tmp/omega-test.$$", "") == 0,
	    "/tmp");
	/* One's own entries, which root's read-only /proc never had. */
	CHECK(faults,
	    geteuid() == 0 ||
		run_shell(&driver, "echo 500 >/proc/self/oom_score_adj", "") ==
		    0,
	    "/proc/self");
	driver_close(&driver);
	world_end(&world);
	return faults;
}

/* A path that is absent stays so where nothing is granted. */
static int
absent_paths(void *base)
{
	struct omega_sandbox_atom *atom;
	struct driver driver;
	struct world world;
	struct trees trees;
	char path[2 * PATH_MAX];
	int faults = 0;
	int i;

	begin(&driver, &world, &trees, base);
	for (i = 0; i < 2; i++) {
		atom = &driver.atoms[driver.atom_count++];
		memset(atom, 0, sizeof(*atom));
		snprintf(path, sizeof(path), "%s/absent",
		    i == 0 ? trees.closed : trees.open);
		atom->size = sizeof(*atom);
		atom->kind = OMEGA_SANDBOX_ATOM_ABSENT_PATHS;
		atom->access = OMEGA_SANDBOX_ATOM_ALL;
		atom->flags = OMEGA_SANDBOX_ATOM_ABSENT;
		atom->path = strdup(path);
		atom->fd = -1;
	}
	if (prepare(&driver) < 0)
		return 1;
	for (i = 0; i < 2; i++) {
		const struct omega_sandbox_state *state =
		    &driver.states[driver.atom_count - 2 + (size_t)i];

		CHECK(faults, (state->held != 0) == (i == 0), "%d: %s", i,
		    state->why);
	}
	driver_close(&driver);
	world_end(&world);
	return faults;
}

/* The host puts another directory in the place of a grant. */
static int
replaced_grant(void *base)
{
	struct driver driver;
	struct world world;
	struct trees trees;
	int faults = 0;

	begin(&driver, &world, &trees, base);
	if (prepare(&driver) < 0)
		return 1;
	CHECK(faults, driver_look(&driver) == 0, "changed without a reason");
	CHECK(faults,
	    rename(trees.open, text("%s.old", trees.open)) == 0 &&
		mkdir(trees.open, 0755) == 0,
	    "rename");
	CHECK(faults, driver_look(&driver) == 1, "not noticed");
	CHECK(faults, driver_prepare(&driver) == -ESTALE, "prepared as it was");
	driver_close(&driver);
	world_end(&world);
	return faults;
}

#define MANY 2000

/* So many places that a way for each would be more than can be asked for. */
static int
many_places(void *base)
{
	static struct omega_sandbox_atom places[MANY];
	static const struct omega_sandbox_atom *atoms[MANY];
	struct omega_sandbox_request request = {.size = sizeof(request)};
	struct driver driver;
	char dir[PATH_MAX];
	struct stat st;
	int faults = 0;
	int ret;
	int i;

	driver_open(&driver, "namespace");
	snprintf(dir, sizeof(dir), "%.*s/a/b/c/d/e/f/g", PATH_MAX - 32,
	    (const char *)base);
	if (run_shell(
		&(struct driver){.plugin = NULL}, "mkdir -p \"$1\"", dir) != 0)
		return 1;
	for (i = 0; i < MANY; i++) {
		char path[PATH_MAX + 16];

		snprintf(path, sizeof(path), "%s/%d", dir, i);
		close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
		if (stat(path, &st) != 0)
			return 1;
		atoms[i] = &places[i];
		places[i] = (struct omega_sandbox_atom){
		    .size = sizeof(places[i]),
		    .kind = OMEGA_SANDBOX_ATOM_PATH,
		    .access = OMEGA_SANDBOX_ATOM_READ | OMEGA_SANDBOX_ATOM_LIST,
		    .flags = OMEGA_SANDBOX_ATOM_REQUIRED,
		    .path = strdup(path),
		    .fd = -1,
		    .device = st.st_dev,
		    .inode = st.st_ino};
	}
	ret = driver.plugin->apply(
	    &driver.host, &request, atoms, MANY, &driver.launch);
	CHECK(faults, ret == 0, "%s: %s", strerror(-ret), driver.explanation);
	if (ret == 0)
		CHECK(faults,
		    run_shell(&driver, "! cat \"$1/0\" \"$1/1999\"", dir) == 0,
		    "read");
	for (i = 0; i < MANY; i++)
		free((char *)(uintptr_t)places[i].path);
	driver_close(&driver);
	return faults;
}

TWICE(many_places)
TWICE(changes_of_all_kinds)
TWICE(denied_inside)
TWICE(grants_of_all_kinds)
TWICE(nothing_granted)
TWICE(absent_paths)
TWICE(replaced_grant)

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_changes_of_all_kinds),
	    cmocka_unit_test(test_denied_inside),
	    cmocka_unit_test(test_grants_of_all_kinds),
	    cmocka_unit_test(test_nothing_granted),
	    cmocka_unit_test(test_absent_paths),
	    cmocka_unit_test(test_replaced_grant),
	    cmocka_unit_test(test_many_places),
	};
	int status = changes_main(argc, argv);

	if (status >= 0)
		_exit(status); /* no sanitizer's last words in a sandbox */
	world_set_program("/proc/self/exe");
	return run_all(tests);
}
