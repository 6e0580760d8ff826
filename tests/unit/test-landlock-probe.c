/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-landlock-probe.c - what the Landlock backend makes of a trial that
 * fails: some errors mean that there is no Landlock here, others only that
 * there was no memory for it just now.
 */

#include "harness.h"

#include <errno.h>
#include <stdio.h>

#include <omega/sandbox-plugin.h>

#include "failing.h"
#include "landlock/calls.h"

static const struct omega_sandbox_host host = {.size = sizeof(host)};

struct failure {
	int error; /* of landlock_restrict_self */
	int expected; /* of the probe */
};

static int
probe_with(void *arg)
{
	const struct failure *failure = arg;
	struct omega_sandbox_probe probe = {.size = sizeof(probe)};
	int ret;

	need(failing_call(SYS_RESTRICT_SELF, failure->error));
	ret = omega_sandbox_plugin.probe(&host, &probe);
	if (ret != failure->expected || probe.is_usable)
		printf(
		    "# errno %d: %d, %s\n", failure->error, ret, probe.reason);
	fflush(stdout);
	return ret == failure->expected && !probe.is_usable &&
		       (ret < 0 || probe.reason[0] != '\0')
		   ? 0
		   : 1;
}

static void
test_lack_of_memory_is_not_lack_of_landlock(void **state)
{
	struct failure failures[] = {{ENOMEM, -ENOMEM}, {EAGAIN, -EAGAIN},
	    {ENOSYS, 0}, {EPERM, 0}, {E2BIG, 0}};
	size_t i;

	(void)state;
	if (calls_abi() < 1)
		skip_because("this kernel has no Landlock");
	for (i = 0; i < sizeof(failures) / sizeof(failures[0]); i++)
		assert_int_equal(in_child(probe_with, &failures[i]), 0);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_lack_of_memory_is_not_lack_of_landlock),
	};

	return run_all(tests);
}
