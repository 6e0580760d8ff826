/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * stack-overlays.c - an overlay and its layers show the same data by names
 * that have different devices; and something is mounted inside the data.
 */

#include "stack.h"

#include <sys/mount.h>
#include <sys/stat.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A host with an overlay, and what is tried there. */
struct scene {
	const char *dir; /* the data directory, below top */
	const char *low; /* the layer with the data, below top */
	const char *named; /* the same for mount: from top, or from cwd */
	const char *cwd; /* where that is, below top */
	const char *inner; /* what is mounted in the data, below top, or NULL */
	bool is_told; /* it cannot be held for sure, and the report says so */
	bool is_found; /* but as long as nobody turns a link it is */
	bool is_turned; /* the link to the upper layer leads to the root now */
	bool is_user;
	char base[PATH_MAX];
	char top[PATH_MAX];
};

static int
run(struct driver *driver, const struct scene *scene, char *script)
{
	static char program[] = "/bin/sh";
	static char flag[] = "-c";
	char top[PATH_MAX];
	char low[2 * PATH_MAX];
	char *argv[] = {program, flag, script, top, low, NULL};

	snprintf(top, sizeof(top), "%s", scene->top);
	snprintf(low, sizeof(low), "%s/%s", scene->top, scene->low);
	return driver_run(driver, argv);
}

/* $0 is the directory all is in, $1 the lower layer. */
static char *const others[] = {
    (char[]){"cat \"$0/merged/home/dd/data/memory.db\""},
    (char[]){"cat \"$0/merged/home/dd/config.toml\""},
    (char[]){"cat \"$0/part/dd/data/memory.db\""},
    (char[]){"cat \"$1/home/dd/data/memory.db\""},
    (char[]){"cat \"$1/home/dd/config.toml\""},
    (char[]){"echo x >>\"$1/home/dd/data/memory.db\""},
    (char[]){"cat \"$0/again/home/dd/data/memory.db\""},
    (char[]){"ls \"$0/up/\""}, (char[]){"touch \"$0/up/new\""},
    (char[]){"ls \"$0/work/\""},
    /* Only the upper layer has it: nor may the lower one get it. */
    (char[]){"cat \"$0/merged/home/late\""},
    (char[]){"touch \"$1/home/late\""}};

/* Is it claimed that the data has no other names? */
static bool
claims_names(struct omega_sandbox_prepared *prepared, const char *dir)
{
	struct omega_sandbox_guarantee claim = OMEGA_SANDBOX_GUARANTEE_INIT;
	struct omega_sandbox_report *report =
	    omega_sandbox_prepared_report(prepared);
	bool is_claimed = true;
	size_t i;

	for (i = 0; omega_sandbox_report_get(report, i, &claim) == 0; i++)
		if (strcmp(claim.kind, "aliases") == 0 &&
		    strncmp(claim.path, dir, strlen(dir)) == 0)
			is_claimed &= claim.state == OMEGA_SANDBOX_ENFORCED;
	omega_sandbox_report_unref(report);
	return is_claimed;
}

static int
go_through(void *arg)
{
	static char use[] =
	    "touch \"$0/free\" && rm \"$0/free\" && ls \"$0/merged/home/dd\"";
	const struct scene *scene = arg;
	char dir[2 * PATH_MAX];
	char lines[2 * PATH_MAX];
	struct stack stack;
	int faults = 0;
	size_t i;

	snprintf(dir, sizeof(dir), "%s/%s", scene->top, scene->dir);
	snprintf(lines, sizeof(lines),
	    "blocked_paths = { \"%s/merged/home/late\" }\n", scene->top);
	if (!stack_open(&stack, scene->base, dir, lines))
		return 1;
	CHECK(faults, claims_names(stack.inside, dir) != scene->is_told,
	    "%s: what is claimed", scene->dir);
	for (i = 0; (!scene->is_told || scene->is_found) &&
		    i < sizeof(others) / sizeof(others[0]);
	     i++) {
		CHECK(faults,
		    scene->is_user || run(&stack.out, scene, others[i]) == 0,
		    "%s: outside: %s", scene->dir, others[i]);
		CHECK(faults, run(&stack.in, scene, others[i]) != 0,
		    "%s: inside: %s", scene->dir, others[i]);
		/* What was tried outside goes again. */
		snprintf(lines, sizeof(lines), "%s/%s/home/late", scene->top,
		    scene->low);
		unlink(lines);
	}
	CHECK(faults, run(&stack.in, scene, use) == 0, "%s: use", scene->dir);
	stack_close(&stack);
	return faults;
}

