/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * builder.c - the builder of the namespace backend with one of its own acts
 * left out: attributes of mounts, and the end of namespaces inside.
 */

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mutate.h"
#include "namespace/calls.h"

#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
ssize_t __real_write(int fd, const void *bytes, size_t size);
ssize_t __wrap_write(int fd, const void *bytes, size_t size);

static bool
is_left_out(const struct calls_attr *attr, long flags)
{
	if (attr->set == CALLS_NODEV)
		return mutate_this("builder nodev");
	if (attr->propagation == CALLS_SLAVE)
		return mutate_this("builder slave");
	if (attr->set == CALLS_READ_ONLY && attr->propagation != 0 &&
	    (flags & CALLS_RECURSIVE) == 0)
		return mutate_this("builder masks-read-only");
	if (attr->set == CALLS_READ_ONLY)
		return mutate_this("builder read-only");
	return false;
}

long
__wrap_syscall(long number, ...)
{
	long at[6];
	va_list args;
	int i;

	va_start(args, number);
	for (i = 0; i < 6; i++)
		at[i] = va_arg(args, long);
	va_end(args);
	if (number == SYS_mount_setattr &&
	    is_left_out((const struct calls_attr *)at[3], at[2]))
		return 0;
	return __real_syscall(number, at[0], at[1], at[2], at[3], at[4], at[5]);
}

/* The limits of namespaces inside are the only thing set to "0". */
ssize_t
__wrap_write(int fd, const void *bytes, size_t size)
{
	if (size == 1 && memcmp(bytes, "0", 1) == 0 &&
	    mutate_this("builder no-nesting"))
		return 1;
	return __real_write(fd, bytes, size);
}
