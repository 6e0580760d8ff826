/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * faults-regs.h - the registers of a stopped process that a system call is
 * made of: drop the call, change its third argument, give it a result.
 */

#ifndef OMEGA_TEST_FAULTS_REGS_H
#define OMEGA_TEST_FAULTS_REGS_H

#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#if defined(__aarch64__)
#define FAULTS_REGS_KNOWN 1
#ifndef NT_ARM_SYSTEM_CALL
#define NT_ARM_SYSTEM_CALL 0x404
#endif

static inline bool
faults_regs_drop(pid_t pid)
{
	int number = -1;
	struct iovec part = {&number, sizeof(number)};

	return ptrace(PTRACE_SETREGSET, pid, NT_ARM_SYSTEM_CALL, &part) == 0;
}

static inline bool
faults_regs_set(pid_t pid, int which, uint64_t value)
{
	struct user_regs_struct regs;
	struct iovec part = {&regs, sizeof(regs)};

	if (ptrace(PTRACE_GETREGSET, pid, NT_PRSTATUS, &part) != 0)
		return false;
	regs.regs[which] = value;
	return ptrace(PTRACE_SETREGSET, pid, NT_PRSTATUS, &part) == 0;
}

static inline bool
faults_regs_set_length(pid_t pid, uint64_t length)
{
	return faults_regs_set(pid, 2, length);
}

static inline bool
faults_regs_set_result(pid_t pid, int64_t result)
{
	return faults_regs_set(pid, 0, (uint64_t)result);
}

#elif defined(__x86_64__) && !defined(__ILP32__)
#define FAULTS_REGS_KNOWN 1

static inline bool
faults_regs_set(
    pid_t pid, const uint64_t *call, const uint64_t *rdx, const uint64_t *rax)
{
	struct user_regs_struct regs;
	struct iovec part = {&regs, sizeof(regs)};

	if (ptrace(PTRACE_GETREGSET, pid, NT_PRSTATUS, &part) != 0)
		return false;
	if (call != NULL)
		regs.orig_rax = *call;
	if (rdx != NULL)
		regs.rdx = *rdx;
	if (rax != NULL)
		regs.rax = *rax;
	return ptrace(PTRACE_SETREGSET, pid, NT_PRSTATUS, &part) == 0;
}

static inline bool
faults_regs_drop(pid_t pid)
{
	uint64_t none = UINT64_MAX;

	return faults_regs_set(pid, &none, NULL, NULL);
}

static inline bool
faults_regs_set_length(pid_t pid, uint64_t length)
{
	return faults_regs_set(pid, NULL, &length, NULL);
}

static inline bool
faults_regs_set_result(pid_t pid, int64_t result)
{
	uint64_t value = (uint64_t)result;

	return faults_regs_set(pid, NULL, NULL, &value);
}

#else
#define FAULTS_REGS_KNOWN 0

static inline bool
faults_regs_drop(pid_t pid)
{
	(void)pid;
	return false;
}

static inline bool
faults_regs_set_length(pid_t pid, uint64_t length)
{
	(void)pid;
	(void)length;
	return false;
}

static inline bool
faults_regs_set_result(pid_t pid, int64_t result)
{
	(void)pid;
	(void)result;
	return false;
}
#endif

#endif
