/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * raw.h - a system call of Linux and nothing else, for code that runs in a
 * child which shares the host's memory: no errno, no cancellation point, no
 * symbol of a library that might have to be looked up first.
 */

#ifndef OMEGA_CHILD_RAW_H
#define OMEGA_CHILD_RAW_H

#include <sys/syscall.h>
#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "child/calls.h"

/* The kernel's idea of a set of signals, in bytes. */
#define OMEGA_RAW_SIGSET ((_NSIG - 1) / 8)

/* Distribution headers are older than the kernels they run on. */
#ifndef CLONE_PIDFD
#define CLONE_PIDFD 0x00001000
#endif
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_clone3
#define SYS_clone3 435
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif
#ifndef SYS_faccessat2
#define SYS_faccessat2 439
#endif

struct omega_raw_entry { /* of getdents64(2) */
	uint64_t inode;
	int64_t offset;
	unsigned short size;
	unsigned char type;
	char name[];
};

#define ARG(pointer) ((long)(pointer))

/* What the kernel answers: the result, or a negative errno. */
OMEGA_PLAIN static inline long
omega_raw(long number, long a, long b, long c, long d, long e)
{
#if defined(__aarch64__) && !defined(__ILP32__)
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;

	__asm__ volatile("svc #0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4)
			 : "memory", "cc");
	return x0;
#elif defined(__x86_64__) && !defined(__ILP32__)
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	long result;

	__asm__ volatile(
	    "syscall"
	    : "=a"(result)
	    : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
	    : "rcx", "r11", "memory", "cc");
	return result;
#else
	/* errno is saved and restored around a child that shares memory. */
	long result = syscall(number, a, b, c, d, e);

	return result < 0 ? -errno : result;
#endif
}

/* Append the digits of a number, and nothing behind them: where they end. */
OMEGA_PLAIN static inline char *
omega_raw_print(char *at, uint64_t number)
{
	char digits[24];
	size_t count = 0;

	do
		digits[count++] = (char)('0' + number % 10);
	while ((number /= 10) != 0);
	while (count > 0)
		*at++ = digits[--count];
	return at;
}

/* And back: -1 when it is no number. */
OMEGA_PLAIN static inline long
omega_raw_number(const char *text)
{
	const char *at = text;
	long number = 0;

	for (; *at >= '0' && *at <= '9'; at++)
		number = number * 10 + (*at - '0');
	return at != text && *at == '\0' ? number : -1;
}

#endif
