/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-seccomp.c - the programs of the seccomp backend, run by an
 * interpreter: so those for other machines are tried here too, and calls with
 * any bits in their arguments.
 */

#include "harness.h"

#include <sys/ioctl.h>
#include <sys/socket.h>
#include <errno.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sched.h>
#include <seccomp.h>
#include <stdio.h>
#include <string.h>

#include <omega/sandbox-plugin.h>

#include "bpf.h"
#include "seccomp/filter.h"

#define JUNK 0xdeadbeef00000000ULL /* above the 32 bits the kernel reads */
#define MPTCP 262
#define SMC 256
#define UDP_LITE 136
#define ULP 31

/* ---- Calls ----------------------------------------------------------------
 */

struct machine {
	const char *name;
	uint32_t native; /* what the filter is made for */
	uint32_t token; /* what the call is made under */
	uint32_t audit; /* how the kernel names that */
	int socket, pair;
};

static const struct machine machines[] = {
    {"aarch64", SCMP_ARCH_AARCH64, SCMP_ARCH_AARCH64, SCMP_ARCH_AARCH64, 198,
	199},
    {"arm", SCMP_ARCH_AARCH64, SCMP_ARCH_ARM, SCMP_ARCH_ARM, 281, 288},
    {"x86_64", SCMP_ARCH_X86_64, SCMP_ARCH_X86_64, SCMP_ARCH_X86_64, 41, 53},
    {"x32", SCMP_ARCH_X86_64, SCMP_ARCH_X32, SCMP_ARCH_X86_64, 0x40000029,
	0x40000035},
    {"i386", SCMP_ARCH_X86_64, SCMP_ARCH_X86, SCMP_ARCH_X86, 359, 360},
    {"riscv64", SCMP_ARCH_RISCV64, SCMP_ARCH_RISCV64, SCMP_ARCH_RISCV64, 198,
	199},
};

#define MACHINES (sizeof(machines) / sizeof(machines[0]))
#define HERE (&machines[0])

static const struct filter_program *
program_for(const struct machine *machine, unsigned groups)
{
	struct filter_program made;
	int ret = filter_make(machine->native, groups, &made);
	size_t size = offsetof(struct filter_program, code);
	struct filter_program *program;

	if (ret != 0)
		fail_msg(
		    "%s, groups %x: %s", machine->name, groups, strerror(-ret));
	size += made.count * sizeof(made.code[0]); /* most are short */
	program = harness_keep(size);
	memcpy(program, &made, size);
	return program;
}

static uint32_t
run(const struct filter_program *program, const struct seccomp_data *data)
{
	return bpf_run(program->code, program->count, data);
}

/* The errno the call gets, 0: it is made. */
static int
call(const struct machine *machine, unsigned groups, int nr, uint64_t a,
    uint64_t b, uint64_t c, uint64_t d)
{
	struct seccomp_data data = {
	    .nr = nr, .arch = machine->audit, .args = {a, b, c, d}};
	uint32_t answer = run(program_for(machine, groups), &data);

	if (answer == SECCOMP_RET_ALLOW)
		return 0;
	assert_true((answer & SECCOMP_RET_ACTION_FULL) == SECCOMP_RET_ERRNO);
	return (int)(answer & SECCOMP_RET_DATA);
}

static int
number(const struct machine *machine, const char *name)
{
	/* libseccomp hides these behind socketcall. */
	if (machine->token == SCMP_ARCH_X86) {
		if (strcmp(name, "sendto") == 0)
			return 369;
		if (strcmp(name, "sendmsg") == 0)
			return 370;
		if (strcmp(name, "sendmmsg") == 0)
			return 345;
		if (strcmp(name, "setsockopt") == 0)
			return 366;
		if (strcmp(name, "listen") == 0)
			return 363;
	}
	return seccomp_syscall_resolve_name_arch(machine->token, name);
}

static int
call_name(const struct machine *machine, unsigned groups, const char *name,
    uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	return call(machine, groups, number(machine, name), a, b, c, d);
}

/* ---- Sockets --------------------------------------------------------------
 */

#define PORTS (FILTER_FAMILIES | FILTER_PROTOCOLS | FILTER_FAST_OPEN)

/* Who may make it: under nothing, FAMILIES, FAMILIES and INTERNET, ports with
 * UDP, ports without, ports without TCP, INTERNET, UNIX, all three. */
static const unsigned settings[] = {
    0,
    FILTER_FAMILIES,
    FILTER_FAMILIES | FILTER_INTERNET,
    PORTS,
    PORTS | FILTER_UDP,
    PORTS | FILTER_TCP,
    FILTER_INTERNET,
    FILTER_UNIX,
    FILTER_UNIX | FILTER_FAMILIES | FILTER_INTERNET,
};

