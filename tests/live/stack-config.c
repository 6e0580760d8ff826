/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * stack-config.c - config.toml: absent, and replaced by the host.
 */

#include "stack.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* ---- config.toml -----------------------------------------------------------
 */

static void
without_config(struct world *world, char *subject, size_t size)
{
	char path[2 * PATH_MAX];

	(void)subject;
	(void)size;
	snprintf(path, sizeof(path), "%s/config.toml", world->dir);
	if (unlink(path) != 0)
		fprintf(stderr, "# %s: %s\n", path, strerror(errno));
}

static int
absent_config(void *base)
{
	const struct course course = {
	    escapes_absent, "", without_config, NULL, true};
	char path[2 * PATH_MAX];
	struct stack stack;
	struct world world;
	int faults = stack_go_through(base, &course);

	snprintf(path, sizeof(path), "%s/w/home/.omega/config.toml",
	    (const char *)base);
	CHECK(faults, access(path, F_OK) != 0, "it was made");
	/* The host makes it between two commands. */
	world_make(&world, base, ".omega");
	unlink(path);
	if (!stack_open(&stack, base, world.dir, ""))
		return faults + 1;
	CHECK(faults,
	    stack_try(&stack.in, &world, "read config.toml", world.dir) ==
		ENOENT,
	    "absent");
	stack_put_secret(path);
	CHECK(faults,
	    stack_try(&stack.out, &world, "read config.toml", world.dir) == 0,
	    "outside");
	CHECK(faults,
	    stack_try(&stack.in, &world, "read config.toml", world.dir) ==
		EACCES,
	    "made by the host, it is seen");
	stack_close(&stack);
	world_end(&world);
	return faults;
}

/* The host replaces it by rename between two commands. */
static int
replaced(const char *base, const char *lines)
{
	char path[2 * PATH_MAX];
	char other[2 * PATH_MAX];
	struct stack stack;
	struct world world;
	int faults = 0;
	int i;

	world_make(&world, base, ".omega");
	if (!stack_open(&stack, base, world.dir, lines))
		return 1;
	snprintf(path, sizeof(path), "%s/config.toml", world.dir);
	snprintf(other, sizeof(other), "%s/config.new", world.dir);
	for (i = 0; i < 3; i++) {
		int inside =
		    stack_try(&stack.in, &world, "read config.toml", world.dir);

		CHECK(faults, inside == EACCES, "time %d: %d", i, inside);
		inside = stack_try(
		    &stack.in, &world, "write config.toml", world.dir);
		CHECK(faults, inside == EACCES, "time %d: %d", i, inside);
		CHECK(faults,
		    stack_try(
			&stack.out, &world, "read config.toml", world.dir) == 0,
		    "outside");
		stack_put_secret(other);
		CHECK(faults, rename(other, path) == 0, "%s", strerror(errno));
	}
	stack_close(&stack);
	world_end(&world);
	return faults;
}

static int
replaced_config(void *base)
{
	return replaced(base, "") + replaced(base, SHIELD);
}

TWICE(absent_config)
TWICE(replaced_config)

const struct CMUnitTest stack_config_tests[] = {
    cmocka_unit_test(test_absent_config),
    cmocka_unit_test(test_replaced_config),
    {NULL, NULL, NULL, NULL, NULL},
};
