/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * filter-parts.h - what the files of the filter share: each adds the rules of
 * one matter to what filter.c puts together.
 */

#ifndef OMEGA_SECCOMP_FILTER_PARTS_H
#define OMEGA_SECCOMP_FILTER_PARTS_H

#include <seccomp.h>
#include <stdint.h>

#include "filter.h"

/* An instruction set commands may use here. */
struct filter_arch {
	uint32_t token; /* libseccomp's */
	uint32_t audit; /* the kernel's, as a filter sees it */
};

/* At most this many beside each other. */
#define FILTER_ARCHES 3

/* The native one and those the machine may run beside it; how many. */
size_t filter_arches(uint32_t native, struct filter_arch arches[FILTER_ARCHES]);

/* The kernel looks at the lower half of an ioctl number only: so do we, or
 * bits above would slip through. The same with all arguments of 32 bits. */
#define FILTER_LOW_HALF 0xffffffffULL

/* Refuse a call, whatever its arguments. 0 or a negative errno. */
int filter_refuse(scmp_filter_ctx filter, int call);

/* Refuse one request of ioctl(2). 0 or a negative errno. */
int filter_refuse_ioctl(scmp_filter_ctx filter, uint32_t request);

/* Refuse rings: what they do no filter sees. 0 or a negative errno. */
int filter_refuse_rings(scmp_filter_ctx filter);

/* The caller's keys, by any call that takes one: see filter-keys.c. */
int filter_keys_add(scmp_filter_ctx filter, unsigned groups);

/* No children for one's parent, nor clone3; see filter-fork.c. */
int filter_fork_add_parent(scmp_filter_ctx filter, uint32_t native);

/* New processes, beside that: fork, vfork, clone. */
int filter_fork_add(scmp_filter_ctx filter, uint32_t native);

/* What goes around a judgement of socket(2): see filter-socket.c. */
int filter_socket_add(scmp_filter_ctx filter, unsigned groups);

/*
 * The judgement of socket(2) and socketpair(2), to stand before the program of
 * libseccomp: what it does not refuse it leaves to what follows. 0 or a
 * negative errno.
 */
int filter_socket_write(
    uint32_t native, unsigned groups, struct filter_program *program);

#endif