#define SETTINGS (sizeof(settings) / sizeof(settings[0]))

static const struct {
	const char *name;
	int family, type, protocol;
	const char *made; /* by setting: "+" or "-" */
} sockets[] = {
    {"unix stream", AF_UNIX, SOCK_STREAM, 0, "+++++++--"},
    {"unix datagram", AF_UNIX, SOCK_DGRAM, 0, "+++++++--"},
    {"unix packets", AF_UNIX, SOCK_SEQPACKET, 0, "+++++++--"},
    {"tcp", AF_INET, SOCK_STREAM, 0, "++-++--+-"},
    {"tcp 6", AF_INET6, SOCK_STREAM, 0, "++-++--+-"},
    {"tcp by name", AF_INET, SOCK_STREAM, IPPROTO_TCP, "++-++--+-"},
    {"udp", AF_INET, SOCK_DGRAM, 0, "++-+-+-+-"},
    {"udp 6", AF_INET6, SOCK_DGRAM, 0, "++-+-+-+-"},
    {"udp by name", AF_INET6, SOCK_DGRAM, IPPROTO_UDP, "++-+-+-+-"},
    {"udp-lite", AF_INET, SOCK_DGRAM, UDP_LITE, "++-----+-"},
    {"ping", AF_INET, SOCK_DGRAM, IPPROTO_ICMP, "++-----+-"},
    {"ping 6", AF_INET6, SOCK_DGRAM, IPPROTO_ICMPV6, "++-----+-"},
    {"mptcp", AF_INET, SOCK_STREAM, MPTCP, "++-----+-"},
    {"mptcp 6", AF_INET6, SOCK_STREAM, MPTCP, "++-----+-"},
    {"smc by protocol", AF_INET, SOCK_STREAM, SMC, "++-----+-"},
    {"sctp stream", AF_INET, SOCK_STREAM, IPPROTO_SCTP, "++-----+-"},
    {"sctp", AF_INET6, SOCK_SEQPACKET, IPPROTO_SCTP, "++-----+-"},
    {"dccp", AF_INET, 6, 33, "++-----+-"},
    {"raw", AF_INET, SOCK_RAW, IPPROTO_TCP, "++-----+-"},
    {"raw 6", AF_INET6, SOCK_RAW, IPPROTO_RAW, "++-----+-"},
    {"packet, the old way", AF_INET, SOCK_PACKET, 0x300, "+------+-"},
    {"packet", AF_PACKET, SOCK_RAW, 0x300, "+-----++-"},
    {"netlink", AF_NETLINK, SOCK_RAW, 0, "+-----++-"},
    {"netlink, filter", AF_NETLINK, SOCK_DGRAM, 12, "+-----++-"},
    {"vsock", AF_VSOCK, SOCK_STREAM, 0, "+-----++-"},
    {"smc", 43, SOCK_STREAM, 0, "+-----++-"},
    {"xdp", 44, SOCK_RAW, 0, "+-----++-"},
    {"alg", 38, SOCK_SEQPACKET, 0, "+-----++-"},
    {"tipc", 30, SOCK_RDM, 0, "+-----++-"},
    {"rds", 21, SOCK_SEQPACKET, 0, "+-----++-"},
    {"x25", AF_X25, SOCK_SEQPACKET, 0, "+-----++-"},
    {"a family to come", 77, SOCK_STREAM, 0, "+-----++-"},
    {"no family", -1, SOCK_STREAM, 0, "+-----++-"},
};

static void
check_socket(
    const struct machine *machine, size_t setting, size_t i, uint64_t junk)
{
	int type = sockets[i].type | (junk != 0 ? SOCK_CLOEXEC : 0);
	int expected = sockets[i].made[setting] == '+' ? 0 : EPERM;
	int got = call(machine, settings[setting], machine->socket,
	    (uint32_t)sockets[i].family | junk, (uint32_t)type | junk,
	    (uint32_t)sockets[i].protocol | junk, junk);

	if (got != expected)
		fail_msg("%s, setting %zu, %s%s: %d", machine->name, setting,
		    sockets[i].name, junk != 0 ? " with more bits" : "", got);
}

static void
test_sockets_are_judged_on_every_machine(void **state)
{
	size_t m;
	size_t i;
	size_t s;

	(void)state;
	for (m = 0; m < MACHINES; m++)
		for (s = 0; s < SETTINGS; s++)
			for (i = 0; i < sizeof(sockets) / sizeof(sockets[0]);
			     i++) {
				check_socket(&machines[m], s, i, 0);
				check_socket(&machines[m], s, i, JUNK);
			}
}

