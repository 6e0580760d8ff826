/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * stack-places.c - other denied places, and the way to the data.
 */

#include "stack.h"

#include <sys/stat.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

/* ---- Other denied places, and the way there ---------------------------------
 */

static void
with_another(struct world *world, char *subject, size_t size)
{
	snprintf(subject, size, "%.*s/elsewhere", PATH_MAX - 32, world->home);
	mkdir(subject, 0755);
	strcat(subject, "/secret");
	stack_put_secret(subject);
}

static int
other_places(void *base)
{
	const struct course external = {
	    escapes_denied, "config_file = \"", with_another, "\"\n", false};
	const struct course blocked = {escapes_denied, "blocked_paths = {\"",
	    with_another, "\"}\n", false};

	return stack_go_through(base, &external) +
	       stack_go_through(base, &blocked);
}

static void
with_link(struct world *world, char *subject, size_t size)
{
	char real[PATH_MAX + 8];

	(void)subject;
	(void)size;
	snprintf(real, sizeof(real), "%s/real", world->home);
	if (rename(world->dir, real) != 0 || symlink("real", world->dir) != 0)
		fprintf(stderr, "# %s: %s\n", real, strerror(errno));
}

static int
symbolic_link(void *base)
{
	const struct course link = {escapes_link, "", with_link, NULL, false};
	const struct course known = {
	    attempts_on_data, "", with_link, NULL, false};

	return stack_go_through(base, &link) + stack_go_through(base, &known);
}

TWICE(other_places)
TWICE(symbolic_link)

const struct CMUnitTest stack_places_tests[] = {
    cmocka_unit_test(test_other_places),
    cmocka_unit_test(test_symbolic_link),
    {NULL, NULL, NULL, NULL, NULL},
};
