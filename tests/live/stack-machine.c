/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * stack-machine.c - file systems that are views of the machine, mounted where
 * nobody expects them. A group of processes that was given to the caller is
 * one by which those outside can be killed.
 */

#include "stack.h"

#include <sys/mount.h>
#include <sys/stat.h>
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

static const char *const types[] = {"proc", "sysfs", "cgroup2", "debugfs",
    "tracefs", "securityfs", "configfs", "bpf", "pstore", "binfmt_misc",
    "fusectl"};

#define TYPES (sizeof(types) / sizeof(types[0]))

struct machine {
	bool is_user;
	bool has[TYPES]; /* by this kernel */
	bool has_group;
	char group[64];
	char base[PATH_MAX];
	char top[PATH_MAX];
};

static int
try_in(
    struct driver *driver, const char *what, const char *dir, const char *arg)
{
	struct world world = {.outside = 0};

	snprintf(world.arg, sizeof(world.arg), "%s", arg);
	return stack_try(driver, &world, what, dir);
}

static int
try_group(struct stack *stack, const struct machine *machine, const char *at,
    int expected)
{
	char dir[2 * PATH_MAX];
	int faults = 0;
	int ret;

	snprintf(
	    dir, sizeof(dir), "%s/%s/%s", machine->top, at, machine->group);
	ret = try_in(&stack->out, "closed: change", dir, "cgroup.kill");
	CHECK(faults, ret == 0, "%s: outside: %d", at, ret);
	ret = try_in(&stack->in, "closed: change", dir, "cgroup.kill");
	CHECK(faults, ret == expected, "%s: inside: %d", at, ret);
	return faults;
}

static int
go_through(void *arg)
{
	const struct machine *machine = arg;
	char closed[2 * PATH_MAX];
	char dir[2 * PATH_MAX];
	struct stack stack;
	int faults = 0;
	size_t i;
	int ret;

	snprintf(dir, sizeof(dir), "%s/dd", machine->top);
	snprintf(closed, sizeof(closed), "%s/x", machine->top);
	if (!stack_open(&stack, machine->base, dir, ""))
		return 1;
	for (i = 0; i < TYPES; i++) {
		char *at = escapes_in(machine->top, types[i]);

		ret = try_in(&stack.in, "closed: close", at, "755");
		if (machine->has[i])
			CHECK(faults, ret == EROFS, "%s: %d", types[i], ret);
	}
	if (machine->has_group) {
		faults += try_group(&stack, machine, "cgroup2", EROFS);
		faults += try_group(&stack, machine, "x/alt", EROFS);
		ret = try_in(&stack.in, "closed: close", closed, "0");
		CHECK(faults, ret == 0, "closing: %d", ret);
	}
	stack_close(&stack);
	if (!machine->has_group)
		return faults;
	if (!stack_open(&stack, machine->base, dir, ""))
		return faults + 1;
	chmod(closed, 0755);
	faults += try_group(
	    &stack, machine, "x/alt", machine->is_user ? EACCES : EROFS);
	stack_close(&stack);
	return faults;
}

/* A group of the caller's own, by two mounts. */
static int
make_group(struct machine *machine)
{
	char path[3 * PATH_MAX];
	char file[4 * PATH_MAX];
	uid_t uid = machine->is_user ? SPARE_UID : 0;

	snprintf(machine->group, sizeof(machine->group), "omega-test-%d",
	    (int)getpid());
	snprintf(
	    path, sizeof(path), "%s/cgroup2/%s", machine->top, machine->group);
	snprintf(file, sizeof(file), "%s/cgroup.kill", path);
	if (mkdir(path, 0755) != 0)
		return -1;
	if (chown(path, uid, uid) != 0 || chown(file, uid, uid) != 0 ||
	    mount("cg", escapes_in(machine->top, "x/alt"), "cgroup2", 0,
		NULL) != 0) {
		rmdir(path);
		return -1;
	}
	return 0;
}

static int
in_machine(void *arg)
{
	struct machine *machine = arg;
	static const char *const dirs[] = {"dd", "x", "x/alt"};
	char path[3 * PATH_MAX];
	uid_t uid = machine->is_user ? SPARE_UID : 0;
	size_t i;
	int ret;

	snprintf(machine->top, sizeof(machine->top), "%.*s/top", PATH_MAX - 8,
	    machine->base);
	if (unshare(CLONE_NEWNS) != 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mkdir(machine->top, 0755) != 0 ||
	    chown(machine->top, uid, uid) != 0)
		return CANNOT_MOUNT;
	for (i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		if (mkdir(escapes_in(machine->top, dirs[i]), 0755) != 0 ||
		    chown(escapes_in(machine->top, dirs[i]), uid, uid) != 0)
			return 1;
	for (i = 0; i < TYPES; i++) {
		char *at = escapes_in(machine->top, types[i]);

		if (mkdir(at, 0755) != 0)
			return 1;
		machine->has[i] = mount("m", at, types[i], 0, NULL) == 0;
		if (!machine->has[i])
			printf("# %s: not to be had here\n", types[i]);
	}
	machine->has_group = make_group(machine) == 0;
	if (!machine->has_group)
		printf("# no group of processes can be made here\n");
	fflush(stdout);
	ret = machine->is_user ? in_user_child(go_through, machine)
			       : go_through(machine);
	snprintf(
	    path, sizeof(path), "%s/cgroup2/%s", machine->top, machine->group);
	if (machine->has_group)
		rmdir(path);
	return ret;
}

static void
test_machine_elsewhere(void **state)
{
	struct machine machine;
	int status;
	int i;

	(void)state;
	if (geteuid() != 0)
		skip_because("only root can mount a view of the machine");
	for (i = 0; i < 2; i++) {
		memset(&machine, 0, sizeof(machine));
		machine.is_user = i != 0;
		twice_scratch(machine.base, sizeof(machine.base),
		    machine.is_user ? SPARE_UID : 0);
		status = in_child(in_machine, &machine);
		if (status == CANNOT_MOUNT)
			skip_because("cannot mount anything");
		if (status != 0)
			fail_msg("as %s: %d faults",
			    machine.is_user ? "a user" : "root", status);
	}
}

const struct CMUnitTest stack_machine_tests[] = {
    cmocka_unit_test(test_machine_elsewhere),
    {NULL, NULL, NULL, NULL, NULL},
};
