/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * machines.c - see machines.h.
 */

#include "machines.h"

#include <linux/seccomp.h>
#include <seccomp.h>
#include <stddef.h>
#include <string.h>

#include "bpf.h"
#include "harness.h"

const struct machine machines[MACHINES] = {
    {"aarch64", SCMP_ARCH_AARCH64, SCMP_ARCH_AARCH64, SCMP_ARCH_AARCH64, 198,
	199},
    {"arm", SCMP_ARCH_AARCH64, SCMP_ARCH_ARM, SCMP_ARCH_ARM, 281, 288},
    {"x86_64", SCMP_ARCH_X86_64, SCMP_ARCH_X86_64, SCMP_ARCH_X86_64, 41, 53},
    {"i386", SCMP_ARCH_X86_64, SCMP_ARCH_X86, SCMP_ARCH_X86, 359, 360},
    {"riscv64", SCMP_ARCH_RISCV64, SCMP_ARCH_RISCV64, SCMP_ARCH_RISCV64, 198,
	199},
};

const struct filter_program *
machine_program(const struct machine *machine, unsigned groups)
{
	struct filter_program made;
	int ret = filter_make(machine->native, groups, &made);
	size_t size = offsetof(struct filter_program, code);
	struct filter_program *program;

	if (ret != 0)
		fail_msg(
		    "%s, groups %x: %s", machine->name, groups, strerror(-ret));
	size += made.count * sizeof(made.code[0]); /* most are short */
	program = harness_keep(size);
	memcpy(program, &made, size);
	return program;
}

uint32_t
machine_run(
    const struct filter_program *program, const struct seccomp_data *data)
{
	return bpf_run(program->code, program->count, data);
}

int
machine_call(const struct machine *machine, unsigned groups, int nr, uint64_t a,
    uint64_t b, uint64_t c, uint64_t d)
{
	struct seccomp_data data = {
	    .nr = nr, .arch = machine->audit, .args = {a, b, c, d}};
	uint32_t answer = machine_run(machine_program(machine, groups), &data);

	if (answer == SECCOMP_RET_ALLOW)
		return 0;
	assert_true((answer & SECCOMP_RET_ACTION_FULL) == SECCOMP_RET_ERRNO);
	return (int)(answer & SECCOMP_RET_DATA);
}

int
machine_number(const struct machine *machine, const char *name)
{
	/* libseccomp hides these behind socketcall. */
	if (machine->token == SCMP_ARCH_X86) {
		if (strcmp(name, "sendto") == 0)
			return 369;
		if (strcmp(name, "sendmsg") == 0)
			return 370;
		if (strcmp(name, "sendmmsg") == 0)
			return 345;
		if (strcmp(name, "setsockopt") == 0)
			return 366;
		if (strcmp(name, "listen") == 0)
			return 363;
	}
	return seccomp_syscall_resolve_name_arch(machine->token, name);
}

int
machine_call_name(const struct machine *machine, unsigned groups,
    const char *name, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	return machine_call(
	    machine, groups, machine_number(machine, name), a, b, c, d);
}
