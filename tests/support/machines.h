/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * machines.h - calls on several machines, judged by what the seccomp backend
 * makes for each, in an interpreter.
 */

#ifndef OMEGA_TEST_MACHINES_H
#define OMEGA_TEST_MACHINES_H

#include <stdint.h>

#include "seccomp/filter.h"

struct seccomp_data;

#define MACHINES 5

struct machine {
	const char *name;
	uint32_t native; /* what the filter is made for */
	uint32_t token; /* what the call is made under */
	uint32_t audit; /* how the kernel names that */
	int socket, pair;
};

extern const struct machine machines[MACHINES];

/* The program for these groups; it stays as it is. */
const struct filter_program *machine_program(
    const struct machine *machine, unsigned groups);

/* What the kernel would be told. */
uint32_t machine_run(
    const struct filter_program *program, const struct seccomp_data *data);

/* The number of a call, negative: there is none. */
int machine_number(const struct machine *machine, const char *name);

/* The errno the call gets, 0: it is made. */
int machine_call(const struct machine *machine, unsigned groups, int nr,
    uint64_t a, uint64_t b, uint64_t c, uint64_t d);
int machine_call_name(const struct machine *machine, unsigned groups,
    const char *name, uint64_t a, uint64_t b, uint64_t c, uint64_t d);

#endif
