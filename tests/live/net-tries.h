/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * net-tries.h - ways to a socket and to another process, each tried by a
 * program of its own that is started outside and inside.
 */

#ifndef OMEGA_TEST_NET_TRIES_H
#define OMEGA_TEST_NET_TRIES_H

#include <netinet/in.h>
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

/* net-around.c: 0 or errno, each. */
int net_around_fast_sendto(const struct net_ground *ground);
int net_around_fast_sendmsg(const struct net_ground *ground);
int net_around_fast_sendmmsg(const struct net_ground *ground);
int net_around_fast_connect(const struct net_ground *ground);
int net_around_ulp(const struct net_ground *ground);
int net_around_ring(const struct net_ground *ground);
int net_around_ring_enter(const struct net_ground *ground);
int net_around_ring_register(const struct net_ground *ground);

/* net-unix.c: 0 or errno, each. */
int net_unix_pair(const struct net_ground *ground);
int net_unix_path(const struct net_ground *ground);
int net_unix_abstract(const struct net_ground *ground);
int net_unix_serve_unix(const struct net_ground *ground);

/* net-process.c: 0 or errno, each. */
int net_process_foreign(const struct net_ground *ground);
int net_process_fork(const struct net_ground *ground);
int net_process_vfork(const struct net_ground *ground);
int net_process_spawn(const struct net_ground *ground);
int net_process_system(const struct net_ground *ground);
int net_process_clone(const struct net_ground *ground);
int net_process_clone3(const struct net_ground *ground);
int net_process_thread(const struct net_ground *ground);

/* Where TCP and UDP are served outside. */
struct sockaddr_in net_tries_address(const struct net_ground *ground);

#endif
