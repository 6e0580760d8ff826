/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * net-settings.h - policies, and which tries of net-tries.h each of them
 * refuses. What is not named must come out as it does without a sandbox.
 */

#ifndef OMEGA_TEST_NET_SETTINGS_H
#define OMEGA_TEST_NET_SETTINGS_H

/* Only the filter, and nothing of what it is not for. */
#define ALONE                   \
	"backend = {seccomp}\n" \
	"fail_closed = false\n"

struct setting {
	const char *name;
	const char *lines;
	const char *refused; /* tries, by EPERM; each with a space behind */
	const char *fails; /* the same, refused by others with other errors */
	const char *may_fail; /* the same, not this rule's matter */
	int abi; /* of Landlock, without which no command is started */
	const char *says; /* a line of the report */
	const char *says_too;
};

/* What is refused for the sake of keys. */
#define RINGS "io_uring io_uring-enter io_uring-register "
/* No socket of these is made by any rule. */
#define FAMILIES "packet-old smc packet netlink vsock alg xdp tipc " RINGS
#define OTHERS "udp-lite ping raw raw6 mptcp sctp dccp smc-protocol " FAMILIES
#define TCP                                                        \
	"tcp tcp6 tcp-junk fast-connect fast-sendto fast-sendmsg " \
	"fast-sendmmsg ulp tcp-bind tcp-serve foreign "
#define FAST "fast-sendto fast-sendmsg fast-sendmmsg ulp "
#define PROCESSES "fork vfork spawn system clone foreign "
/* Root has no such powers in a user namespace. */
#define PRIVILEGED "raw raw6 packet packet-old xdp "

/* Whoever else is in the stack keeps UNIX sockets of others away. */
#define OUTSIDE "unix-path unix-abstract "

