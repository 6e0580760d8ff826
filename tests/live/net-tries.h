/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * net-tries.h - ways to a socket and to another process, each tried by a
 * program of its own that is started outside and inside.
 */

#ifndef OMEGA_TEST_NET_TRIES_H
#define OMEGA_TEST_NET_TRIES_H

#include <stddef.h>

/* What is outside for the tries to reach. */
struct net_ground {
	unsigned short port; /* TCP and UDP, on the loopback */
	const char *path; /* a UNIX socket that listens */
	const char *abstract; /* another one */
	const char *foreign; /* a program of another instruction set */
};

struct net_try {
	const char *name;
	int (*run)(const struct net_ground *ground); /* 0 or errno */
};

/* All of them, ended by a name that is NULL. */
extern const struct net_try net_tries[];

/* Make all tries, one line "NAME ERRNO" each on the standard output. */
int net_tries_run(const struct net_ground *ground);

#endif
