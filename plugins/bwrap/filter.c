/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * filter.c - see setup.h.
 *
 * Who makes a user namespace has every capability in there. The mounts stay,
 * but one could leave all of them behind, keep a descriptor, and rename what
 * is pinned. bwrap has an option against that from 0.8.0 on, but not when it
 * is set-user-ID, nor without a user namespace. A filter holds with each.
 *
 * The program has the calls of each instruction set that the machine may run;
 * any other is refused whole. What it does not refuse goes to what follows it.
 */

#include "setup.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>

struct calls {
	uint32_t arch;
	uint32_t bit; /* that may be set in numbers */
	uint32_t unshare;
	uint32_t setns;
	uint32_t clone;
};

/* clone3(2) has one number everywhere. */
#define CLONE3 435

#if defined(__x86_64__)
static const struct calls calls[] = {
    {AUDIT_ARCH_X86_64, 0x40000000, 272, 308, 56}, /* and x32 */
    {AUDIT_ARCH_I386, 0, 310, 346, 120},
};
#elif defined(__aarch64__)
static const struct calls calls[] = {
    {AUDIT_ARCH_AARCH64, 0, 97, 268, 220},
    {AUDIT_ARCH_ARM, 0, 337, 375, 120},
};
#elif defined(__riscv) && __riscv_xlen == 64
static const struct calls calls[] = {
    {AUDIT_ARCH_RISCV64, 0, 97, 268, 220},
};
#else
/* Nobody has looked up the numbers: nothing can be promised. */
static const struct calls calls[1];
#endif

#define COUNT (sizeof(calls) / sizeof(calls[0]))

/* And control groups. */
#define SPACES                                                                 \
	((uint32_t)CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | \
	    CLONE_NEWPID | CLONE_NEWNET | 0x02000000u)

#define LOAD(field) \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define IS(number, then, otherwise) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, then, otherwise)
#define REFUSE(error) \
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)(error))

/* Goes on behind its end where it refuses nothing. */
static void
add_calls(const struct calls *of, struct args *to)
{
	const struct sock_filter code[] = {
	    LOAD(arch),
	    IS(of->arch, 0, 10), /* to the end */
	    LOAD(nr),
	    BPF_STMT(BPF_ALU | BPF_AND | BPF_K, ~of->bit),
	    IS(of->setns, 5, 0), /* EPERM */
	    IS(CLONE3, 5, 0), /* ENOSYS: its flags are in memory */
	    IS(of->unshare, 1, 0), /* flags */
	    IS(of->clone, 0, 4), /* flags, or to the end */
	    LOAD(args[0]), /* its lower half: all of these are little-endian */
	    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, SPACES, 0, 2),
	    REFUSE(EPERM),
	    REFUSE(ENOSYS),
	};

	args_bytes(to, code, sizeof(code));
}

int
filter_is_known(void)
{
	return calls[0].arch != 0;
}

void
filter_make(const struct omega_sandbox_request *request, struct args *to)
{
	static const struct sock_filter arch = LOAD(arch);
	static const struct sock_filter unknown = REFUSE(ENOSYS);
	static const struct sock_filter allow =
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	size_t i;

	for (i = 0; i < COUNT; i++)
		add_calls(&calls[i], to);
	args_bytes(to, &arch, sizeof(arch));
	for (i = 0; i < COUNT; i++) {
		const struct sock_filter known =
		    IS(calls[i].arch, (unsigned char)(COUNT - i), 0);

		args_bytes(to, &known, sizeof(known));
	}
	args_bytes(to, &unknown, sizeof(unknown));
	if (request->filter != NULL)
		args_bytes(to, request->filter, request->filter_size);
	else
		args_bytes(to, &allow, sizeof(allow));
}