static const struct setting settings[] = {
    {.name = "network = allow",
	.lines = ALONE "policy \"test\" { network = allow }\n",
	.refused = RINGS},
    {.name = "network = unix-only",
	.lines = ALONE "policy \"test\" { network = unix-only }\n",
	.refused = OTHERS TCP "udp ",
	.says = "enforced      no Internet socket can be made  by seccomp",
	.says_too = "enforced      no socket of another family can be made  by "
		    "seccomp"},
    {.name = "network = deny",
	.lines = ALONE "policy \"test\" { network = deny }\n",
	.refused = OTHERS TCP "udp ",
	.says = "enforced      nothing outside is reached over the network  by "
		"seccomp",
	.says_too = "names of sockets are in memory"},
    /* Every port, as far as a filter goes; the numbers are for landlock. */
    {.name = "connect = {443}",
	.lines = ALONE "policy \"test\" { connect = {443} }\n",
	.refused = OTHERS FAST "udp ",
	.says = "ports are in memory"},
    {.name = "bind = {443}",
	.lines = ALONE "policy \"test\" { bind = {443} }\n",
	.refused = OTHERS "udp ulp ",
	.says = "ports are in memory",
	.says_too = "listen(2) is needed"},
    {.name = "connect = {}, bind = {}",
	.lines = ALONE "policy \"test\" { connect = {} bind = {} }\n",
	.refused = OTHERS TCP "udp ",
	.says = "enforced      no TCP connection can be made  by seccomp",
	.says_too = "enforced      no TCP port can be bound  by seccomp"},
    {.name = "connect_udp = {}",
	.lines = ALONE "policy \"test\" { connect_udp = {} }\n",
	.refused = OTHERS "ulp udp ",
	.says = "enforced      no UDP can be sent  by seccomp"},
    {.name = "connect_udp = {53}",
	.lines = ALONE "policy \"test\" { connect_udp = {53} }\n",
	.refused = OTHERS "ulp ",
	.says = "ports are in memory"},
    {.name = "bind = {}",
	.lines = ALONE "policy \"test\" { bind = {} }\n",
	.refused = OTHERS "udp ulp ",
	.says = "listen = false"},
    {.name = "bind = {}, listen = false",
	.lines = ALONE "policy \"test\" { bind = {} }\n"
		       "plugin \"seccomp\" { listen = false }\n",
	.refused = OTHERS "udp ulp unix-serve tcp-serve ",
	.says = "enforced      nothing listens on a port the kernel chooses"},
    {.name = "fork = false",
	.lines = ALONE "policy \"test\" { fork = false }\n",
	.refused = PROCESSES RINGS,
	.says = "enforced      no other process can be started  by seccomp"},
    {.name = "fork = false, network = unix-only",
	.lines = ALONE "policy \"test\" { fork = false network = unix-only }\n",
	.refused = PROCESSES OTHERS TCP "udp "},

    /* The whole stack, where nothing less than all of it is accepted. */
    {.name = "unix-only, all",
	.lines = "policy \"test\" { network = unix-only }\n",
	.refused = OTHERS TCP "udp ",
	.fails = OUTSIDE,
	.says = "enforced      no Internet socket can be made  by seccomp"},
    /* Internet sockets can be made, in a network of one's own: what is sent
     * to the loopback there nobody gets. Who may ping is a setting of each
     * network, and in a new one it is nobody. */
    {.name = "deny, all",
	.lines = "fail_closed = false\n"
		 "policy \"test\" { network = deny }\n",
	.refused = FAMILIES,
	.fails = OUTSIDE FAST "tcp tcp6 mptcp fast-connect ",
	.may_fail = PRIVILEGED "ping ",
	.says = "enforced      nothing outside is reached over the network  by "
		"namespace",
	.says_too = "enforced      no socket of another family can be made  by "
		    "seccomp"},
    {.name = "fork = false, all",
	.lines = "policy \"test\" { fork = false }\n",
	.refused = PROCESSES RINGS,
	.fails = OUTSIDE,
	.may_fail = PRIVILEGED,
	.says = "enforced      no other process can be started  by seccomp"},
    {.name = "connect = {PORT}, all",
	.abi = 4,
	.lines = "policy \"test\" { connect = {PORT} }\n",
	.refused = OTHERS FAST "udp ",
	.fails = OUTSIDE,
	.says = "by landlock, seccomp"},
    {.name = "connect = {1}, all",
	.abi = 4,
	.lines = "policy \"test\" { connect = {1} }\n",
	.refused = OTHERS FAST "udp ",
	.fails = OUTSIDE "tcp tcp6 fast-connect ulp ",
	.says = "enforced      TCP connections can be made to no port but 1  "
		"by landlock, seccomp"},
    {.name = "bind = {PORT}, all",
	.abi = 4,
	.lines = "policy \"test\" { bind = {PORT} }\n",
	.refused = OTHERS "udp ulp ",
	.fails = OUTSIDE,
	.says = "by landlock, seccomp"},
    {.name = "bind = {1}, all",
	.abi = 4,
	.lines = "policy \"test\" { bind = {1} }\n",
	.refused = OTHERS "udp ulp ",
	.fails = OUTSIDE "tcp-bind ",
	.says = "by landlock, seccomp"},
    {.name = "connect = {PORT}, bind = {1}, all",
	.abi = 4,
	.lines = "policy \"test\" { connect = {PORT} bind = {1} }\n",
	.refused = OTHERS FAST "udp ",
	.fails = OUTSIDE "tcp-bind ",
	.says = "by landlock, seccomp"},
    {.name = "bind = {}, all",
	.abi = 4,
	.lines = "policy \"test\" { bind = {} }\n",
	.refused = OTHERS "udp ulp ",
	.fails = OUTSIDE "tcp-bind ",
	.says = "enforced      no TCP port can be bound  by landlock, seccomp",
	.says_too = "not enforced  nothing listens on a port the kernel "
		    "chooses"},
    {.name = "bind = {}, listen = false, all",
	.abi = 4,
	.lines = "policy \"test\" { bind = {} }\n"
		 "plugin \"seccomp\" { listen = false }\n",
	.refused = OTHERS "udp ulp unix-serve tcp-serve ",
	.fails = OUTSIDE "tcp-bind ",
	.says = "enforced      nothing listens on a port the kernel chooses"},
    {.name = "connect_udp = {PORT}, all",
	.abi = 10,
	.lines = "policy \"test\" { connect_udp = {PORT} }\n",
	.refused = OTHERS "ulp ",
	.fails = OUTSIDE,
	.says = "by landlock, seccomp"},
    {.name = "connect_udp = {1}, all",
	.abi = 10,
	.lines = "policy \"test\" { connect_udp = {1} }\n",
	.refused = OTHERS "ulp ",
	.fails = OUTSIDE "udp ",
	.says = "enforced      UDP can be sent to no port but 1  by landlock, "
		"seccomp"},
    {.name = "connect and connect_udp = {PORT}, all",
	.abi = 10,
	.lines = "policy \"test\" { connect = {1} connect_udp = {PORT} }\n",
	.refused = OTHERS FAST,
	.fails = OUTSIDE "tcp tcp6 fast-connect ulp ",
	.says = "by landlock, seccomp"},
};

#endif
