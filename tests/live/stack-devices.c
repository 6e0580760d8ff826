/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * stack-devices.c - devices commands lose, one of them given back; and a /dev
 * that is mounted twice.
 */

#include "stack.h"

#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

/* Open a device for reading, by a program that does just that. */
static int
open_device(struct driver *driver, char *path)
{
	static char program[] = "/bin/sh";
	static char flag[] = "-c";
	static char script[] = "exec 3<\"$0\"";
	char *argv[] = {program, flag, script, path, NULL};

	return driver_run(driver, argv);
}

/* An ordinary user may open none of these to begin with. */
static int
devices(void *base)
{
	static char one[] = "/dev/loop-control";
	static char two[] = "/dev/fuse";
	struct stack stack;
	struct world world;
	int faults = 0;

	if (geteuid() != 0 || access(one, R_OK) != 0 ||
	    access(two, R_OK) != 0) {
		fprintf(stderr, "# not tried: %s and %s cannot be opened\n",
		    one, two);
		return 0;
	}
	world_make(&world, base, ".omega");
	if (!stack_open(
		&stack, base, world.dir, "allow_devices = { \"/dev/fuse\" }\n"))
		return 1;
	CHECK(faults, open_device(&stack.out, one) == 0, "outside");
	CHECK(faults, open_device(&stack.out, two) == 0, "outside");
	CHECK(faults, open_device(&stack.in, one) != 0, "inside");
	CHECK(faults, open_device(&stack.in, two) == 0, "allowed");
	stack_close(&stack);
	world_end(&world);
	return faults;
}

/* One that every command has, unless it is denied. */
static int
denied_device(void *base)
{
	static char one[] = "/dev/zero";
	static char two[] = "/dev/null";
	struct stack stack;
	struct world world;
	int faults = 0;

	world_make(&world, base, ".omega");
	if (!stack_open(
		&stack, base, world.dir, "blocked_paths = { \"/dev/zero\" }\n"))
		return 1;
	CHECK(faults, open_device(&stack.out, one) == 0, "outside");
	CHECK(faults, open_device(&stack.in, one) != 0, "inside");
	CHECK(faults, open_device(&stack.in, two) == 0, "another");
	stack_close(&stack);
	world_end(&world);
	return faults;
}

/* ---- A /dev of our own ------------------------------------------------------
 */

struct node {
	const char *name;
	unsigned major;
	unsigned minor;
	bool is_shown; /* inside */
};

/* The numbers are those of devices every kernel has, whatever the name. */
static const struct node nodes[] = {{"null", 1, 3, true}, {"zero", 1, 5, true},
    {"full", 1, 7, true}, {"random", 1, 8, true}, {"urandom", 1, 9, true},
    {"tty", 5, 0, true}, {"kvm", 1, 7, false}, {".hidden", 1, 7, false},
    {"net/tun", 1, 7, false}, {"dri/card0", 1, 7, false},
    {"dri/render", 1, 3, true}, {"binder/one", 1, 7, false},
    {"binder/own/two", 1, 7, false},
    {"binder/1/2/3/4/5/6/7/8/9/ten", 1, 7, false}};

#define NODES (sizeof(nodes) / sizeof(nodes[0]))

/* base/other-dev, then mounted at /dev as well. */
static int
make_dev(const char *base)
{
	static const char *const dirs[] = {
	    "net", "dri", "binder", "pts", "shm"};
	static const char *const inner[] = {"own", "1", "1/2", "1/2/3",
	    "1/2/3/4", "1/2/3/4/5", "1/2/3/4/5/6", "1/2/3/4/5/6/7",
	    "1/2/3/4/5/6/7/8", "1/2/3/4/5/6/7/8/9"};
	char path[2 * PATH_MAX];
	size_t i;

	snprintf(path, sizeof(path), "%s/other-dev", base);
	if (unshare(CLONE_NEWNS) != 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mkdir(path, 0755) != 0 ||
	    mount("dev", path, "tmpfs", 0, "mode=755") != 0)
		return CANNOT_MOUNT;
	umask(0);
	for (i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		snprintf(path, sizeof(path), "%s/other-dev/%s", base, dirs[i]);
		if (mkdir(path, 0755) != 0)
			return 1;
	}
	snprintf(path, sizeof(path), "%s/other-dev/binder", base);
	if (mount("binder", path, "tmpfs", 0, "mode=755") != 0)
		return CANNOT_MOUNT;
	for (i = 0; i < sizeof(inner) / sizeof(inner[0]); i++) {
		snprintf(path, sizeof(path), "%s/other-dev/binder/%s", base,
		    inner[i]);
		if (mkdir(path, 0755) != 0)
			return 1;
	}
	for (i = 0; i < NODES; i++) {
		snprintf(
		    path, sizeof(path), "%s/other-dev/%s", base, nodes[i].name);
		if (mknod(path, S_IFCHR | 0666,
			makedev(nodes[i].major, nodes[i].minor)) != 0)
			return 1;
	}
	umask(022);
	snprintf(path, sizeof(path), "%s/other-dev/binder/own", base);
	if (chown(path, SPARE_UID, SPARE_UID) != 0)
		return 1;
	strcat(path, "/two");
	if (chown(path, SPARE_UID, SPARE_UID) != 0)
		return 1;
	snprintf(path, sizeof(path), "%s/other-dev/pts", base);
	if (mount("/dev/pts", path, NULL, MS_BIND, NULL) != 0)
		return CANNOT_MOUNT;
	snprintf(path, sizeof(path), "%s/other-dev", base);
	return mount(path, "/dev", NULL, MS_BIND | MS_REC, NULL) == 0
		   ? 0
		   : CANNOT_MOUNT;
}

