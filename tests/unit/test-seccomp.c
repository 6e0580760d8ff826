/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-seccomp.c - the programs of the seccomp backend, run by an
 * interpreter: so those for other machines are tried here too, and calls with
 * any bits in their arguments. Those about processes and keys are
 * test-seccomp-processes.c's.
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

#include "machines.h"

#define JUNK 0xdeadbeef00000000ULL /* above the 32 bits the kernel reads */
#define MPTCP 262
#define SMC 256
#define UDP_LITE 136
#define ULP 31

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
	int got = machine_call(machine, settings[setting], machine->socket,
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
	const struct filter_program *program =
	    machine_program(&machines[0], PORTS);
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

				if ((machine_run(program, &data) ==
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

			assert_int_equal(machine_call(on, groups, on->pair,
					     AF_UNIX | JUNK, SOCK_DGRAM, 0, 0),
			    is_refused ? EPERM : 0);
			assert_int_equal(
			    machine_call(on, groups, on->pair, AF_UNIX,
				SOCK_RAW | SOCK_CLOEXEC, 0, 0),
			    is_refused ? EPERM : 0);
			assert_int_equal(
			    machine_call(on, groups, on->pair, AF_UNIX,
				SOCK_STREAM | SOCK_CLOEXEC | JUNK, 0, 0),
			    0);
			assert_int_equal(machine_call(on, groups, on->pair,
					     AF_UNIX, SOCK_SEQPACKET, 0, 0),
			    0);
		}
		assert_int_equal(machine_call(on, FILTER_FAMILIES, on->pair, 30,
				     SOCK_RDM, 0, 0),
		    EPERM);
		assert_int_equal(
		    machine_call(on, 0, on->pair, 30, SOCK_RDM, 0, 0), 0);
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
				assert_int_equal(
				    machine_call_name(on, settings[s], ways[i],
					8, JUNK, 0, 0),
				    expected);
			assert_int_equal(
			    machine_call_name(on, settings[s] | FILTER_KEYRING,
				ways[s % 3], 8, JUNK, 0, 0),
			    EPERM);
			/* socketcall, with any number of a call in it. */
			for (i = 0; on->token == SCMP_ARCH_X86 && i < 22; i++)
				assert_int_equal(machine_call(on, settings[s],
						     102, i, 0, 0, 0),
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
		    machine_call_name(on, PORTS, "sendto", 3, 0, 0, open),
		    EPERM);
		assert_int_equal(machine_call_name(on, PORTS, "sendto", 3, 0, 0,
				     open | other),
		    EPERM);
		assert_int_equal(
		    machine_call_name(on, PORTS, "sendto", 3, 0, open, other),
		    0);
		assert_int_equal(machine_call_name(on, PORTS, "sendmsg", 3, 0,
				     open | other, 0),
		    EPERM);
		assert_int_equal(machine_call_name(on, PORTS, "sendmsg", 3,
				     open, other, open),
		    0);
		assert_int_equal(machine_call_name(on, PORTS, "sendmmsg", 3, 0,
				     1, open | other),
		    EPERM);
		assert_int_equal(
		    machine_call_name(on, PORTS, "sendmmsg", 3, 0, open, other),
		    0);
		assert_int_equal(machine_call_name(on, FILTER_FAMILIES,
				     "sendto", 3, 0, 0, open),
		    0);
		/* TCP that becomes something else. */
		assert_int_equal(machine_call_name(on, PORTS, "setsockopt", 3,
				     IPPROTO_TCP | JUNK, ULP | JUNK, 0),
		    EPERM);
		assert_int_equal(machine_call_name(on, PORTS, "setsockopt", 3,
				     SOL_SOCKET, ULP, 0),
		    0);
		assert_int_equal(machine_call_name(on, PORTS, "setsockopt", 3,
				     IPPROTO_TCP, 1, 0),
		    0);
	}
}

static void
test_listen_is_refused_when_asked(void **state)
{
	size_t m;

	(void)state;
	for (m = 0; m < MACHINES; m++) {
		assert_int_equal(
		    machine_call_name(&machines[m], PORTS | FILTER_LISTEN,
			"listen", 3, 1, 0, 0),
		    EPERM);
		assert_int_equal(machine_call_name(
				     &machines[m], PORTS, "listen", 3, 1, 0, 0),
		    0);
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

		assert_int_equal(machine_call_name(
				     on, all, "ioctl", 0, TIOCSTI | JUNK, 0, 0),
		    EPERM);
		assert_int_equal(
		    machine_call_name(on, all, "ioctl", 0, TIOCGWINSZ, 0, 0),
		    0);
		assert_int_equal(
		    machine_call_name(on, all, "keyctl", 0, 0, 0, 0), EPERM);
		for (i = 0; i < 9; i++)
			if (machine_number(on, free_calls[i]) >= 0)
				assert_int_equal(machine_call_name(on, all,
						     free_calls[i], 3, 2, 1, 6),
				    0);
		assert_int_equal(
		    machine_run(machine_program(on, all), &foreign),
		    SECCOMP_RET_ERRNO | ENOSYS);
	}
}

/* Not one call: it has the number of the native set, and numbers of its own. */
static void
test_x32_is_refused_whole(void **state)
{
	const struct machine *on = &machines[2];
	struct seccomp_data data = {.arch = SCMP_ARCH_X86_64};
	size_t i;
	int call;

	(void)state;
	assert_string_equal(on->name, "x86_64");
	for (i = 0; i < SETTINGS; i++)
		for (call = 0; call < 600; call++) {
			data.nr = 0x40000000 + call;
			assert_int_equal(
			    machine_run(
				machine_program(on, settings[i]), &data),
			    SECCOMP_RET_ERRNO | ENOSYS);
		}
}

/* A start pays for every instruction. */
static void
test_programs_are_short(void **state)
{
	(void)state;
	assert_in_range(
	    machine_program(&machines[2], FILTER_TERMINAL | FILTER_KEYRING)
		->count,
	    1, 114);
	assert_in_range(
	    machine_program(&machines[0], FILTER_TERMINAL)->count, 1, 70);
	assert_in_range(
	    machine_program(&machines[0], FILTER_TERMINAL | FILTER_KEYRING)
		->count,
	    1, 101);
	assert_in_range(
	    machine_program(&machines[0], settings[1])->count, 1, 90);
	assert_in_range(
	    machine_program(&machines[0], settings[2])->count, 1, 90);
	assert_in_range(machine_program(&machines[0], PORTS)->count, 1, 140);
	assert_in_range(
	    machine_program(&machines[0], FILTER_FORK)->count, 1, 75);
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
	    cmocka_unit_test(test_groups_do_not_disturb_each_other),
	    cmocka_unit_test(test_x32_is_refused_whole),
	    cmocka_unit_test(test_programs_are_short),
	};

	return run_all(tests);
}
