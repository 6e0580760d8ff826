/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * filter.h - the system call filter as plain BPF, made with libseccomp.
 *
 * libseccomp knows the architectures and makes the program short; the child
 * only hands the finished program to the kernel.
 */

#ifndef OMEGA_SECCOMP_FILTER_H
#define OMEGA_SECCOMP_FILTER_H

#include <errno.h>
#include <linux/filter.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdint.h>

/* What is to be refused, by group. */
enum filter_group {
	FILTER_TERMINAL = 0x1, /* TIOCSTI, TIOCLINUX */
	FILTER_KEYRING = 0x2, /* calls for keys, or that take one */
	FILTER_FORK = 0x4, /* new processes, not threads */
	FILTER_LISTEN = 0x8, /* listen(2), of any family */
	FILTER_FAMILIES = 0x10, /* sockets neither UNIX nor the Internet's */
	FILTER_INTERNET = 0x20, /* sockets of the Internet's families */
	FILTER_PROTOCOLS = 0x40, /* of those, all but plain TCP and UDP */
	FILTER_TCP = 0x80, /* beside PROTOCOLS: TCP as well */
	FILTER_UDP = 0x100, /* beside PROTOCOLS: UDP as well */
	FILTER_FAST_OPEN = 0x200, /* TCP connections made by sending */
	FILTER_UNIX = 0x400, /* UNIX sockets but for pairs that stay pairs */
	FILTER_TRACE = 0x800 /* ptrace(2) and its like */
};

/* Any of these, and io_uring and socketcall(2) are refused too: what they do
 * with sockets no filter sees. With KEYRING io_uring is. */
#define FILTER_SOCKETS                                                       \
	(FILTER_FAMILIES | FILTER_INTERNET | FILTER_PROTOCOLS | FILTER_TCP | \
	    FILTER_UDP | FILTER_FAST_OPEN | FILTER_LISTEN | FILTER_UNIX)

/* The longest program that is kept; ours has some dozens of instructions. */
#define FILTER_MAX 512

struct filter_program {
	unsigned short count;
	struct sock_filter code[FILTER_MAX];
};

/*
 * Make the program for these groups. native is libseccomp's token of the
 * machine's instruction set, 0 for the one we are running on. 0 or a negative
 * errno.
 */
int filter_make(
    uint32_t native, unsigned groups, struct filter_program *program);

/* ---- For the files of the filter ------------------------------------------
 */

/* Instruction sets that commands may use beside each other, at most. */
#define FILTER_ARCHES 2

/* The native one and what the machine may run beside it; how many. libseccomp's
 * names are those that a filter sees. */
size_t filter_arches(uint32_t native, uint32_t arches[FILTER_ARCHES]);

/* A call is refused with this error where all of these hold. */
struct filter_rule {
	int call;
	int error;
	struct scmp_arg_cmp given[2]; /* an op of 0: no more of them */
};

/* It is not permitted, whatever its arguments. */
#define FILTER_CALL(name)                              \
	{                                              \
		.call = SCMP_SYS(name), .error = EPERM \
	}

/* An argument has these of the bits in mask; is this number; is not 0. The
 * kernel looks at the lower half of a number of 32 bits only: so do we, or bits
 * above would slip through. */
#define FILTER_BITS(argument, mask, bits)                    \
	{                                                    \
		.arg = (argument), .op = SCMP_CMP_MASKED_EQ, \
		.datum_a = (mask), .datum_b = (bits)         \
	}
#define FILTER_IS(argument, number) \
	FILTER_BITS(argument, 0xffffffffULL, (uint32_t)(number))
#define FILTER_GIVEN(argument)                       \
	{                                            \
		.arg = (argument), .op = SCMP_CMP_NE \
	}

/* Add the rules to the filter. 0 or a negative errno. */
int filter_refuse(
    scmp_filter_ctx filter, const struct filter_rule *rules, size_t count);

/* The same for an array of them. */
#define FILTER_REFUSE(filter, rules) \
	filter_refuse(filter, rules, sizeof(rules) / sizeof((rules)[0]))

/* Refuse rings: what they do no filter sees. 0 or a negative errno. */
int filter_refuse_rings(scmp_filter_ctx filter);

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
