/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * apart.h - what a test sees of the machine: its programs and devices, and the
 * trees it was built in. Everything that people of the machine fill is new and
 * empty: /tmp, /run, /home and the like, processes, network, users.
 */

#ifndef OMEGA_WORLD_APART_H
#define OMEGA_WORLD_APART_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

struct apart {
	bool is_root; /* otherwise it is done through a user namespace */
	uid_t uid;
	gid_t gid;
	char here[PATH_MAX]; /* where the test is to be started */
};

/* Look around, before there are new namespaces. */
void apart_plan(struct apart *apart);

/*
 * In the first process of new mount, pid, network, ipc and uts namespaces, of
 * a user namespace too if we are not root: make this world. NULL, or what
 * could not be done and why.
 */
const char *apart_enter(const struct apart *apart);

#endif
