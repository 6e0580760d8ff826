/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * hosts.h - hosts that lack something. Each function turns this process and
 * all it starts into such a host; nothing beyond is changed. Called as root or
 * as the user who runs the tests, before root becomes a user.
 */

#ifndef OMEGA_TEST_HOSTS_H
#define OMEGA_TEST_HOSTS_H

/* 0, or HOSTS_CANNOT where this host cannot be made here. base is a directory
 * that must stay usable. */
typedef int hosts_make(const char *base);
#define HOSTS_CANNOT 99

hosts_make hosts_as_it_is;

/* Landlock. */
hosts_make hosts_no_landlock; /* the kernel was built without */
hosts_make hosts_landlock_off; /* not in lsm= */
hosts_make hosts_landlock_1; /* ABI */
hosts_make hosts_landlock_2;
hosts_make hosts_landlock_3;
hosts_make hosts_landlock_5;
hosts_make hosts_in_landlock; /* already in a domain */
hosts_make hosts_in_15_landlocks;
hosts_make hosts_in_16_landlocks; /* as many as there can be */

/* User namespaces. */
hosts_make hosts_no_user_namespaces; /* user.max_user_namespaces = 0 */
hosts_make hosts_no_pid_namespaces; /* user.max_pid_namespaces = 0 */
hosts_make hosts_filtered_namespaces; /* EPERM by a filter */
hosts_make hosts_filtered_and_old; /* the same, and Landlock ABI 1 */
hosts_make hosts_nothing; /* neither they nor Landlock */
hosts_make hosts_docker; /* its filter and its capabilities */
hosts_make hosts_no_maps; /* EACCES on uid_map */
hosts_make hosts_one_id; /* in a user namespace with this one id */
hosts_make hosts_mapped_root; /* the same, as its root */

/* Capabilities that root lacks. */
hosts_make hosts_no_sys_admin;
hosts_make hosts_no_setfcap;
hosts_make hosts_neither_cap;

/* Mounts. */
hosts_make hosts_no_proc;
hosts_make hosts_read_only;
hosts_make hosts_read_only_sysctls; /* as containers have them */
hosts_make hosts_no_tmpfs;
hosts_make hosts_chroot;

hosts_make hosts_no_filters; /* seccomp */

#endif
