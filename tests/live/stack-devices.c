/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * stack-devices.c - devices root loses, one of them given back.
 */

#include "stack.h"

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

TWICE(devices)

const struct CMUnitTest stack_devices_tests[] = {
    cmocka_unit_test(test_devices),
    {NULL, NULL, NULL, NULL, NULL},
};
