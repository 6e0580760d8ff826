/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * degraded-hosts.h - the table of test-degraded.c: what must come out on which
 * host, and what is said there. Outcomes and texts are for root, then for an
 * ordinary user.
 */

#ifndef OMEGA_TEST_DEGRADED_HOSTS_H
#define OMEGA_TEST_DEGRADED_HOSTS_H

/* For root with no more than its own id. */
#define ONE_ID "give a file away", "become a user"

/* A root without a user namespace: what is said about it. */
#define PLAIN                                                            \
	"namespace (plain)", "config.toml cannot be read  by namespace", \
	    "memory touched  [outside_ptrace]  by landlock"

/* Landlock alone, with what it can hold. */
#define COMPLEMENT                                                        \
	"backend = {landlock, seccomp}\n"                                 \
	"accept = {metadata, aliases, replaced_files, absent_paths,\n"    \
	"outside_sockets, launcher_sockets, abstract_sockets, execute}\n" \
	"plugin \"landlock\" { complement = true }\n"

static const struct degraded_host hosts[] = {
    {.name = "a host that lacks nothing",
	.make = hosts_as_it_is,
	.outcomes = {STARTS, STARTS}},
    {.name = "a host that is not dumpable",
	.make = hosts_as_it_is,
	.is_hidden = true,
	.outcomes = {LEFT_OUT, STARTS}},

    {.name = "a kernel without Landlock",
	.make = hosts_no_landlock,
	.outcomes = {STARTS, STARTS},
	.says = {{"landlock cannot be used: this kernel has no Landlock",
		     "partial       processes outside get no signals"},
	    {"landlock cannot be used: this kernel has no Landlock",
		"partial       processes outside get no signals"}}},
    {.name = "Landlock switched off",
	.make = hosts_landlock_off,
	.outcomes = {STARTS, STARTS},
	.says = {{"add landlock to lsm="}, {"add landlock to lsm="}}},
    {.name = "Landlock ABI 1",
	.make = hosts_landlock_1,
	.outcomes = {STARTS, STARTS},
	.says = {{"needs Linux 6.12 (ABI 6)"}, {"needs Linux 6.12 (ABI 6)"}}},
    {.name = "Landlock ABI 2",
	.make = hosts_landlock_2,
	.outcomes = {STARTS, STARTS},
	.says = {{"needs Linux 6.12 (ABI 6)"}, {"needs Linux 6.12 (ABI 6)"}}},
    {.name = "Landlock ABI 3",
	.make = hosts_landlock_3,
	.outcomes = {STARTS, STARTS},
	.says = {{"needs Linux 6.12 (ABI 6)"}, {"needs Linux 6.12 (ABI 6)"}}},
    {.name = "Landlock ABI 5",
	.make = hosts_landlock_5,
	.outcomes = {STARTS, STARTS},
	.says = {{"needs Linux 6.12 (ABI 6)"}, {"needs Linux 6.12 (ABI 6)"}}},
    {.name = "inside a Landlock domain",
	.make = hosts_in_landlock,
	.outcomes = {IS_REFUSED, IS_REFUSED},
	.says = {{"inside a Landlock domain", "start the host outside"},
	    {"inside a Landlock domain", "start the host outside"}}},
    {.name = "inside 16 Landlock domains",
	.make = hosts_in_16_landlocks,
	.outcomes = {IS_REFUSED, IS_REFUSED},
	.says = {{"as many domains as there can be",
		     "inside a Landlock domain"},
	    {"as many domains as there can be", "inside a Landlock domain"}}},

    {.name = "Landlock alone inside 15 domains",
	.make = hosts_in_15_landlocks,
	.lines = COMPLEMENT,
	.tries = {"read", "write", "delete", "read config.toml",
	    "rename the data directory"},
	.outcomes = {STARTS, STARTS}},
    {.name = "Landlock alone inside 16 domains",
	.make = hosts_in_16_landlocks,
	.lines = COMPLEMENT,
	.outcomes = {IS_REFUSED, IS_REFUSED},
	.says = {{"as many domains as there can be, 16",
		     "start it outside of one"},
	    {"as many domains as there can be, 16",
		"start it outside of one"}}},
    {.name = "max_user_namespaces is 0",
	.make = hosts_no_user_namespaces,
	.outcomes = {STARTS, IS_REFUSED},
	.says = {{PLAIN}, {"user.max_user_namespaces is 0: raise it"}},
	.loses = {ONE_ID}},
    {.name = "max_pid_namespaces is 0",
	.make = hosts_no_pid_namespaces,
	.outcomes = {STARTS, STARTS},
	.says = {{"user.max_pid_namespaces"}, {"user.max_pid_namespaces"}}},
    {.name = "a filter refuses user namespaces",
	.make = hosts_filtered_namespaces,
	.outcomes = {STARTS, IS_REFUSED},
	.says = {{PLAIN}, {"user namespaces are forbidden here", "filter"}},
	.loses = {ONE_ID}},
    {.name = "a filter refuses them, with a shield",
	.make = hosts_filtered_namespaces,
	.lines = "data_dir_mode = shield\n",
	.outcomes = {STARTS, IS_REFUSED},
	.loses = {ONE_ID},
	.says = {{"namespace (plain)"}, {NULL}}},
    {.name = "a filter refuses them, Landlock ABI 1",
	.make = hosts_filtered_and_old,
	.outcomes = {STARTS, IS_REFUSED},
	/* Not from one directory to another before ABI 2. */
	.loses = {ONE_ID, "move within the workspace"},
	.says = {{PLAIN}, {NULL}}},
    {.name = "neither user namespaces nor Landlock",
	.make = hosts_nothing,
	.outcomes = {IS_REFUSED, IS_REFUSED},
	.says = {{"this kernel has no Landlock",
		     "user namespaces cannot be made"},
	    {"this kernel has no Landlock", "user namespaces are forbidden"}}},
    {.name = "a filter refuses them, and landlock is left out",
	.make = hosts_filtered_namespaces,
	.lines =
	    "backend = {namespace, seccomp}\n"
	    "accept = {outside_ptrace, outside_signals, metadata, aliases,\n"
	    "replaced_files, absent_paths, outside_sockets, keyring,\n"
	    "abstract_sockets, launcher_sockets, terminal, execute}\n",
	.outcomes = {IS_REFUSED, IS_REFUSED},
	.says = {{"beside Landlock they hold", "backend = auto"}, {NULL}}},
    {.name = "Docker",
	.make = hosts_docker,
	.outcomes = {IS_REFUSED, IS_REFUSED},
	.says = {{"user namespaces are forbidden here: by a container"},
	    {"user namespaces are forbidden here: by a container"}}},
    {.name = "uid_map cannot be written",
	.make = hosts_no_maps,
	.outcomes = {STARTS, IS_REFUSED},
	.says = {{PLAIN}, {"install the shipped AppArmor profile"}},
	.loses = {ONE_ID}},
    {.name = "a user namespace with one id",
	.make = hosts_one_id,
	.has_no_root = true,
	.outcomes = {STARTS, STARTS},
	.loses = {ONE_ID}},
    {.name = "root of a user namespace",
	.make = hosts_mapped_root,
	.has_no_root = true,
	.outcomes = {LEFT_OUT, STARTS},
	.loses = {ONE_ID}},

    {.name = "root without CAP_SYS_ADMIN",
	.make = hosts_no_sys_admin,
	.outcomes = {STARTS, LEFT_OUT},
	.loses = {ONE_ID}},
    {.name = "root without CAP_SETFCAP",
	.make = hosts_no_setfcap,
	.outcomes = {STARTS, LEFT_OUT},
	.says = {{PLAIN}, {NULL}},
	.loses = {ONE_ID}},
    {.name = "root without both",
	.make = hosts_neither_cap,
	.outcomes = {IS_REFUSED, LEFT_OUT},
	.says = {{"CAP_SETFCAP cannot be mapped; add it"}, {NULL}}},

    {.name = "no /proc",
	.make = hosts_no_proc,
	.outcomes = {IS_REFUSED, IS_REFUSED},
	.says = {{"/proc is not mounted: mount -t proc"},
	    {"/proc is not mounted: mount -t proc"}}},
    {.name = "the root is mounted read-only",
	.make = hosts_read_only,
	.outcomes = {STARTS, STARTS},
	.loses = {"save in /tmp"}},
    {.name = "/proc/sys is read-only",
	.make = hosts_read_only_sysctls,
	.outcomes = {IS_REFUSED, IS_REFUSED},
	.says = {{"/proc/sys must be writable"},
	    {"/proc/sys must be writable"}}},
    {.name = "a kernel without tmpfs",
	.make = hosts_no_tmpfs,
	.outcomes = {IS_REFUSED, IS_REFUSED},
	.says = {{"no tmpfs (CONFIG_TMPFS)"}, {"no tmpfs (CONFIG_TMPFS)"}}},
    {.name = "a chroot",
	.make = hosts_chroot,
	.outcomes = {IS_REFUSED, IS_REFUSED},
	.says = {{"no user namespaces in a chroot; start the host outside"},
	    {"a chroot"}}},
    {.name = "no system call filters",
	.make = hosts_no_filters,
	.outcomes = {IS_REFUSED, IS_REFUSED},
	.says = {{"CONFIG_SECCOMP_FILTER", "must allow seccomp(2)"},
	    {"CONFIG_SECCOMP_FILTER", "must allow seccomp(2)"}}},
    {.name = "inside a sandbox of the same kind",
	.make = hosts_as_it_is,
	.is_nested = true,
	.has_no_root = true,
	.outcomes = {IS_REFUSED, IS_REFUSED},
	.says = {{"inside another omega-sandbox it always is: start this one "
		  "outside"},
	    {"inside another omega-sandbox it always is: start this one "
	     "outside"}}},
};

#endif