/* Every value of the three arguments that is small, against the rule said
 * another way. */
static void
test_ports_leave_only_two_protocols(void **state)
{
	const struct filter_program *program = program_for(HERE, PORTS);
	struct seccomp_data data = {.nr = 198, .arch = SCMP_ARCH_AARCH64};
	uint64_t *args = (uint64_t *)data.args;

	(void)state;
	for (args[0] = 0; args[0] < 64; args[0]++)
		for (args[1] = 0; args[1] < 32; args[1]++)
			for (args[2] = 0; args[2] < 300; args[2]++) {
				bool is_ip = args[0] == 2 || args[0] == 10;
				bool is_plain =
				    args[2] == 0 ||
				    (args[1] % 16 == 1 && args[2] == 6) ||
				    (args[1] % 16 == 2 && args[2] == 17);
				bool is_made =
				    args[0] == 1 || (is_ip && is_plain &&
							(args[1] % 16 == 1 ||
							    args[1] % 16 == 2));

				if ((run(program, &data) ==
					SECCOMP_RET_ALLOW) != is_made)
					fail_msg("%d %d %d", (int)args[0],
					    (int)args[1], (int)args[2]);
			}
}

static void
test_pairs_are_of_unix_sockets(void **state)
{
	size_t m;

	(void)state;
	for (m = 0; m < MACHINES; m++) {
		const struct machine *on = &machines[m];
		size_t s;

		for (s = 0; s < SETTINGS; s++) {
			unsigned groups = settings[s];
			int is_refused = (groups & FILTER_UNIX) != 0;

			assert_int_equal(call(on, groups, on->pair,
					     AF_UNIX | JUNK, SOCK_DGRAM, 0, 0),
			    is_refused ? EPERM : 0);
			assert_int_equal(call(on, groups, on->pair, AF_UNIX,
					     SOCK_RAW | SOCK_CLOEXEC, 0, 0),
			    is_refused ? EPERM : 0);
			assert_int_equal(
			    call(on, groups, on->pair, AF_UNIX,
				SOCK_STREAM | SOCK_CLOEXEC | JUNK, 0, 0),
			    0);
			assert_int_equal(call(on, groups, on->pair, AF_UNIX,
					     SOCK_SEQPACKET, 0, 0),
			    0);
		}
		assert_int_equal(
		    call(on, FILTER_FAMILIES, on->pair, 30, SOCK_RDM, 0, 0),
		    EPERM);
		assert_int_equal(call(on, 0, on->pair, 30, SOCK_RDM, 0, 0), 0);
	}
}

/* What a filter cannot look into is refused beside any rule about sockets, and
 * rings beside one about keys. */
static void
test_unseen_ways_are_closed(void **state)
{
	static const char *const ways[] = {
	    "io_uring_setup", "io_uring_enter", "io_uring_register"};
	size_t m;
	size_t s;
	size_t i;

	(void)state;
	for (m = 0; m < MACHINES; m++)
		for (s = 0; s < SETTINGS; s++) {
			const struct machine *on = &machines[m];
			int expected = settings[s] == 0 ? 0 : EPERM;

			for (i = 0; i < 3; i++)
				assert_int_equal(call_name(on, settings[s],
						     ways[i], 8, JUNK, 0, 0),
				    expected);
			assert_int_equal(
			    call_name(on, settings[s] | FILTER_KEYRING,
				ways[s % 3], 8, JUNK, 0, 0),
			    EPERM);
			/* socketcall, with any number of a call in it. */
			for (i = 0; on->token == SCMP_ARCH_X86 && i < 22; i++)
				assert_int_equal(
				    call(on, settings[s], 102, i, 0, 0, 0),
				    expected);
		}
}

