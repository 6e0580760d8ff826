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
	const char *says; /* a line of the report */
	const char *says_too;
};

/* No socket of these is made by any rule. */
#define OTHERS                                                            \
	"udp-lite ping raw raw6 mptcp sctp dccp smc-protocol packet-old " \
	"smc packet netlink vsock alg xdp tipc "                          \
	"io_uring io_uring-enter io_uring-register "
#define TCP                                                        \
	"tcp tcp6 tcp-junk fast-connect fast-sendto fast-sendmsg " \
	"fast-sendmmsg ulp tcp-serve foreign "
#define FAST "fast-sendto fast-sendmsg fast-sendmmsg ulp "
#define PROCESSES "fork vfork spawn system clone "

/* Whoever else is in the stack keeps UNIX sockets of others away. */
#define OUTSIDE "unix-path unix-abstract "

static const struct setting settings[] = {
    {"network = allow", ALONE "policy \"test\" { network = allow }\n", "", "",
	"", ""},
    {"network = unix-only", ALONE "policy \"test\" { network = unix-only }\n",
	OTHERS TCP "udp ", "",
	"enforced      no Internet socket can be made  by seccomp",
	"enforced      no socket of another family can be made  by seccomp"},
    {"network = deny", ALONE "policy \"test\" { network = deny }\n",
	OTHERS TCP "udp ", "",
	"enforced      nothing outside is reached over the network  by "
	"seccomp",
	"names of sockets are in memory"},
    /* Every port, as far as a filter goes; the numbers are for landlock. */
    {"connect = {443}", ALONE "policy \"test\" { connect = {443} }\n",
	OTHERS FAST "udp ", "", "ports are in memory", ""},
    {"bind = {443}", ALONE "policy \"test\" { bind = {443} }\n",
	OTHERS "udp ulp ", "", "ports are in memory", "listen(2) is needed"},
    {"connect = {}, bind = {}",
	ALONE "policy \"test\" { connect = {} bind = {} }\n", OTHERS TCP "udp ",
	"", "enforced      no TCP connection can be made  by seccomp",
	"enforced      no TCP port can be bound  by seccomp"},
    {"connect_udp = {}", ALONE "policy \"test\" { connect_udp = {} }\n",
	OTHERS "ulp udp ", "", "enforced      no UDP can be sent  by seccomp",
	""},
    {"connect_udp = {53}", ALONE "policy \"test\" { connect_udp = {53} }\n",
	OTHERS "ulp ", "", "ports are in memory", ""},
    {"bind = {}", ALONE "policy \"test\" { bind = {} }\n", OTHERS "udp ulp ",
	"", "listen = false", ""},
    {"bind = {}, listen = false",
	ALONE "policy \"test\" { bind = {} }\n"
	      "plugin \"seccomp\" { listen = false }\n",
	OTHERS "udp ulp unix-serve tcp-serve ", "",
	"enforced      nothing listens on a port the kernel chooses", ""},
    {"fork = false", ALONE "policy \"test\" { fork = false }\n",
	PROCESSES "foreign ", "",
	"enforced      no other process can be started  by seccomp", ""},
    {"fork = false, network = unix-only",
	ALONE "policy \"test\" { fork = false network = unix-only }\n",
	PROCESSES OTHERS TCP "udp ", "", "", ""},

    /* The whole stack, where nothing less than all of it is accepted. */
    {"unix-only, all", "policy \"test\" { network = unix-only }\n",
	OTHERS TCP "udp ", OUTSIDE,
	"enforced      no Internet socket can be made  by seccomp", ""},
    {"fork = false, all", "policy \"test\" { fork = false }\n",
	PROCESSES "foreign ", OUTSIDE OTHERS,
	"enforced      no other process can be started  by seccomp", ""},
    {"connect = {PORT}, all", "policy \"test\" { connect = {PORT} }\n",
	OTHERS FAST "udp ", OUTSIDE, "by landlock, seccomp", ""},
    {"connect = {1}, all", "policy \"test\" { connect = {1} }\n",
	OTHERS FAST "udp ", OUTSIDE "tcp tcp6 fast-connect ulp ",
	"enforced      TCP connections can be made to no port but 1  by "
	"landlock, seccomp",
	""},
    {"bind = {}, all", "policy \"test\" { bind = {} }\n", OTHERS "udp ulp ",
	OUTSIDE, "enforced      no TCP port can be bound  by landlock, seccomp",
	"not enforced  nothing listens on a port the kernel chooses"},
    {"bind = {}, listen = false, all",
	"policy \"test\" { bind = {} }\n"
	"plugin \"seccomp\" { listen = false }\n",
	OTHERS "udp ulp unix-serve tcp-serve ", OUTSIDE,
	"enforced      nothing listens on a port the kernel chooses", ""},
};

#endif