static int
run_script(struct driver *driver, char *script, char *path)
{
	static char program[] = "/bin/sh";
	static char flag[] = "-c";
	char *argv[] = {program, flag, script, path, NULL};

	return driver_run(driver, argv);
}

static int
try_nodes(struct stack *stack, const char *dev)
{
	static char script[] = "exec 3<>\"$0\"";
	const bool is_dev = strcmp(dev, "/dev") == 0;
	char path[2 * PATH_MAX];
	int faults = 0;
	size_t i;

	for (i = 0; i < NODES; i++) {
		/* There may be no terminal. */
		if (strcmp(nodes[i].name, "tty") == 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", dev, nodes[i].name);
		CHECK(faults, run_script(&stack->out, script, path) == 0,
		    "%s outside", path);
		CHECK(faults,
		    (run_script(&stack->in, script, path) == 0) ==
			(is_dev && nodes[i].is_shown),
		    "%s inside", path);
	}
	return faults;
}

/* What one command closes the next one opens again. */
static int
try_closed(const char *base, struct world *world)
{
	static char own[] = "/dev/binder/own";
	char *const closings[] = {
	    (char[]){"chmod 0 \"$0\""}, (char[]){"chmod 0 \"$0/two\""}};
	static char again[] =
	    "chmod 755 \"$0\"; chmod 666 \"$0/two\"; exec 3<\"$0/two\"";
	struct stack stack;
	int faults = 0;
	size_t i;

	for (i = 0; i < sizeof(closings) / sizeof(closings[0]); i++) {
		if (!stack_open(&stack, base, world->dir, ""))
			return faults + 1;
		CHECK(faults, run_script(&stack.out, closings[i], own) == 0,
		    "%s", closings[i]);
		stack_close(&stack);
		if (!stack_open(&stack, base, world->dir, ""))
			return faults + 1;
		CHECK(faults, run_script(&stack.in, again, own) != 0,
		    "inside, after %s", closings[i]);
		CHECK(faults, run_script(&stack.out, again, own) == 0,
		    "outside, after %s", closings[i]);
		stack_close(&stack);
	}
	return faults;
}

static int
in_own_dev(void *base)
{
	static char make[] = "touch \"$0/new\" && rm \"$0/new\"";
	static char mode[] = "chmod 666 \"$0/null\"";
	struct stack stack;
	struct world world;
	char other[2 * PATH_MAX];
	static char dev[] = "/dev";
	int faults;

	snprintf(other, sizeof(other), "%s/other-dev", (const char *)base);
	world_make(&world, base, ".omega");
	if (!stack_open(&stack, base, world.dir,
		"allow_devices = { \"/dev/dri/render\" }\n"))
		return 1;
	faults = try_nodes(&stack, "/dev") + try_nodes(&stack, other);
	if (geteuid() == 0) {
		CHECK(faults, run_script(&stack.out, make, other) == 0, "out");
		CHECK(faults, run_script(&stack.out, mode, other) == 0, "out");
	}
	CHECK(faults, run_script(&stack.in, make, dev) != 0, "new name");
	CHECK(faults, run_script(&stack.in, mode, dev) != 0, "mode");
	CHECK(faults, run_script(&stack.in, make, other) != 0, "new name");
	CHECK(faults, run_script(&stack.in, mode, other) != 0, "mode");
	stack_close(&stack);
	faults += try_closed(base, &world);
	world_end(&world);
	return faults;
}

static int
own_dev(void *base)
{
	int ret = make_dev(base);

	return ret != 0 ? ret : in_own_dev(base);
}

static int
own_dev_of_user(void *base)
{
	int ret = make_dev(base);

	return ret != 0 ? ret : in_user_child(in_own_dev, base);
}

static void
test_own_dev(void **state)
{
	char base[PATH_MAX];
	int status;

	(void)state;
	if (geteuid() != 0)
		skip_because("only root can make a /dev");
	twice_scratch(base, sizeof(base), 0);
	status = in_child(own_dev, base);
	if (status == CANNOT_MOUNT)
		skip_because("cannot mount a /dev of our own");
	assert_int_equal(status, 0);
	twice_scratch(base, sizeof(base), SPARE_UID);
	assert_int_equal(in_child(own_dev_of_user, base), 0);
}

TWICE(devices)
TWICE(denied_device)

const struct CMUnitTest stack_devices_tests[] = {
    cmocka_unit_test(test_devices),
    cmocka_unit_test(test_denied_device),
    cmocka_unit_test(test_own_dev),
    {NULL, NULL, NULL, NULL, NULL},
};