static int
make(const char *top, const char *name, bool is_dir)
{
	char path[2 * PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", top, name);
	if (is_dir)
		return mkdir(path, 0755);
	fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
	return fd < 0 || write(fd, "secret\n", 7) != 7 || close(fd) != 0;
}

static int
bind_to(const struct scene *scene, const char *from, const char *to)
{
	char source[2 * PATH_MAX];
	char target[2 * PATH_MAX];

	snprintf(source, sizeof(source), "%s/%s", scene->top, from);
	snprintf(target, sizeof(target), "%s/%s", scene->top, to);
	return mount(source, target, NULL, MS_BIND, NULL);
}

static const char *
in_top(const struct scene *scene, const char *name)
{
	return text("%s/%s", scene->top, name);
}

static int
make_layers(const struct scene *scene)
{
	static const char *const dirs[] = {
	    "up", "work", "merged", "part", "again", "far", "far/low"};
	static const char *const below[] = {
	    "", "/home", "/home/dd", "/home/dd/data", "/home/dd/data/in"};
	char path[PATH_MAX];
	int ret = 0;
	size_t i;

	for (i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		ret |= make(scene->top, dirs[i], true);
	for (i = 0; i < sizeof(below) / sizeof(below[0]); i++) {
		snprintf(path, sizeof(path), "%s%s", scene->low, below[i]);
		if (strcmp(path, "far/low") != 0)
			ret |= make(scene->top, path, true);
	}
	ret |= symlink(".", in_top(scene, "here")) |
	       symlink("up", in_top(scene, "turned"));
	snprintf(path, sizeof(path), "%s/home/dd/data/memory.db", scene->low);
	ret |= make(scene->top, path, false);
	snprintf(path, sizeof(path), "%s/home/dd/config.toml", scene->low);
	return ret | make(scene->top, path, false);
}

static int
give_away(const struct scene *scene, const char *name)
{
	char command[2 * PATH_MAX];

	snprintf(command, sizeof(command), "chown -R %d '%.4000s/%s'",
	    SPARE_UID, scene->top, name);
	return scene->is_user ? system(command) : 0;
}

static int
mount_overlay(const struct scene *scene)
{
	char options[4 * PATH_MAX];
	char point[2 * PATH_MAX];

	snprintf(options, sizeof(options),
	    "lowerdir=%s%s,upperdir=%s/%s,workdir=%s/work",
	    scene->named[0] == '/' ? scene->top : "", scene->named, scene->top,
	    scene->is_turned ? "turned" : "up", scene->top);
	snprintf(point, sizeof(point), "%s/merged", scene->top);
	if (chdir(scene->top) != 0 || chdir(scene->cwd) != 0 ||
	    mount("o", point, "overlay", 0, options) != 0)
		return -1;
	return chdir("/");
}

static int
in_scene(void *arg)
{
	struct scene *scene = arg;

	snprintf(scene->top, sizeof(scene->top), "%.*s/top", PATH_MAX - 8,
	    scene->base);
	if (unshare(CLONE_NEWNS) != 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mkdir(scene->top, 0755) != 0 ||
	    mount("t", scene->top, "tmpfs", 0, "mode=755") != 0)
		return CANNOT_MOUNT;
	if (make_layers(scene) != 0 || give_away(scene, "") != 0)
		return 1;
	if (mount_overlay(scene) != 0 ||
	    bind_to(scene, "merged/home", "part") != 0 ||
	    bind_to(scene, scene->low, "again") != 0)
		return CANNOT_MOUNT;
	if (scene->inner != NULL &&
	    bind_to(scene, scene->inner, "merged/home/dd/data/in") != 0)
		return CANNOT_MOUNT;
	if (scene->is_turned && (unlink(in_top(scene, "turned")) != 0 ||
				    symlink("/", in_top(scene, "turned")) != 0))
		return 1;
	if (make(scene->top, "merged/home/late", false) != 0 ||
	    give_away(scene, "merged/home/late") != 0)
		return 1;
	return scene->is_user ? in_user_child(go_through, scene)
			      : go_through(scene);
}

static void
test_overlays(void **state)
{
	static const char odd[] = "a,b:c d\\e";
	static const char odd_named[] = "/a\\,b\\:c d\\\\e";
	struct scene scenes[] = {
	    {.dir = "merged/home/dd", .low = "low", .named = "/low"},
	    {.dir = "low/home/dd", .low = "low", .named = "/low"},
	    {.dir = "part/dd", .low = "low", .named = "/low"},
	    {.dir = "again/home/dd", .low = "low", .named = "/low"},
	    {.dir = "merged/home/dd", .low = odd, .named = odd_named},
	    {.dir = "merged/home/dd",
		.low = "low",
		.named = "low",
		.is_told = true,
		.is_found = true},
	    {.dir = "low/home/dd",
		.low = "low",
		.named = "low:far",
		.is_told = true,
		.is_found = true},
	    {.dir = "merged/home/dd",
		.low = "low",
		.named = "/here/low",
		.is_told = true,
		.is_found = true},
	    {.dir = "merged/home/dd",
		.low = "low",
		.named = "/low",
		.is_told = true,
		.is_turned = true},
	    {.dir = "merged/home/dd",
		.low = "far/low",
		.named = "low",
		.cwd = "far",
		.is_told = true},
	    {.dir = "merged/home/dd",
		.low = "low",
		.named = "/low",
		.inner = "far",
		.is_told = true},
	};
	size_t i;
	int status;

	(void)state;
	if (geteuid() != 0)
		skip_because("only root can mount overlays of all kinds");
	for (i = 0; i < 2 * sizeof(scenes) / sizeof(scenes[0]); i++) {
		struct scene *scene = &scenes[i / 2];

		scene->is_user = i % 2 != 0;
		if (scene->cwd == NULL)
			scene->cwd = ".";
		twice_scratch(scene->base, sizeof(scene->base),
		    scene->is_user ? SPARE_UID : 0);
		status = in_child(in_scene, scene);
		if (status == CANNOT_MOUNT)
			skip_because("cannot mount an overlay");
		if (status != 0)
			fail_msg("%s, %s as %s: %d faults", scene->dir,
			    scene->named, scene->is_user ? "a user" : "root",
			    status);
	}
}

const struct CMUnitTest stack_overlays_tests[] = {
    cmocka_unit_test(test_overlays),
    {NULL, NULL, NULL, NULL, NULL},
};
