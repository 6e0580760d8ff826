/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-seccomp-processes.c - as test-seccomp.c, about processes and keys.
 */

#include "harness.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>

#include "machines.h"

#define JUNK 0xdeadbeef00000000ULL /* above the 32 bits the kernel reads */
#define ULP 31
#define PORTS (FILTER_FAMILIES | FILTER_PROTOCOLS | FILTER_FAST_OPEN)

/* ---- Processes ------------------------------------------------------------
 */

static void
test_fork_leaves_threads(void **state)
{
	const uint64_t thread = CLONE_VM | CLONE_FS | CLONE_FILES |
				CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
	size_t m;

	(void)state;
	for (m = 0; m < MACHINES; m++) {
		const struct machine *on = &machines[m];

		assert_int_equal(machine_call_name(
				     on, FILTER_FORK, "clone", thread, 0, 0, 0),
		    0);
		assert_int_equal(
		    machine_call_name(on, FILTER_FORK, "clone", 17, 0, 0, 0),
		    EPERM);
		assert_int_equal(machine_call_name(on, FILTER_FORK, "clone",
				     (thread & ~(uint64_t)CLONE_THREAD) | JUNK,
				     CLONE_THREAD, CLONE_THREAD, CLONE_THREAD),
		    EPERM);
		assert_int_equal(
		    machine_call_name(on, FILTER_FORK, "clone3", 0, 0, 0, 0),
		    ENOSYS);
		assert_int_equal(
		    machine_call_name(on, 0, "clone", 17, 0, 0, 0), 0);
		assert_int_equal(
		    machine_call_name(on, 0, "clone", thread, 0, 0, 0), 0);
		if (machine_number(on, "fork") < 0)
			continue;
		assert_int_equal(
		    machine_call_name(on, FILTER_FORK, "fork", 0, 0, 0, 0),
		    EPERM);
		assert_int_equal(
		    machine_call_name(on, FILTER_FORK, "vfork", 0, 0, 0, 0),
		    EPERM);
	}
}

/* Whoever waits for its own children meets no others. The flags of clone3 are
 * in memory. */
static void
test_no_children_for_others(void **state)
{
	size_t m;

	(void)state;
	for (m = 0; m < MACHINES; m++) {
		const struct machine *on = &machines[m];

		assert_int_equal(
		    machine_call_name(on, 0, "clone", CLONE_PARENT, 0, 0, 0),
		    EPERM);
		assert_int_equal(
		    machine_call_name(on, 0, "clone",
			CLONE_PARENT | CLONE_VM | 17 | JUNK, 0, 0, 0),
		    EPERM);
		assert_int_equal(machine_call_name(on, FILTER_FORK, "clone",
				     CLONE_PARENT | CLONE_THREAD, 0, 0, 0),
		    EPERM);
		assert_int_equal(machine_call_name(on, 0, "clone", 17,
				     CLONE_PARENT, CLONE_PARENT, CLONE_PARENT),
		    0);
		assert_int_equal(
		    machine_call_name(on, 0, "clone3", 0, 0, 0, 0), ENOSYS);
	}
}

/* Of one processor or control group, whoever runs there; not of a process,
 * which the kernel judges as it does tracing. */
static void
test_no_samples_of_everybody(void **state)
{
	size_t m;

	(void)state;
	for (m = 0; m < MACHINES; m++) {
		const struct machine *on = &machines[m];
		const char *name = "perf_event_open";
		struct seccomp_data group = {.nr = machine_number(on, name),
		    .arch = on->audit,
		    .args = {0, 3, 0, 0xffffffff, 4 | JUNK, 0}};

		assert_int_equal(machine_call_name(
				     on, 0, name, 0, 0xffffffff, 0, 0xffffffff),
		    EACCES);
		assert_int_equal(
		    machine_call_name(on, 0, name, 0, UINT64_MAX, 0, 0),
		    EACCES);
		assert_int_equal(machine_run(machine_program(on, 0), &group),
		    SECCOMP_RET_ERRNO | EACCES);
		group.args[4] = 8 | JUNK; /* closed on exec */
		assert_int_equal(machine_run(machine_program(on, 0), &group),
		    SECCOMP_RET_ALLOW);
		assert_int_equal(machine_call_name(
				     on, 0, name, 0, 0, 0xffffffff, 0xffffffff),
		    0);
		assert_int_equal(
		    machine_call_name(on, 0, name, 0, 4711, 0xffffffff, 0), 0);
	}
}