static void
test_fast_open_is_seen_in_flags(void **state)
{
	const uint64_t open = MSG_FASTOPEN;
	const uint64_t other = MSG_NOSIGNAL | MSG_DONTWAIT | JUNK;
	size_t m;

	(void)state;
	for (m = 0; m < MACHINES; m++) {
		const struct machine *on = &machines[m];

		assert_int_equal(
		    call_name(on, PORTS, "sendto", 3, 0, 0, open), EPERM);
		assert_int_equal(
		    call_name(on, PORTS, "sendto", 3, 0, 0, open | other),
		    EPERM);
		assert_int_equal(
		    call_name(on, PORTS, "sendto", 3, 0, open, other), 0);
		assert_int_equal(
		    call_name(on, PORTS, "sendmsg", 3, 0, open | other, 0),
		    EPERM);
		assert_int_equal(
		    call_name(on, PORTS, "sendmsg", 3, open, other, open), 0);
		assert_int_equal(
		    call_name(on, PORTS, "sendmmsg", 3, 0, 1, open | other),
		    EPERM);
		assert_int_equal(
		    call_name(on, PORTS, "sendmmsg", 3, 0, open, other), 0);
		assert_int_equal(
		    call_name(on, FILTER_FAMILIES, "sendto", 3, 0, 0, open), 0);
		/* TCP that becomes something else. */
		assert_int_equal(call_name(on, PORTS, "setsockopt", 3,
				     IPPROTO_TCP | JUNK, ULP | JUNK, 0),
		    EPERM);
		assert_int_equal(
		    call_name(on, PORTS, "setsockopt", 3, SOL_SOCKET, ULP, 0),
		    0);
		assert_int_equal(
		    call_name(on, PORTS, "setsockopt", 3, IPPROTO_TCP, 1, 0),
		    0);
	}
}

static void
test_listen_is_refused_when_asked(void **state)
{
	size_t m;

	(void)state;
	for (m = 0; m < MACHINES; m++) {
		assert_int_equal(call_name(&machines[m], PORTS | FILTER_LISTEN,
				     "listen", 3, 1, 0, 0),
		    EPERM);
		assert_int_equal(
		    call_name(&machines[m], PORTS, "listen", 3, 1, 0, 0), 0);
	}
}

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

		assert_int_equal(
		    call_name(on, FILTER_FORK, "clone", thread, 0, 0, 0), 0);
		assert_int_equal(
		    call_name(on, FILTER_FORK, "clone", 17, 0, 0, 0), EPERM);
		assert_int_equal(call_name(on, FILTER_FORK, "clone",
				     (thread & ~(uint64_t)CLONE_THREAD) | JUNK,
				     CLONE_THREAD, CLONE_THREAD, CLONE_THREAD),
		    EPERM);
		assert_int_equal(
		    call_name(on, FILTER_FORK, "clone3", 0, 0, 0, 0), ENOSYS);
		assert_int_equal(call_name(on, 0, "clone", 17, 0, 0, 0), 0);
		assert_int_equal(call_name(on, 0, "clone", thread, 0, 0, 0), 0);
		if (number(on, "fork") < 0)
			continue;
		assert_int_equal(
		    call_name(on, FILTER_FORK, "fork", 0, 0, 0, 0), EPERM);
		assert_int_equal(
		    call_name(on, FILTER_FORK, "vfork", 0, 0, 0, 0), EPERM);
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
		    call_name(on, 0, "clone", CLONE_PARENT, 0, 0, 0), EPERM);
		assert_int_equal(
		    call_name(on, 0, "clone",
			CLONE_PARENT | CLONE_VM | 17 | JUNK, 0, 0, 0),
		    EPERM);
		assert_int_equal(call_name(on, FILTER_FORK, "clone",
				     CLONE_PARENT | CLONE_THREAD, 0, 0, 0),
		    EPERM);
		assert_int_equal(call_name(on, 0, "clone", 17, CLONE_PARENT,
				     CLONE_PARENT, CLONE_PARENT),
		    0);
		assert_int_equal(
		    call_name(on, 0, "clone3", 0, 0, 0, 0), ENOSYS);
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
		struct seccomp_data group = {.nr = number(on, name),
		    .arch = on->audit,
		    .args = {0, 3, 0, 0xffffffff, 4 | JUNK, 0}};

		assert_int_equal(
		    call_name(on, 0, name, 0, 0xffffffff, 0, 0xffffffff),
		    EACCES);
		assert_int_equal(
		    call_name(on, 0, name, 0, UINT64_MAX, 0, 0), EACCES);
		assert_int_equal(run(program_for(on, 0), &group),
		    SECCOMP_RET_ERRNO | EACCES);
		group.args[4] = 8 | JUNK; /* closed on exec */
		assert_int_equal(
		    run(program_for(on, 0), &group), SECCOMP_RET_ALLOW);
		assert_int_equal(
		    call_name(on, 0, name, 0, 0, 0xffffffff, 0xffffffff), 0);
		assert_int_equal(
		    call_name(on, 0, name, 0, 4711, 0xffffffff, 0), 0);
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
			if (number(on, names[n]) < 0)
				continue;
			assert_int_equal(
			    call_name(on, 0, names[n], 3, 1024, 1, 0), EACCES);
			assert_int_equal(
			    call_name(on, 0, names[n], 3, 1040, 1, 0), EACCES);
			assert_int_equal(
			    call_name(on, 0, names[n], 3, 1024 | JUNK, 2, 0),
			    EACCES);
			for (i = 0; i < sizeof(others) / sizeof(*others); i++)
				assert_int_equal(call_name(on, 0, names[n], 3,
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

			assert_int_equal(
			    call_name(on, keys, "ioctl", 3, request, 0, 0),
			    EPERM);
			assert_int_equal(call_name(on, keys, "ioctl", 3,
					     request | JUNK, 0, 0),
			    EPERM);
			assert_int_equal(
			    call_name(on, 0, "ioctl", 3, request, 0, 0), 0);
		}
		/* A key by its number; one in memory is the command's. */
		assert_int_equal(
		    call_name(on, keys, set, 3, 279 | JUNK, 7 | JUNK, 0),
		    EPERM);
		assert_int_equal(call_name(on, keys, set, 3, 279, 1, 0), 0);
		assert_int_equal(call_name(on, keys, set, 3, 1, 7, 0), 0);
		assert_int_equal(
		    call_name(on, keys, set, 3, 272 | JUNK, 1, 0), EPERM);
		assert_int_equal(call_name(on, 0, set, 3, 279, 7, 0), 0);
		/* Beside a rule for the same call. */
		assert_int_equal(
		    call_name(on, keys | PORTS, set, 3, 279, 7, 0), EPERM);
		assert_int_equal(
		    call_name(on, keys | PORTS, set, 3, 6, ULP, 0), EPERM);
		/* What it sets is in memory; other calls are made. */
		for (i = 1; on->token == SCMP_ARCH_X86 && i < 22; i++)
			assert_int_equal(call(on, keys, 102, i, 279, 7, 0),
			    i == 14 ? EPERM : 0);
	}
}

