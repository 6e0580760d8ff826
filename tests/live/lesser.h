/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * lesser.h - make the kernel refuse this process and all it starts what other
 * kernels, containers and administrators refuse. By system call filters; a
 * second process answers where a filter cannot look at memory.
 */

#ifndef OMEGA_TEST_LESSER_H
#define OMEGA_TEST_LESSER_H

#include <stdbool.h>
#include <stddef.h>

/* Every function returns 0, or -1 and errno. */

/* These system calls fail with error. */
int lesser_refuse(const long *calls, size_t count, int error);

/* clone and unshare of a user namespace fail with error. */
int lesser_refuse_user_namespaces(int error);

/* prctl(option) fails with error. */
int lesser_refuse_prctl(int option, int error);

/* What the second process sees to. */
struct lesser {
	int landlock_abi; /* no newer than this one; 0: leave it */
	bool has_no_maps; /* uid_map cannot be opened for writing: EACCES */
	bool has_no_tmpfs; /* the kernel was built without: ENODEV */
};

int lesser_watch(const struct lesser *lesser);

/* The ABI of this kernel's Landlock; 0: none. */
int lesser_landlock_abi(void);

#endif
