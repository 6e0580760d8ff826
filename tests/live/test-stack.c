/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-stack.c - the default policy as it is kept on this kernel: the library
 * with the stack it chooses by itself, as root and as an ordinary user. Every
 * attempt is first made with noop, where it must work, and then inside, where
 * it must fail with the error that is written down here.
 */

#include "stack.h"

static int
data(void *base)
{
	const struct course known = {attempts_on_data, "", NULL, NULL, false};
	const struct course more = {escapes_data, "", NULL, NULL, false};
	const struct course files = {escapes_files, "", NULL, NULL, false};

	return stack_go_through(base, &known) + stack_go_through(base, &more) +
	       stack_go_through(base, &files);
}

static int
shielded_data(void *base)
{
	const struct course known = {
	    attempts_on_data, SHIELD, NULL, NULL, false};
	const struct course more = {escapes_data, SHIELD, NULL, NULL, false};

	return stack_go_through(base, &known) + stack_go_through(base, &more);
}

static int
mounts(void *base)
{
	const struct course course = {
	    attempts_on_mounts, "", NULL, NULL, false};

	return stack_go_through(base, &course);
}

static int
system_directories(void *base)
{
	const struct course known = {attempts_on_system, "", NULL, NULL, false};
	const struct course more = {escapes_system, "", NULL, NULL, false};
	const struct course machine = {escapes_machine, "", NULL, NULL, false};

	return stack_go_through(base, &known) + stack_go_through(base, &more) +
	       stack_go_through(base, &machine);
}

static int
processes_outside(void *base)
{
	const struct course course = {escapes_outside, "", NULL, NULL, false};
	const struct course caller = {escapes_caller, "", NULL, NULL, false};

	return stack_go_through(base, &course) +
	       stack_go_through(base, &caller);
}

static int
everyday_use(void *base)
{
	const struct course course = {attempts_of_use, "", NULL, NULL, false};

	return stack_go_through(base, &course);
}

/* They are refused as such for the sake of keys; where that is not held, mounts
 * and Landlock hold for them as for anybody. */
static int
rings(void *base)
{
	return stack_go_alone(base, "namespace,landlock", escapes_rings, NULL);
}

TWICE(data)
TWICE(shielded_data)
TWICE(rings)
TWICE(mounts)
TWICE(system_directories)
TWICE(processes_outside)
TWICE(everyday_use)

int
main(int argc, char **argv)
{
	static const struct CMUnitTest own_tests[] = {
	    cmocka_unit_test(test_data),
	    cmocka_unit_test(test_shielded_data),
	    cmocka_unit_test(test_rings),
	    cmocka_unit_test(test_mounts),
	    cmocka_unit_test(test_system_directories),
	    cmocka_unit_test(test_processes_outside),
	    cmocka_unit_test(test_everyday_use),
	    {NULL, NULL, NULL, NULL, NULL},
	};
	static const struct CMUnitTest *const groups[] = {own_tests,
	    stack_closed_tests, stack_config_tests, stack_devices_tests,
	    stack_machine_tests, stack_many_tests, stack_overlays_tests,
	    stack_places_tests, stack_caller_tests, stack_shared_tests,
	    stack_sockets_tests, stack_next_tests, stack_alone_tests};
	static struct CMUnitTest tests[64];
	size_t count = 0;
	size_t i;
	size_t j;
	int status = escapes_main(argc, argv);

	if (status >= 0)
		return status;
	for (i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		for (j = 0; groups[i][j].name != NULL; j++)
			tests[count++] = groups[i][j];
	if (argc == 2) /* only those of this name; * and ? match */
		cmocka_set_test_filter(argv[1]);
	return harness_run(tests, count);
}
