/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-faults.c - every system call of a start fails once: those of the host
 * in open, prepare, spawn and wait, those of the builder, and those of the
 * child before the program. Either nothing is started and the reason is told,
 * or the program is as protected as ever; and nothing is left.
 *
 * All calls of children are tried and a share of the others; all of them with
 * OMEGA_TEST_FAULTS=all.
 */

#include "harness.h"

#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "faults-campaign.h"
#include "faults-heap.h"
#include "faults-limits.h"
#include "faults-probe.h"
#include "faults-regs.h"
#include "faults-tool.h"

/* Nobody else may write it: a configuration will be in there. */
static void
own_scratch(char *base, size_t size, uid_t uid)
{
	snprintf(base, size, "%s", scratch_dir());
	if (chmod(base, 0755) != 0 ||
	    (geteuid() == 0 && chown(base, uid, uid) != 0))
		fail_msg("%s: %s", base, strerror(errno));
}

static void
twice(int (*fn)(void *))
{
	char base[PATH_MAX];
	int as_root = 0;
	int as_user;

	if (!FAULTS_REGS_KNOWN)
		skip_because("the registers of this machine are not known");
	if (FAULTS_HEAP_OTHER)
		skip_because("a sanitizer makes system calls of its own");
	if (getenv("OMEGA_TEST_NO_FORK") != NULL)
		skip_because("valgrind cannot be traced");
	if (geteuid() == 0) {
		own_scratch(base, sizeof(base), 0);
		as_root = in_child(fn, base);
	}
	own_scratch(base, sizeof(base), geteuid() == 0 ? SPARE_UID : geteuid());
	as_user = in_user_child(fn, base);
	if (as_root != 0 || as_user != 0)
		fail_msg("%d faults as root, %d as a user", as_root, as_user);
}

#define TWICE(name, fn)                       \
	static void test_##name(void **state) \
	{                                     \
		(void)state;                  \
		twice(fn);                    \
	}

TWICE(library, faults_campaign_library)
TWICE(memory, faults_limits_heap)
TWICE(limits, faults_limits_all)
TWICE(tool_run, faults_tool_run)
TWICE(tool_check, faults_tool_check)

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_library),
	    cmocka_unit_test(test_memory),
	    cmocka_unit_test(test_limits),
	    cmocka_unit_test(test_tool_run),
	    cmocka_unit_test(test_tool_check),
	};
	int status = faults_probe_main(argc, argv);

	if (status >= 0)
		return status;
	return run_all(tests);
}