/* Nobody outside waits for a command to let go of a file. */
static void
test_no_leases(void **state)
{
	static const char *const names[] = {"fcntl", "fcntl64"};
	/* F_DUPFD, F_SETFL, F_SETLKW, F_OFD_SETLKW, F_GETLEASE, F_NOTIFY,
	 * F_DUPFD_CLOEXEC, F_ADD_SEALS */
	static const uint32_t others[] = {
	    0, 4, 7, 38, 1025, 1026, 1030, 1033, 0x80000400};
	size_t m;
	size_t n;
	size_t i;

	(void)state;
	for (m = 0; m < MACHINES; m++) {
		const struct machine *on = &machines[m];

		for (n = 0; n < 2; n++) {
			if (machine_number(on, names[n]) < 0)
				continue;
			assert_int_equal(
			    machine_call_name(on, 0, names[n], 3, 1024, 1, 0),
			    EACCES);
			assert_int_equal(
			    machine_call_name(on, 0, names[n], 3, 1040, 1, 0),
			    EACCES);
			assert_int_equal(machine_call_name(on, 0, names[n], 3,
					     1024 | JUNK, 2, 0),
			    EACCES);
			for (i = 0; i < sizeof(others) / sizeof(*others); i++)
				assert_int_equal(
				    machine_call_name(on, 0, names[n], 3,
					others[i], 1024, 1024),
				    0);
		}
	}
}

/* ---- Keys -----------------------------------------------------------------
 */

/* Also by what takes a key beside keyctl: file systems and sockets. */
static void
test_no_way_to_keys(void **state)
{
	static const uint32_t requests[] = {0xc0506617, 0x800c6613};
	const unsigned keys = FILTER_KEYRING;
	size_t m;
	size_t i;

	(void)state;
	for (m = 0; m < MACHINES; m++) {
		const struct machine *on = &machines[m];
		const char *set = "setsockopt";

		for (i = 0; i < 2; i++) {
			const uint64_t request = requests[i];

			assert_int_equal(machine_call_name(on, keys, "ioctl", 3,
					     request, 0, 0),
			    EPERM);
			assert_int_equal(machine_call_name(on, keys, "ioctl", 3,
					     request | JUNK, 0, 0),
			    EPERM);
			assert_int_equal(
			    machine_call_name(on, 0, "ioctl", 3, request, 0, 0),
			    0);
		}
		/* A key by its number; one in memory is the command's. */
		assert_int_equal(machine_call_name(
				     on, keys, set, 3, 279 | JUNK, 7 | JUNK, 0),
		    EPERM);
		assert_int_equal(
		    machine_call_name(on, keys, set, 3, 279, 1, 0), 0);
		assert_int_equal(
		    machine_call_name(on, keys, set, 3, 1, 7, 0), 0);
		assert_int_equal(
		    machine_call_name(on, keys, set, 3, 272 | JUNK, 1, 0),
		    EPERM);
		assert_int_equal(
		    machine_call_name(on, 0, set, 3, 279, 7, 0), 0);
		/* Beside a rule for the same call. */
		assert_int_equal(
		    machine_call_name(on, keys | PORTS, set, 3, 279, 7, 0),
		    EPERM);
		assert_int_equal(
		    machine_call_name(on, keys | PORTS, set, 3, 6, ULP, 0),
		    EPERM);
		/* What it sets is in memory; other calls are made. */
		for (i = 1; on->token == SCMP_ARCH_X86 && i < 22; i++)
			assert_int_equal(
			    machine_call(on, keys, 102, i, 279, 7, 0),
			    i == 14 ? EPERM : 0);
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_fork_leaves_threads),
	    cmocka_unit_test(test_no_children_for_others),
	    cmocka_unit_test(test_no_samples_of_everybody),
	    cmocka_unit_test(test_no_leases),
	    cmocka_unit_test(test_no_way_to_keys),
	};

	return run_all(tests);
}
