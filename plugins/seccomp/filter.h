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

#include <linux/filter.h>
#include <stddef.h>

/* What is to be refused, by group. */
enum filter_group {
	FILTER_TERMINAL = 0x1, /* TIOCSTI, TIOCLINUX */
	FILTER_KEYRING = 0x2, /* keyctl, add_key, request_key */
};

/* The longest program that is kept; ours has some dozens of instructions. */
#define FILTER_MAX 512

struct filter_program {
	unsigned short count;
	struct sock_filter code[FILTER_MAX];
};

/* Make the program for these groups. 0 or a negative errno. */
int filter_make(unsigned groups, struct filter_program *program);

#endif