/* ---- Together -------------------------------------------------------------
 */

static void
test_groups_do_not_disturb_each_other(void **state)
{
	const unsigned all = PORTS | FILTER_FORK | FILTER_TERMINAL |
			     FILTER_KEYRING | FILTER_LISTEN;
	static const char *const free_calls[] = {"read", "openat", "connect",
	    "bind", "execve", "exit_group", "accept4", "recvmsg", "getsockopt"};
	size_t m;
	size_t i;

	(void)state;
	for (m = 0; m < MACHINES; m++) {
		const struct machine *on = &machines[m];
		struct seccomp_data foreign = {.nr = 1, .arch = 0x12345};

		assert_int_equal(
		    call_name(on, all, "ioctl", 0, TIOCSTI | JUNK, 0, 0),
		    EPERM);
		assert_int_equal(
		    call_name(on, all, "ioctl", 0, TIOCGWINSZ, 0, 0), 0);
		assert_int_equal(
		    call_name(on, all, "keyctl", 0, 0, 0, 0), EPERM);
		for (i = 0; i < 9; i++)
			if (number(on, free_calls[i]) >= 0)
				assert_int_equal(call_name(on, all,
						     free_calls[i], 3, 2, 1, 6),
				    0);
		assert_int_equal(run(program_for(on, all), &foreign),
		    SECCOMP_RET_ERRNO | ENOSYS);
	}
}

/* A start pays for every instruction. */
static void
test_programs_are_short(void **state)
{
	(void)state;
	assert_in_range(program_for(HERE, FILTER_TERMINAL)->count, 1, 70);
	assert_in_range(
	    program_for(HERE, FILTER_TERMINAL | FILTER_KEYRING)->count, 1, 101);
	assert_in_range(program_for(HERE, settings[1])->count, 1, 90);
	assert_in_range(program_for(HERE, settings[2])->count, 1, 90);
	assert_in_range(program_for(HERE, PORTS)->count, 1, 140);
	assert_in_range(program_for(HERE, FILTER_FORK)->count, 1, 75);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_sockets_are_judged_on_every_machine),
	    cmocka_unit_test(test_ports_leave_only_two_protocols),
	    cmocka_unit_test(test_pairs_are_of_unix_sockets),
	    cmocka_unit_test(test_unseen_ways_are_closed),
	    cmocka_unit_test(test_fast_open_is_seen_in_flags),
	    cmocka_unit_test(test_listen_is_refused_when_asked),
	    cmocka_unit_test(test_fork_leaves_threads),
	    cmocka_unit_test(test_no_children_for_others),
	    cmocka_unit_test(test_no_samples_of_everybody),
	    cmocka_unit_test(test_no_leases),
	    cmocka_unit_test(test_no_way_to_keys),
	    cmocka_unit_test(test_groups_do_not_disturb_each_other),
	    cmocka_unit_test(test_programs_are_short),
	};

	return run_all(tests);
}
